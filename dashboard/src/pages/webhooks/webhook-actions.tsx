import { KeyRound, MoreHorizontal, Pencil, Power, Send, Trash2 } from "lucide-react";
import { useState } from "react";
import { answerOf, type Schemas } from "../../../../sdk/client.ts";
import { api } from "../../api/client.ts";
import { commonMessages } from "../../app/common.messages.ts";
import { Confirm } from "../../app/confirm.tsx";
import { useRemoval } from "../../app/detail.tsx";
import { useChange } from "../../app/mutation.ts";
import { useRights } from "../../app/session.ts";
import { useMessages } from "../../i18n/locale.tsx";
import { paths } from "../../paths.ts";
import { Button } from "../../ui/button.tsx";
import { Menu } from "../../ui/menu.tsx";
import { SecretDialog } from "./secret-dialog.tsx";
import { WebhookDialog } from "./webhook-dialog.tsx";
import { webhooksMessages } from "./webhooks.messages.ts";

export function WebhookActions({ webhook }: { readonly webhook: Schemas["Webhook"] }) {
  const { id, url, enabled } = webhook;
  const t = useMessages(webhooksMessages);
  const common = useMessages(commonMessages);
  const { refused } = useRights();
  const [open, setOpen] = useState<"edit" | "disable" | "rotate" | "delete" | null>(null);
  const close = () => setOpen(null);
  const path = { id };
  const test = useChange({
    run: () => answerOf(api.POST("/webhooks/{id}/test", { params: { path } })),
    touches: ["webhooks"],
    done: t.testDone,
  });
  const enable = useChange({
    run: (next: boolean) => answerOf(api.PATCH("/webhooks/{id}", { params: { path }, body: { enabled: next } })),
    touches: ["webhooks"],
    done: enabled ? t.disabledDone : t.enabledDone,
    after: close,
  });
  const rotate = useChange({
    run: () => answerOf(api.POST("/webhooks/{id}/rotate-secret", { params: { path } })),
    touches: [],
    after: close,
    showsError: true,
  });
  const remove = useRemoval({
    run: () => answerOf(api.DELETE("/webhooks/{id}", { params: { path } })),
    done: t.deleted,
    list: paths.webhooks,
    touches: "webhooks",
  });
  return (
    <>
      <Button
        variant="primary"
        icon={<Send className="size-4" aria-hidden />}
        refused={refused("webhooks.test")}
        busy={test.isPending}
        onClick={() => test.mutate()}
      >
        {t.test}
      </Button>
      <Menu
        label={common.actions}
        trigger={<Button size="icon" icon={<MoreHorizontal className="size-4.5" aria-hidden />} />}
        groups={[
          [
            { label: t.edit, icon: <Pencil />, refused: refused("webhooks.update"), onSelect: () => setOpen("edit") },
            {
              label: enabled ? t.disable : t.enable,
              icon: <Power />,
              refused: refused("webhooks.update"),
              onSelect: () => (enabled ? setOpen("disable") : enable.mutate(true)),
            },
            {
              label: t.rotate,
              icon: <KeyRound />,
              refused: refused("webhooks.rotateSecret"),
              onSelect: () => setOpen("rotate"),
            },
          ],
          [
            {
              label: common.delete,
              icon: <Trash2 />,
              tone: "bad",
              refused: refused("webhooks.delete"),
              onSelect: () => setOpen("delete"),
            },
          ],
        ]}
      />
      {open === "edit" && <WebhookDialog webhook={webhook} onClose={close} />}
      {open === "disable" && (
        <Confirm
          title={t.disableTitle(url)}
          action={t.disable}
          busy={enable.isPending}
          onConfirm={() => enable.mutate(false)}
          onClose={close}
        >
          {t.disableText}
        </Confirm>
      )}
      {open === "rotate" && (
        <Confirm
          title={t.rotateTitle}
          action={t.rotate}
          busy={rotate.isPending}
          error={rotate.error}
          onConfirm={() => rotate.mutate()}
          onClose={close}
        >
          {t.rotateText}
        </Confirm>
      )}
      {rotate.data !== undefined && <SecretDialog secret={rotate.data.webhook.secret} onClose={() => rotate.reset()} />}
      {open === "delete" && (
        <Confirm
          title={t.deleteTitle}
          action={common.delete}
          busy={remove.isPending}
          error={remove.error}
          onConfirm={() => remove.mutate()}
          onClose={close}
        >
          <span className="code wrap-anywhere">{url}</span>
          <p>{t.deleteText}</p>
        </Confirm>
      )}
    </>
  );
}
