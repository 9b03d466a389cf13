import { Bell, BellOff, BellRing, History, MoreHorizontal, Pencil, Trash2 } from "lucide-react";
import { useState } from "react";
import { answerOf, type Schemas } from "../../../../sdk/client.ts";
import { alertsQuery } from "../../api/alerts.ts";
import { api } from "../../api/client.ts";
import { commonMessages } from "../../app/common.messages.ts";
import { Confirm } from "../../app/confirm.tsx";
import { ListPage, Row } from "../../app/list.tsx";
import { useChange } from "../../app/mutation.ts";
import { useRights } from "../../app/session.ts";
import { useFormats, useMessages } from "../../i18n/locale.tsx";
import { Button } from "../../ui/button.tsx";
import { Menu } from "../../ui/menu.tsx";
import { AlertDialog } from "./alert-dialog.tsx";
import { AlertHistory } from "./alert-history.tsx";
import { AlertBadge } from "./alert-state.tsx";
import { alertsMessages } from "./alerts.messages.ts";

type Rule = Schemas["AlertRule"];

export function Page() {
  const t = useMessages(alertsMessages);
  return (
    <ListPage
      title={t.title}
      hint={t.hint}
      reads="alerts.list"
      query={alertsQuery()}
      empty={{ icon: <Bell />, title: t.emptyTitle, text: t.empty }}
      create={{
        label: t.create,
        operation: "alerts.create",
        dialog: (close) => <AlertDialog onClose={close} />,
      }}
      row={(rule) => <Alert key={rule.id} rule={rule} />}
    />
  );
}

function Alert({ rule }: { readonly rule: Rule }) {
  const { id, name, enabled } = rule;
  const t = useMessages(alertsMessages);
  const common = useMessages(commonMessages);
  const { number, figure } = useFormats();
  const { refused } = useRights();
  const [open, setOpen] = useState<"edit" | "history" | "delete" | null>(null);
  const close = () => setOpen(null);
  const enable = useChange({
    run: (next: boolean) => answerOf(api.PATCH("/alerts/{id}", { params: { path: { id } }, body: { enabled: next } })),
    touches: ["alerts"],
    done: enabled ? t.disabledDone : t.enabledDone,
  });
  const remove = useChange({
    run: () => answerOf(api.DELETE("/alerts/{id}", { params: { path: { id } } })),
    touches: ["alerts"],
    done: t.deleted,
    after: close,
    showsError: true,
  });
  return (
    <Row
      title={name}
      text={
        <>
          {t.metrics[rule.metric]}{" "}
          <bdi dir="ltr">
            {rule.comparator === "GT" ? ">" : "<"} {number(rule.threshold)}
          </bdi>{" "}
          · {rule.serviceName ?? t.everyService} · {rule.channelName ?? t.everyChannel}
        </>
      }
    >
      {enabled && rule.lastValue !== null && (
        <span className="text-[.9333rem] text-soft">{t.last(figure(rule.lastValue))}</span>
      )}
      <AlertBadge state={rule.state} enabled={enabled} />
      <Menu
        label={`${common.actions}: ${name}`}
        trigger={<Button size="icon" variant="ghost" icon={<MoreHorizontal className="size-4.5" aria-hidden />} />}
        groups={[
          [
            { label: t.history, icon: <History />, onSelect: () => setOpen("history") },
            { label: t.edit, icon: <Pencil />, refused: refused("alerts.update"), onSelect: () => setOpen("edit") },
            {
              label: enabled ? t.disable : t.enable,
              icon: enabled ? <BellOff /> : <BellRing />,
              refused: refused("alerts.update"),
              onSelect: () => enable.mutate(!enabled),
            },
          ],
          [
            {
              label: common.delete,
              icon: <Trash2 />,
              tone: "bad",
              refused: refused("alerts.delete"),
              onSelect: () => setOpen("delete"),
            },
          ],
        ]}
      />
      {open === "edit" && <AlertDialog rule={rule} onClose={close} />}
      {open === "history" && <AlertHistory rule={rule} onClose={close} />}
      {open === "delete" && (
        <Confirm
          title={t.deleteTitle(name)}
          action={common.delete}
          busy={remove.isPending}
          error={remove.error}
          onConfirm={() => remove.mutate()}
          onClose={close}
        >
          {t.deleteText}
        </Confirm>
      )}
    </Row>
  );
}
