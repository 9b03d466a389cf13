import { answerOf, type Schemas } from "../../../../sdk/client.ts";
import { api } from "../../api/client.ts";
import { commonMessages } from "../../app/common.messages.ts";
import { fieldsOf } from "../../app/form.ts";
import { useChange } from "../../app/mutation.ts";
import { Problem } from "../../app/problem.tsx";
import { useMessages } from "../../i18n/locale.tsx";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { TextArea, TextField } from "../../ui/field.tsx";
import { envMessages } from "./env.messages.ts";

export function VariableDialog({
  serviceId,
  variable,
  onClose,
  onDone,
}: {
  readonly serviceId: string;
  readonly variable?: Schemas["EnvVariable"];
  readonly onClose: () => void;
  readonly onDone: () => void;
}) {
  const t = useMessages(envMessages);
  const common = useMessages(commonMessages);
  const save = useChange({
    run: (env: Record<string, string>) =>
      answerOf(api.PATCH("/services/{id}/env", { params: { path: { id: serviceId } }, body: { env } })),
    touches: ["env"],
    after: onDone,
    showsError: true,
  });
  return (
    <Dialog open onClose={onClose} title={variable === undefined ? t.add : variable.name} closeLabel={common.close}>
      <form
        className="grid gap-4"
        onSubmit={(event) => {
          const field = fieldsOf(event);
          save.mutate({ [variable?.name ?? field("name").trim()]: field("value") });
        }}
      >
        {save.error !== null && <Problem error={save.error} />}
        {variable === undefined && (
          <TextField
            label={t.name}
            hint={t.nameProblem}
            name="name"
            required
            pattern="\s*[A-Za-z_][A-Za-z0-9_]*\s*"
            maxLength={200}
            autoComplete="off"
            spellCheck={false}
            mono
          />
        )}
        <TextArea
          label={t.value}
          name="value"
          rows={4}
          defaultValue={variable?.value}
          spellCheck={false}
          autoComplete="off"
          dir="ltr"
          mono
        />
        <div className="flex justify-end gap-2">
          <Button onClick={onClose}>{common.cancel}</Button>
          <Button type="submit" variant="primary" busy={save.isPending}>
            {common.save}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
