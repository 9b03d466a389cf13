/** A new webhook, and its secret once; or where an existing one delivers, and what. */
import { useState } from "react";
import { answerOf, type Schemas } from "../../../../sdk/client.ts";
import { api } from "../../api/client.ts";
import { commonMessages } from "../../app/common.messages.ts";
import { fieldsOf } from "../../app/form.ts";
import { useChange } from "../../app/mutation.ts";
import { fieldProblems, Problem } from "../../app/problem.tsx";
import { useMessages } from "../../i18n/locale.tsx";
import { Button } from "../../ui/button.tsx";
import { CheckList } from "../../ui/check-list.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { TextField } from "../../ui/field.tsx";
import { SecretDialog } from "./secret-dialog.tsx";
import { webhooksMessages } from "./webhooks.messages.ts";

type Event = Schemas["Webhook"]["events"][number];
const events = [
  "DEPLOYMENT_CREATED",
  "SERVICE_CREATED",
  "SERVICE_DELETED",
  "DATABASE_CREATED",
  "PING",
] as const satisfies readonly Event[];

export function WebhookDialog({
  webhook,
  onClose,
  onCreated,
}: {
  readonly webhook?: Schemas["Webhook"];
  readonly onClose: () => void;
  readonly onCreated?: (id: string) => void;
}) {
  const t = useMessages(webhooksMessages);
  const common = useMessages(commonMessages);
  const [chosen, setChosen] = useState<readonly Event[]>(webhook?.events ?? []);
  const [made, setMade] = useState<Schemas["WebhookWithSecret"] | null>(null);
  const save = useChange({
    run: async (url: string) => {
      const body = { url, events: [...chosen] };
      if (webhook === undefined) return (await answerOf(api.POST("/webhooks", { body }))).webhook;
      await answerOf(api.PATCH("/webhooks/{id}", { params: { path: { id: webhook.id } }, body }));
      return null;
    },
    touches: ["webhooks"],
    ...(webhook === undefined ? {} : { done: common.saved }),
    after: (created) => (created === null ? onClose() : setMade(created)),
    showsError: true,
  });
  const problems = fieldProblems(save.error);
  if (made !== null)
    return (
      <SecretDialog
        secret={made.secret}
        onClose={() => {
          onClose();
          onCreated?.(made.id);
        }}
      />
    );
  return (
    <Dialog open onClose={onClose} title={webhook === undefined ? t.create : t.edit} closeLabel={common.close}>
      <form
        className="grid grid-cols-[minmax(0,1fr)] gap-4"
        onSubmit={(event) => save.mutate(fieldsOf(event)("url").trim())}
      >
        {save.error !== null && <Problem error={save.error} />}
        <TextField
          label={t.url}
          hint={t.urlHint}
          error={problems.url}
          name="url"
          type="url"
          required
          maxLength={2048}
          autoComplete="off"
          dir="ltr"
          defaultValue={webhook?.url}
        />
        <CheckList
          label={t.events}
          hint={t.eventsHint}
          choices={events.map((value) => ({ value, label: t.event[value] }))}
          chosen={chosen}
          onChange={setChosen}
        />
        <div className="flex justify-end gap-2">
          <Button onClick={onClose}>{common.cancel}</Button>
          <Button type="submit" variant="primary" busy={save.isPending}>
            {webhook === undefined ? t.create : common.save}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
