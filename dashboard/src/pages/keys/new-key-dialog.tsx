/** A new key: what it may do, from where; then the secret, once. */
import { useState } from "react";
import { answerOf } from "../../../../sdk/client.ts";
import { operations } from "../../../../sdk/schema.ts";
import { api } from "../../api/client.ts";
import { commonMessages } from "../../app/common.messages.ts";
import { fieldsOf } from "../../app/form.ts";
import { useChange } from "../../app/mutation.ts";
import { fieldProblems, Problem } from "../../app/problem.tsx";
import { useMessages } from "../../i18n/locale.tsx";
import { Button } from "../../ui/button.tsx";
import { Copyable } from "../../ui/copy-button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { SelectField, TextArea, TextField } from "../../ui/field.tsx";
import { keysMessages } from "./keys.messages.ts";

const accesses = ["full", "read", "write", "own"] as const;
type Access = (typeof accesses)[number];

/** Of the operations that there are: a new area's scopes appear here by themselves. */
const resources = [...new Set(Object.values(operations).map(({ scope }) => scope.slice(0, scope.indexOf(":"))))].sort();

export function NewKeyDialog({ onClose }: { readonly onClose: () => void }) {
  const t = useMessages(keysMessages);
  const common = useMessages(commonMessages);
  const [access, setAccess] = useState<Access>("full");
  const [own, setOwn] = useState<ReadonlySet<string>>(new Set());
  const create = useChange({
    run: (body: { name: string; scopes: string[]; ipAllowlist: string[] }) => answerOf(api.POST("/api-keys", { body })),
    touches: ["api-keys"],
    showsError: true,
  });
  const problems = fieldProblems(create.error);
  const toggle = (scope: string) => {
    const next = new Set(own);
    if (!next.delete(scope)) next.add(scope);
    setOwn(next);
  };
  if (create.isSuccess)
    return (
      <Dialog open onClose={onClose} title={t.made} closeLabel={common.close}>
        <div className="grid gap-4">
          <p>{t.madeHint}</p>
          <Copyable text={create.data.apiKey.key} label={common.copy} doneLabel={common.copied} />
          <Button variant="primary" className="justify-self-end" onClick={onClose}>
            {t.done}
          </Button>
        </div>
      </Dialog>
    );
  return (
    <Dialog open onClose={onClose} title={t.create} closeLabel={common.close}>
      <form
        className="grid gap-4"
        onSubmit={(event) => {
          const field = fieldsOf(event);
          const ipAllowlist = field("addresses")
            .split(/[\s,]+/)
            .filter((one) => one !== "");
          const scopes = access === "full" ? [] : access === "own" ? [...own].sort() : [access];
          create.mutate({ name: field("name").trim(), scopes, ipAllowlist });
        }}
      >
        {create.error !== null && <Problem error={create.error} />}
        <TextField
          label={t.name}
          hint={t.nameHint}
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
        {access === "own" && (
          <fieldset className="grid gap-1 rounded-md border border-line p-3">
            <legend className="px-1 font-medium">{t.scopes}</legend>
            {resources.map((resource) => (
              <div key={resource} className="flex items-center gap-4">
                <span className="code grow">{resource}</span>
                {(["read", "write"] as const).map((kind) => {
                  const scope = `${resource}:${kind}`;
                  return (
                    <label key={kind} className="flex items-center gap-1.5">
                      <input
                        type="checkbox"
                        aria-label={scope}
                        className="size-4 accent-accent"
                        checked={own.has(scope)}
                        onChange={() => toggle(scope)}
                      />
                      {kind === "read" ? t.reads : t.writes}
                    </label>
                  );
                })}
              </div>
            ))}
          </fieldset>
        )}
        <TextArea
          label={t.addresses}
          hint={t.addressesHint}
          error={problems.ipAllowlist}
          name="addresses"
          rows={2}
          spellCheck={false}
          dir="ltr"
          mono
        />
        <div className="flex justify-end gap-2">
          <Button onClick={onClose}>{common.cancel}</Button>
          <Button type="submit" variant="primary" disabled={access === "own" && own.size === 0} busy={create.isPending}>
            {t.create}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
