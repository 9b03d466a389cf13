import { type Static, Type } from "typebox";
import { uuidPattern } from "../../kernel/ids.ts";
import { Closed, DateTime, limit, Nullable, Uuid } from "../../operation/schema.ts";

const mad = (description: string, example: number) => Type.Number({ description, examples: [example] });
const text = (description: string, example: string) => Nullable(Type.String({ description, examples: [example] }));

const InvoiceLine = Closed(
  {
    meter: text("What was measured; null for a plan.", "BANDWIDTH"),
    quantity: mad("In the meter's unit.", 1),
    unitPriceMad: mad("Without tax.", 199),
    amountMad: mad("Without tax.", 199),
  },
  { title: "InvoiceLine" },
);

const fields = {
  id: Uuid,
  number: text("Continuous in its series and year; null while it is a draft.", "F-2026-000042"),
  amountMad: mad("With tax; below zero on a credit note.", 238.8),
  status: Type.String({ description: "DRAFT, OPEN, PAID or VOID.", examples: ["PAID"] }),
  plan: text("The plan that was bought.", "PRO"),
  term: text("For how long.", "MONTHLY"),
  provider: text("How it was paid.", "cmi"),
  hostedUrl: text("A page that needs no login, good for 30 days.", "https://ksar.example.com/invoices/…"),
  pdfUrl: text("Likewise, as PDF; `?lang=fr` or `en`.", "https://ksar.example.com/invoices/….pdf"),
  periodStart: Nullable(DateTime),
  servicePeriodStart: Nullable(DateTime),
  servicePeriodEnd: Nullable(DateTime),
  createdAt: DateTime,
  lines: Type.Array(InvoiceLine),
};

export const Invoice = Closed(fields, { title: "Invoice" });
export type Invoice = Static<typeof Invoice>;

const minor = (description: string, example: number) => Nullable(Type.Integer({ description, examples: [example] }));
const party = (description: string, example: object) =>
  Type.Unsafe<object | null>({
    description: `${description} As it was when the invoice was issued; null while it is a draft.`,
    examples: [example],
  });

export const FullInvoice = Closed(
  {
    ...fields,
    subtotalMinor: minor("Without tax, in santimat.", 19_900),
    taxMinor: minor("In santimat.", 3980),
    taxRateBp: minor("In hundredths of a percent.", 2000),
    seller: party("Who issued it.", { name: "Exemple Cloud SARL", ice: "001234567000089", taxId: "12345678" }),
    buyer: party("To whom it is made out.", { name: "Atlas SARL", ice: null, taxId: null }),
    totalMad: mad("With tax.", 238.8),
    subtotalMad: mad("Without tax.", 199),
    taxMad: mad("The tax.", 39.8),
  },
  { title: "FullInvoice" },
);
export type FullInvoice = Static<typeof FullInvoice>;

export const InvoicePage = Closed({
  rows: Type.Array(Invoice),
  nextCursor: Nullable(Type.String({ description: "`cursor` of the next page; null on the last one." })),
});
export type InvoicePage = Static<typeof InvoicePage>;

export const InvoiceQuery = Closed({
  limit: limit(100, 20),
  cursor: Type.Optional(
    Type.String({
      format: "uuid",
      pattern: uuidPattern,
      description: "`nextCursor` of the page before; the first page when left out.",
    }),
  ),
});
