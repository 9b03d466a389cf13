import { type Examples, id, nextNumber, nothing, type World } from "./world.ts";

export async function newInvoice({ api, account }: World): Promise<string> {
  const { database, payments } = api.controlPlane;
  const invoice = {
    accountId: account.accountId,
    plan: "PRO",
    term: "MONTHLY",
    provider: "sandbox",
    providerTxnId: `example-${nextNumber()}`,
    periodStart: new Date("2026-11-01T00:00:00Z"),
    servicePeriodStart: null,
    servicePeriodEnd: null,
    lines: [{ meter: null, description: "PRO", quantity: 1, unitPriceMinor: 19_900, amountMinor: 19_900 }],
    taxRateBp: 2000,
  };
  return (await database.transaction().execute((transaction) => payments.invoices.issue(transaction, invoice))).id;
}

export const paymentsExamples: Examples = {
  "billing.identity": nothing,
  "billing.setIdentity": async () => ({
    body: { billingName: `Atlas ${nextNumber()}`, billingEmail: "compta@atlas.example", billingIce: null },
  }),
  "billing.invoices": async () => ({ query: "limit=5" }),
  "billing.invoice": (world) => id(newInvoice(world)),
};
