/** A new credential: what it may do; then its secret, once, with what clients want to be told. */
import { useState } from "react";
import { answerOf, type Schemas } from "../../../../sdk/client.ts";
import { api } from "../../api/client.ts";
import { commonMessages } from "../../app/common.messages.ts";
import { fieldsOf } from "../../app/form.ts";
import { useChange } from "../../app/mutation.ts";
import { fieldProblems, Problem } from "../../app/problem.tsx";
import { useMessages } from "../../i18n/locale.tsx";
import { Button } from "../../ui/button.tsx";
import { Copyable, CopyButton } from "../../ui/copy-button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { SelectField, TextField } from "../../ui/field.tsx";
import { bucketsMessages } from "./buckets.messages.ts";
import { configurationFor, type Tool, tools } from "./client-configuration.ts";

const accesses = ["READ_WRITE", "READ"] as const;

export function NewCredentialDialog({
  bucket,
  onClose,
}: {
  readonly bucket: Pick<Schemas["BucketDetails"], "id" | "name">;
  readonly onClose: () => void;
}) {
  const t = useMessages(bucketsMessages);
  const common = useMessages(commonMessages);
  const [access, setAccess] = useState<(typeof accesses)[number]>("READ_WRITE");
  const create = useChange({
    run: (name: string) =>
      answerOf(api.POST("/buckets/{id}/credentials", { params: { path: { id: bucket.id } }, body: { name, access } })),
    touches: ["buckets"],
    showsError: true,
  });
  const problems = fieldProblems(create.error);
  if (create.isSuccess) return <Secret bucket={bucket.name} credential={create.data.credential} onClose={onClose} />;
  return (
    <Dialog open onClose={onClose} title={t.newCredential} closeLabel={common.close}>
      <form className="grid gap-4" onSubmit={(event) => create.mutate(fieldsOf(event)("name").trim())}>
        {create.error !== null && <Problem error={create.error} />}
        <TextField
          label={t.credentialName}
          error={problems.name}
          name="name"
          required
          maxLength={60}
          autoComplete="off"
        />
        <SelectField
          label={t.access}
          choices={accesses.map((value) => ({ value, label: t.accesses[value] }))}
          value={access}
          onChange={setAccess}
        />
        <div className="flex justify-end gap-2">
          <Button onClick={onClose}>{common.cancel}</Button>
          <Button type="submit" variant="primary" busy={create.isPending}>
            {t.newCredential}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}

function Secret({
  bucket,
  credential,
  onClose,
}: {
  readonly bucket: string;
  readonly credential: Schemas["BucketCredentialWithSecret"];
  readonly onClose: () => void;
}) {
  const t = useMessages(bucketsMessages);
  const common = useMessages(commonMessages);
  const [tool, setTool] = useState<Tool>("environment");
  const text = configurationFor(tool, { bucket, ...credential });
  return (
    <Dialog open onClose={onClose} title={t.secretTitle} closeLabel={common.close}>
      <div className="grid grid-cols-[minmax(0,1fr)] gap-4">
        <p>{t.secretHint}</p>
        <div className="grid gap-1">
          <p className="font-medium">{t.keyId}</p>
          <Copyable text={credential.accessKeyId} label={common.copy} doneLabel={common.copied} />
        </div>
        <div className="grid gap-1">
          <p className="font-medium">{t.secret}</p>
          <Copyable text={credential.secretAccessKey} label={common.copy} doneLabel={common.copied} />
        </div>
        <SelectField
          label={t.configuration}
          choices={tools.map((value) => ({ value, label: t.tools[value] }))}
          value={tool}
          onChange={setTool}
        />
        <div className="grid gap-2">
          <pre className="code max-h-56 overflow-auto rounded-md border border-line bg-sunken p-3" dir="ltr">
            {text}
          </pre>
          <div className="justify-self-end">
            <CopyButton text={text} label={common.copy} doneLabel={common.copied} visible />
          </div>
        </div>
        <Button variant="primary" className="justify-self-end" onClick={onClose}>
          {t.kept}
        </Button>
      </div>
    </Dialog>
  );
}
