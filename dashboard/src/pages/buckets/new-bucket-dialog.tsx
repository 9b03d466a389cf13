import { answerOf } from "../../../../sdk/client.ts";
import { api } from "../../api/client.ts";
import { commonMessages } from "../../app/common.messages.ts";
import { fieldsOf } from "../../app/form.ts";
import { useChange } from "../../app/mutation.ts";
import { fieldProblems, Problem } from "../../app/problem.tsx";
import { useMessages } from "../../i18n/locale.tsx";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { TextField } from "../../ui/field.tsx";
import { bucketsMessages } from "./buckets.messages.ts";

export function NewBucketDialog({
  onClose,
  onDone,
}: {
  readonly onClose: () => void;
  readonly onDone: (id: string) => void;
}) {
  const t = useMessages(bucketsMessages);
  const common = useMessages(commonMessages);
  const create = useChange({
    run: (name: string) => answerOf(api.POST("/buckets", { body: { name } })),
    touches: ["buckets"],
    after: ({ bucket }) => onDone(bucket.id),
    showsError: true,
  });
  const problems = fieldProblems(create.error);
  return (
    <Dialog open onClose={onClose} title={t.create} closeLabel={common.close}>
      <form className="grid gap-4" onSubmit={(event) => create.mutate(fieldsOf(event)("name").trim())}>
        {create.error !== null && <Problem error={create.error} />}
        <TextField
          label={t.name}
          hint={t.nameHint}
          error={problems.name}
          name="name"
          required
          minLength={3}
          maxLength={63}
          pattern="[a-z0-9][a-z0-9\-]*[a-z0-9]"
          mono
          dir="ltr"
          autoComplete="off"
          spellCheck={false}
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
