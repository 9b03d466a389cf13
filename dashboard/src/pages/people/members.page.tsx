import { useQuery } from "@tanstack/react-query";
import { ShieldCheck, UserPlus } from "lucide-react";
import { useState } from "react";
import { answerOf, type Schemas } from "../../../../sdk/client.ts";
import { api } from "../../api/client.ts";
import { commonMessages } from "../../app/common.messages.ts";
import { Confirm } from "../../app/confirm.tsx";
import { useChange } from "../../app/mutation.ts";
import { Page as Frame } from "../../app/page.tsx";
import { PageProblem } from "../../app/problem.tsx";
import { sessionChanged, useRights, useSession } from "../../app/session.ts";
import { Time } from "../../app/time.tsx";
import { useMessages } from "../../i18n/locale.tsx";
import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { Rows } from "../../ui/card.tsx";
import { Skeleton } from "../../ui/empty-state.tsx";
import { InviteDialog } from "./invite-dialog.tsx";
import { Invites } from "./invites.tsx";
import { membersMessages } from "./members.messages.ts";
import { grantableRoles } from "./roles.ts";

export function Page() {
  const t = useMessages(membersMessages);
  const { refused } = useRights();
  const [inviting, setInviting] = useState(false);
  return (
    <Frame
      title={t.title}
      hint={t.hint}
      actions={
        <Button
          variant="primary"
          icon={<UserPlus className="size-4" aria-hidden />}
          refused={refused("invites.create")}
          onClick={() => setInviting(true)}
        >
          {t.invite}
        </Button>
      }
    >
      <Members />
      <Invites />
      {inviting && <InviteDialog onClose={() => setInviting(false)} />}
    </Frame>
  );
}

function Members() {
  const t = useMessages(membersMessages);
  const common = useMessages(commonMessages);
  const { data: session } = useSession();
  const { role: ownRole, may, refused } = useRights();
  const [asked, setAsked] = useState<Schemas["Member"] | null>(null);
  const { data, error, refetch } = useQuery({
    queryKey: ["members"],
    queryFn: async ({ signal }) =>
      (await answerOf(api.GET("/members", { params: { query: { limit: 100 } }, signal }))).data,
  });
  const setRole = useChange({
    run: ({ id, role }: { id: string; role: Schemas["Member"]["role"] }) =>
      answerOf(api.PATCH("/members/{id}", { params: { path: { id } }, body: { role } })),
    touches: ["members"],
    done: t.roleSaved,
    after: sessionChanged,
  });
  const remove = useChange({
    run: (id: string) => answerOf(api.DELETE("/members/{id}", { params: { path: { id } } })),
    touches: ["members", "invites"],
    done: t.removed,
    after: async (_answer, id) => {
      setAsked(null);
      if (id === session?.user.id) await sessionChanged();
    },
    showsError: true,
  });
  if (data === undefined)
    return error === null ? (
      <Skeleton label={common.loading} />
    ) : (
      <PageProblem error={error} onRetry={() => void refetch()} />
    );
  return (
    <>
      <Rows label={t.title}>
        {data.map((member) => {
          const { id, name, email, role, hasSecondFactor, joinedAt } = member;
          const isSelf = id === session?.user.id;
          return (
            <li key={id} className="flex flex-wrap items-center gap-x-4 gap-y-2 px-4 py-3">
              <div className="min-w-52 grow basis-0">
                <p className="flex flex-wrap items-center gap-2">
                  <span className="font-medium wrap-anywhere">{name}</span>
                  {isSelf && <Badge tone="quiet" label={t.you} />}
                  {hasSecondFactor && (
                    <span title={t.secondFactor} className="text-good">
                      <ShieldCheck className="size-4" aria-label={t.secondFactor} />
                    </span>
                  )}
                </p>
                <p className="text-[.9333rem] wrap-anywhere text-soft">
                  {email} · {t.joined} <Time at={joinedAt} />
                </p>
              </div>
              <select
                aria-label={t.roleOf(name)}
                value={role}
                disabled={!may("members.update") || (role === "OWNER" && ownRole !== "OWNER") || setRole.isPending}
                title={refused("members.update") ?? undefined}
                // The options are roles.
                onChange={(event) => setRole.mutate({ id, role: event.target.value as Schemas["Member"]["role"] })}
                className="h-8 rounded-md border border-line bg-surface px-2 disabled:text-soft"
              >
                {[...new Set([...grantableRoles(ownRole), role])].map((one) => (
                  <option key={one} value={one}>
                    {common.roles[one]}
                  </option>
                ))}
              </select>
              <Button
                size="small"
                variant="danger"
                refused={isSelf ? null : refused("members.remove")}
                onClick={() => setAsked(member)}
              >
                {isSelf ? t.leave : t.remove}
              </Button>
            </li>
          );
        })}
      </Rows>
      {asked !== null && (
        <Confirm
          title={asked.id === session?.user.id ? t.leaveTitle : t.removeTitle(asked.name)}
          typed={asked.email}
          action={asked.id === session?.user.id ? t.leave : t.remove}
          busy={remove.isPending}
          error={remove.error}
          onConfirm={() => remove.mutate(asked.id)}
          onClose={() => setAsked(null)}
        >
          {asked.id === session?.user.id ? t.leaveText : t.removeText}
        </Confirm>
      )}
    </>
  );
}
