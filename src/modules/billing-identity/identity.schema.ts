import { type Static, Type } from "typebox";
import { Closed, Nullable } from "../../operation/schema.ts";

function field(maxLength: number, description: string, example: string) {
  return Nullable(Type.String({ maxLength, description, examples: [example] }));
}

const fields = {
  billingEmail: field(320, "An email address: where invoices are meant to go.", "comptabilite@atlas.example"),
  billingName: field(200, "To whom invoices are made out; the account's name when null.", "Atlas SARL"),
  billingAddress: field(500, "On as many lines as it has.", "12, rue des Orangers\n20000 Casablanca"),
  billingIce: field(32, "Identifiant commun de l'entreprise.", "001234567000089"),
  billingTaxId: field(32, "Identifiant fiscal (IF).", "12345678"),
  billingRc: field(32, "Number in the commercial register (RC).", "98765 Casablanca"),
};

export const BillingIdentity = Closed(fields, { title: "BillingIdentity" });
export type BillingIdentity = Static<typeof BillingIdentity>;

export const BillingIdentityWithName = Closed({
  accountName: Type.String({ description: "Read only.", examples: ["Atlas"] }),
  ...fields,
});
export type BillingIdentityWithName = Static<typeof BillingIdentityWithName>;

export const BillingIdentityChanges = Type.Partial(Closed(fields), { additionalProperties: false });
export type BillingIdentityChanges = Static<typeof BillingIdentityChanges>;
