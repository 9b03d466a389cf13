/** What is on an invoice, in words and in order: the page and the PDF only set it. */
import { type Language, showAmount, showDay } from "../../kernel/language.ts";
import { sayWhatIsSold } from "../../kernel/sale-words.ts";
import type { Buyer, Seller } from "../../platform/database/tables/payments.ts";
import { amountInWords } from "./amount-in-words.ts";
import { invoiceTexts } from "./invoice.texts.ts";
import type { InvoiceDocument } from "./invoices.service.ts";

type Pair = readonly [label: string, value: string];

export interface InvoiceContent {
  readonly language: Language;
  readonly title: string;
  readonly number: string;
  readonly status: { readonly text: string; readonly tone: "good" | "plain" | "bad" };
  readonly seller: {
    readonly label: string;
    readonly name: string;
    readonly lines: readonly string[];
    readonly ids: readonly Pair[];
  };
  readonly buyer: {
    readonly label: string;
    readonly name: string;
    readonly lines: readonly string[];
    readonly ids: readonly Pair[];
  };
  readonly facts: readonly Pair[];
  readonly columns: readonly [description: string, quantity: string, unitPrice: string, amount: string];
  readonly rows: readonly (readonly [description: string, quantity: string, unitPrice: string, amount: string])[];
  readonly totals: readonly Pair[];
  readonly inWords: string;
  /** The seller's identity once more, at the foot of each page. */
  readonly foot: string;
}

export function contentOf(invoice: InvoiceDocument, language: Language): InvoiceContent {
  const texts = invoiceTexts[language];
  const isCreditNote = invoice.kind === "CREDIT_NOTE";
  const { seller, buyer } = invoice;
  const status = invoice.status === "DRAFT" ? "OPEN" : invoice.status;
  const tone = status === "PAID" ? "good" : status === "VOID" ? "bad" : "plain";
  const amount = (minor: number) => showAmount(minor, language);
  const sellerIds = idsOf(seller, language).concat(present([[texts.taxePro, seller.taxePro]]));
  return {
    language,
    title: isCreditNote ? texts.creditNote : texts.invoice,
    number: `${texts.number} ${invoice.number}`,
    status: { text: isCreditNote ? texts.credited : texts.status[status], tone },
    seller: { label: texts.seller, name: seller.name, lines: linesOf(seller.address, seller.email), ids: sellerIds },
    buyer: {
      label: texts.buyer,
      name: buyer.name,
      lines: linesOf(buyer.address, buyer.email),
      ids: idsOf(buyer, language),
    },
    facts: factsOf(invoice, language),
    columns: [texts.description, texts.quantity, texts.unitPrice, texts.amount],
    rows: invoice.lines.map((line) => [
      sayWhatIsSold(line.description, language),
      showNumber(Number(line.quantity), language, 6),
      showUnitPrice(Number(line.unitPriceMinor), language),
      amount(line.amountMinor),
    ]),
    totals: [
      [texts.subtotal, amount(invoice.subtotalMinor)],
      [texts.tax(showNumber(invoice.taxRateBp / 100, language, 2)), amount(invoice.taxMinor)],
      [texts.total, amount(invoice.totalMinor)],
    ],
    inWords: texts.inWords(isCreditNote, amountInWords(Math.abs(invoice.totalMinor), language)),
    // Broken between these alone.
    foot: [seller.name, ...sellerIds.map(([label, value]) => `${label} ${value}`.replaceAll(" ", "\u00a0"))].join(
      " · ",
    ),
  };
}

function factsOf(invoice: InvoiceDocument, language: Language): readonly Pair[] {
  const texts = invoiceTexts[language];
  const { provider, paidAt, servicePeriodStart: from, servicePeriodEnd: to } = invoice;
  const method = provider === null ? null : (texts.providers[provider] ?? provider);
  return present([
    [texts.issuedOn, showDay(invoice.issuedAt, language)],
    [texts.corrects, invoice.correctsNumber],
    [
      texts.servicePeriod,
      from === null || to === null ? null : `${showDay(from, language)} – ${showDay(to, language)}`,
    ],
    [texts.paidBy, method],
    [texts.paymentReference, invoice.providerTxnId],
    [texts.paidOn, paidAt === null || invoice.kind === "CREDIT_NOTE" ? null : showDay(paidAt, language)],
  ]);
}

function idsOf({ ice, taxId, rc }: Seller | Buyer, language: Language): readonly Pair[] {
  return present([
    ["ICE", ice],
    [invoiceTexts[language].taxId, taxId],
    ["RC", rc],
  ]);
}

function present(pairs: readonly (readonly [string, string | null])[]): readonly Pair[] {
  return pairs.flatMap(([label, value]) =>
    value === null || value.trim() === "" ? [] : [[label, plain(value)] as const],
  );
}

function linesOf(address: string | null, email: string | null | undefined): readonly string[] {
  return [...(address ?? "").split(/\r?\n/), email ?? ""].map(plain).filter((line) => line !== "");
}

/** Control characters and marks that turn the direction of text around are nothing that an invoice should hold. */
function plain(text: string): string {
  return text.replaceAll(/[\p{Cc}\u200e\u200f\u202a-\u202e\u2066-\u2069]+/gu, " ").trim();
}

function showNumber(value: number, language: Language, places: number): string {
  const digits = new Intl.NumberFormat("en-US", { maximumFractionDigits: places }).format(value);
  // Not the narrow space that French has here: fonts of PDFs lack it.
  return language === "fr" ? digits.replaceAll(",", "\u00a0").replace(".", ",") : digits;
}

/** Prices of small units have more than two places. */
function showUnitPrice(minor: number, language: Language): string {
  if (Number.isInteger(minor)) return showAmount(minor, language);
  const digits = showNumber(minor / 100, language, 8);
  return language === "fr" ? `${digits}\u00a0MAD` : `MAD\u00a0${digits}`;
}
