/** To whom invoices are made out. */
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { answerOf, type Schemas } from "../../../../sdk/client.ts";
import { api } from "../../api/client.ts";
import { commonMessages } from "../../app/common.messages.ts";
import { fieldsOf } from "../../app/form.ts";
import { Needs } from "../../app/guard.tsx";
import { Loaded } from "../../app/loaded.tsx";
import { useChange } from "../../app/mutation.ts";
import { fieldProblems, Problem } from "../../app/problem.tsx";
import { Unsaved } from "../../app/unsaved.tsx";
import { useMessages } from "../../i18n/locale.tsx";
import { Button } from "../../ui/button.tsx";
import { Card, Section } from "../../ui/card.tsx";
import { TextArea, TextField } from "../../ui/field.tsx";
import { papersMessages } from "./papers.messages.ts";

export function Page() {
  const t = useMessages(papersMessages);
  return (
    <Needs operation="billing.identity">
      <Section title={t.identity} hint={t.identityHint}>
        <Identity />
      </Section>
    </Needs>
  );
}

type Fields = Schemas["BillingIdentity"];

function Identity() {
  const query = useQuery({
    queryKey: ["billing", "identity"],
    queryFn: ({ signal }) => answerOf(api.GET("/billing/identity", { signal })),
  });
  return (
    <Loaded query={query} rows={4}>
      {({ accountName, ...fields }) => (
        <IdentityForm key={JSON.stringify(fields)} accountName={accountName} fields={fields} />
      )}
    </Loaded>
  );
}

function IdentityForm({ accountName, fields }: { readonly accountName: string; readonly fields: Fields }) {
  const t = useMessages(papersMessages);
  const common = useMessages(commonMessages);
  const save = useChange({
    run: (body: Fields) => answerOf(api.PUT("/billing/identity", { body })),
    touches: ["billing"],
    done: common.saved,
    after: () => setDirty(false),
    showsError: true,
  });
  const [isDirty, setDirty] = useState(false);
  const problems = fieldProblems(save.error);
  const shared = (name: keyof Fields, maxLength: number) => ({
    name,
    maxLength,
    error: problems[name],
    defaultValue: fields[name] ?? "",
  });
  return (
    <Card className="p-4 sm:p-5">
      <Unsaved when={isDirty} />
      <form
        onChange={() => setDirty(true)}
        className="grid gap-4 sm:grid-cols-2"
        onSubmit={(event) => {
          const field = fieldsOf(event);
          save.mutate({
            billingName: field("billingName"),
            billingEmail: field("billingEmail"),
            billingAddress: field("billingAddress"),
            billingIce: field("billingIce"),
            billingTaxId: field("billingTaxId"),
            billingRc: field("billingRc"),
          });
        }}
      >
        {save.error !== null && (
          <div className="sm:col-span-2">
            <Problem error={save.error} />
          </div>
        )}
        <TextField
          label={t.name}
          hint={t.nameHint(accountName)}
          autoComplete="organization"
          {...shared("billingName", 200)}
        />
        <TextField label={t.email} type="email" autoComplete="email" {...shared("billingEmail", 320)} />
        <div className="sm:col-span-2">
          <TextArea label={t.address} rows={3} autoComplete="street-address" {...shared("billingAddress", 500)} />
        </div>
        <TextField label={t.ice} hint={t.iceHint} autoComplete="off" {...shared("billingIce", 32)} />
        <TextField label={t.taxId} hint={t.taxIdHint} autoComplete="off" {...shared("billingTaxId", 32)} />
        <TextField label={t.rc} hint={t.rcHint} autoComplete="off" {...shared("billingRc", 32)} />
        <Button type="submit" className="self-end justify-self-end" busy={save.isPending}>
          {common.save}
        </Button>
      </form>
    </Card>
  );
}
