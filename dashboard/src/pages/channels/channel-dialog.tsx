import { useState } from "react";
import { answerOf } from "../../../../sdk/client.ts";
import { api } from "../../api/client.ts";
import { commonMessages } from "../../app/common.messages.ts";
import { fieldsOf } from "../../app/form.ts";
import { useChange } from "../../app/mutation.ts";
import { fieldProblems, Problem } from "../../app/problem.tsx";
import { useMessages } from "../../i18n/locale.tsx";
import { Button } from "../../ui/button.tsx";
import { CheckList } from "../../ui/check-list.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { SelectField, TextField } from "../../ui/field.tsx";
import { type ChannelEvent, channelEvents } from "./channel-events.ts";
import { channelsMessages } from "./channels.messages.ts";

const types = ["EMAIL", "WEBHOOK"] as const;

export function ChannelDialog({
  onClose,
  onCreated,
}: {
  readonly onClose: () => void;
  readonly onCreated: (id: string) => void;
}) {
  const t = useMessages(channelsMessages);
  const common = useMessages(commonMessages);
  const [type, setType] = useState<(typeof types)[number]>("EMAIL");
  const [events, setEvents] = useState<readonly ChannelEvent[]>(["DEPLOY_FAILED"]);
  const create = useChange({
    run: ({ target, secret }: { target: string; secret: string }) =>
      answerOf(
        api.POST("/channels", { body: { type, target, events: [...events], ...(secret === "" ? {} : { secret }) } }),
      ),
    touches: ["channels"],
    after: ({ id }) => {
      onClose();
      onCreated(id);
    },
    showsError: true,
  });
  const problems = fieldProblems(create.error);
  return (
    <Dialog open onClose={onClose} title={t.create} closeLabel={common.close}>
      <form
        className="grid grid-cols-[minmax(0,1fr)] gap-4"
        onSubmit={(event) => {
          const field = fieldsOf(event);
          create.mutate({ target: field("target").trim(), secret: type === "WEBHOOK" ? field("secret") : "" });
        }}
      >
        {create.error !== null && <Problem error={create.error} />}
        <SelectField
          label={t.type}
          choices={types.map((value) => ({ value, label: t.types[value] }))}
          value={type}
          onChange={setType}
        />
        <TextField
          key={type}
          label={type === "EMAIL" ? t.email : t.url}
          hint={type === "EMAIL" ? undefined : t.urlHint}
          error={problems.target}
          name="target"
          type={type === "EMAIL" ? "email" : "url"}
          required
          maxLength={500}
          autoComplete="off"
          dir="ltr"
        />
        {type === "WEBHOOK" && (
          <TextField
            label={t.secret}
            optional={common.optional}
            hint={t.secretHint}
            error={problems.secret}
            name="secret"
            maxLength={200}
            autoComplete="off"
            spellCheck={false}
            dir="ltr"
            mono
          />
        )}
        <CheckList
          label={t.events}
          hint={t.eventsHint}
          choices={channelEvents.map((value) => ({ value, label: t.event[value] }))}
          chosen={events}
          onChange={setEvents}
        />
        <div className="flex justify-end gap-2">
          <Button onClick={onClose}>{common.cancel}</Button>
          <Button type="submit" variant="primary" busy={create.isPending}>
            {t.create}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
