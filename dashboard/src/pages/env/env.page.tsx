/** A service's variables: masked until asked for, changed one by one or by pasting a `.env`. */
import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { Eye, EyeOff, Pencil, Plus, SquareAsterisk, Trash2 } from "lucide-react";
import { useState } from "react";
import { answerOf, type Schemas } from "../../../../sdk/client.ts";
import { api } from "../../api/client.ts";
import { commonMessages } from "../../app/common.messages.ts";
import { Confirm } from "../../app/confirm.tsx";
import { useChange } from "../../app/mutation.ts";
import { PageProblem } from "../../app/problem.tsx";
import { useRights } from "../../app/session.ts";
import { Time } from "../../app/time.tsx";
import { useMessages } from "../../i18n/locale.tsx";
import { paths } from "../../paths.ts";
import { Button } from "../../ui/button.tsx";
import { Rows, Section } from "../../ui/card.tsx";
import { CopyButton } from "../../ui/copy-button.tsx";
import { EmptyState, Skeleton } from "../../ui/empty-state.tsx";
import { Notice } from "../../ui/notice.tsx";
import { useService } from "../services/use-service.ts";
import { envMessages } from "./env.messages.ts";
import { PasteDialog } from "./paste-dialog.tsx";
import { VariableDialog } from "./variable-dialog.tsx";

type Variable = Schemas["EnvVariable"];
type Open = { readonly kind: "paste" | "new" } | { readonly kind: "edit" | "delete"; readonly variable: Variable };

export function Page() {
  const t = useMessages(envMessages);
  const common = useMessages(commonMessages);
  const { id, currentDeploymentId } = useService();
  const navigate = useNavigate();
  const { refused, may } = useRights();
  const params = { path: { id } };
  const { data, error, refetch } = useQuery({
    queryKey: ["env", id],
    queryFn: async ({ signal }) => (await answerOf(api.GET("/services/{id}/env", { params, signal }))).data,
  });
  const [shown, setShown] = useState<ReadonlySet<string>>(new Set());
  const [open, setOpen] = useState<Open | null>(null);
  const [isChanged, setChanged] = useState(false);
  const done = () => {
    setOpen(null);
    setChanged(true);
  };
  const remove = useChange({
    run: (name: string) => answerOf(api.DELETE("/services/{id}/env/{name}", { params: { path: { id, name } } })),
    touches: ["env"],
    after: done,
    showsError: true,
  });
  const restart = useChange({
    run: () => answerOf(api.POST("/services/{id}/restart", { params })),
    touches: ["services"],
    after: ({ deploymentId }) => navigate({ to: paths.deployment(deploymentId) }),
  });
  if (data === undefined)
    return error === null ? (
      <Skeleton label={common.loading} />
    ) : (
      <PageProblem error={error} onRetry={() => void refetch()} />
    );
  const areAllShown = data.every(({ name }) => shown.has(name));
  const toggle = (name: string) => {
    const next = new Set(shown);
    if (!next.delete(name)) next.add(name);
    setShown(next);
  };
  const change = refused("env.merge");
  const actions = (
    <>
      <Button refused={change} onClick={() => setOpen({ kind: "paste" })}>
        {t.paste}
      </Button>
      <Button
        variant="primary"
        refused={change}
        icon={<Plus className="size-4" aria-hidden />}
        onClick={() => setOpen({ kind: "new" })}
      >
        {t.add}
      </Button>
    </>
  );
  return (
    <>
      {isChanged && currentDeploymentId !== null && may("services.restart") && (
        <Notice tone="info">
          <div className="flex flex-wrap items-center justify-between gap-3">
            {t.saved}
            <Button size="small" busy={restart.isPending} onClick={() => restart.mutate()}>
              {t.restart}
            </Button>
          </div>
        </Notice>
      )}
      {data.length === 0 ? (
        <EmptyState icon={<SquareAsterisk />} title={t.emptyTitle} action={actions}>
          {t.empty}
        </EmptyState>
      ) : (
        <Section
          title={t.title}
          hint={t.hint}
          actions={
            <>
              <Button
                variant="ghost"
                onClick={() => setShown(areAllShown ? new Set() : new Set(data.map(({ name }) => name)))}
              >
                {areAllShown ? t.hideAll : t.revealAll}
              </Button>
              {actions}
            </>
          }
        >
          <Rows label={t.title}>
            {data.map((variable) => {
              const { name, value, updatedAt } = variable;
              const isShown = shown.has(name);
              const toggleLabel = `${isShown ? t.hide : t.reveal}: ${name}`;
              return (
                <li key={name} className="flex flex-wrap items-center gap-x-3 gap-y-1 px-4 py-2">
                  <span className="code min-w-40 basis-64 font-medium wrap-anywhere">{name}</span>
                  <span className="code min-w-32 grow basis-0 wrap-anywhere whitespace-pre-wrap text-soft">
                    {isShown ? value : "••••••••"}
                  </span>
                  <span className="text-[.8667rem] text-soft">
                    <Time at={updatedAt} />
                  </span>
                  <span className="flex">
                    <Button
                      variant="ghost"
                      size="icon"
                      aria-label={toggleLabel}
                      title={toggleLabel}
                      aria-pressed={isShown}
                      icon={
                        isShown ? <EyeOff className="size-4" aria-hidden /> : <Eye className="size-4" aria-hidden />
                      }
                      onClick={() => toggle(name)}
                    />
                    <CopyButton text={value} label={`${common.copy}: ${name}`} doneLabel={common.copied} />
                    <Button
                      variant="ghost"
                      size="icon"
                      aria-label={`${t.edit}: ${name}`}
                      title={t.edit}
                      refused={change}
                      icon={<Pencil className="size-4" aria-hidden />}
                      onClick={() => setOpen({ kind: "edit", variable })}
                    />
                    <Button
                      variant="ghost"
                      size="icon"
                      aria-label={`${t.remove}: ${name}`}
                      title={t.remove}
                      refused={refused("env.delete")}
                      icon={<Trash2 className="size-4" aria-hidden />}
                      onClick={() => setOpen({ kind: "delete", variable })}
                    />
                  </span>
                </li>
              );
            })}
          </Rows>
        </Section>
      )}
      {open?.kind === "paste" && <PasteDialog serviceId={id} onClose={() => setOpen(null)} onDone={done} />}
      {open?.kind === "new" && <VariableDialog serviceId={id} onClose={() => setOpen(null)} onDone={done} />}
      {open?.kind === "edit" && (
        <VariableDialog serviceId={id} variable={open.variable} onClose={() => setOpen(null)} onDone={done} />
      )}
      {open?.kind === "delete" && (
        <Confirm
          title={t.deleteTitle(open.variable.name)}
          action={t.remove}
          busy={remove.isPending}
          error={remove.error}
          onConfirm={() => remove.mutate(open.variable.name)}
          onClose={() => setOpen(null)}
        >
          {t.deleteText}
        </Confirm>
      )}
    </>
  );
}
