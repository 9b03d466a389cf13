import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { buffer } from "node:stream/consumers";
import { inflateSync } from "node:zlib";
import { expect, test } from "vitest";
import { terms } from "../../kernel/billing-period.ts";
import { findInvoiceFont } from "../../main/invoice-font.ts";
import { meters, planNames } from "../billing/catalogue/catalogue.ts";
import { describe } from "../billing/subscriptions/plan-terms.ts";
import { contentOf } from "./invoice-content.ts";
import { renderInvoice } from "./invoice-pdf.ts";
import type { InvoiceDocument } from "./invoices.service.ts";
import { visualOrder } from "./text-direction.ts";

const line = {
  invoiceId: "i",
  meter: null,
  description: "Plan PRO",
  quantity: "1",
  unitPriceMinor: "19900",
  amountMinor: 19_900,
};

const invoice: InvoiceDocument = {
  id: "i",
  accountId: "a",
  kind: "INVOICE",
  correctsId: null,
  correctsNumber: null,
  status: "PAID",
  number: "F-2026-000042",
  plan: "PRO",
  term: "MONTHLY",
  provider: "cmi",
  providerTxnId: "26325KXVJ12345",
  periodStart: null,
  servicePeriodStart: new Date("2026-11-21T00:00:00Z"),
  servicePeriodEnd: new Date("2026-12-21T00:00:00Z"),
  subtotalMinor: 19_900,
  taxRateBp: 2000,
  taxMinor: 3980,
  totalMinor: 23_880,
  seller: { name: "Exemple Cloud", address: "Casablanca", ice: "0011", taxId: "22", rc: "33", taxePro: "44" },
  buyer: { name: "Atlas", email: null, address: null, ice: "55", taxId: null, rc: null },
  createdAt: new Date("2026-11-21T10:00:00Z"),
  issuedAt: new Date("2026-11-21T10:00:00Z"),
  paidAt: new Date("2026-11-21T10:00:00Z"),
  voidedAt: null,
  reference: null,
  lines: [line],
};

const font = findInvoiceFont(null);

async function render(
  change: Partial<InvoiceDocument>,
  language: "fr" | "en" = "fr",
  withFont = font,
): Promise<Buffer> {
  return buffer(await renderInvoice(contentOf({ ...invoice, ...change }, language), withFont));
}

/** The text that was drawn in PDF's own fonts, page by page. */
function textOf(pdf: Buffer): string[] {
  const raw = pdf.toString("latin1");
  const streams = [...raw.matchAll(/\/Length (\d+)\n\/Filter \/FlateDecode\n>>\nstream\n/g)].map(
    ({ index, 0: head, 1: length }) =>
      inflateSync(pdf.subarray(index + head.length, index + head.length + Number(length))).toString("latin1"),
  );
  const shown = (content: string) =>
    [...content.matchAll(/\[(.*?)\] TJ/g)].map(([, parts = ""]) =>
      [...parts.matchAll(/<([0-9a-f]*)>/g)]
        .map(([, hex = ""]) => new TextDecoder("windows-1252").decode(Buffer.from(hex, "hex")))
        .join(""),
    );
  return streams.filter((content) => content.includes(" TJ")).map((content) => shown(content).join("\n"));
}

test("the PDF has what the law asks for", async () => {
  const pages = textOf(await render({}));
  expect(pages).toHaveLength(1);
  for (const text of [
    "Facture",
    "N° F-2026-000042",
    "Exemple Cloud",
    "ICE : 0011",
    "IF : 22",
    "RC : 33",
    "Taxe professionnelle : 44",
    "ICE : 55",
    "21 novembre 2026",
    "Carte bancaire (CMI)",
    "26325KXVJ12345",
    "Total HT",
    "TVA 20 %",
    "Total TTC",
    "238,80\u00a0MAD",
    "Page 1 / 1",
  ])
    expect(pages[0], text).toContain(text);
  expect(pages[0]?.replaceAll("\n", " ")).toContain(
    "à la somme de : deux cent trente-huit dirhams et quatre-vingts centimes",
  );
  const english = textOf(await render({}, "en"))[0];
  for (const text of ["Invoice", "VAT (TVA) 20%", "MAD\u00a0238.80", "Page 1 of 1"])
    expect(english, text).toContain(text);
});

test("many lines make more pages, each with the head of the table and its number", async () => {
  const pages = textOf(
    await render({ lines: Array.from({ length: 120 }, (_none, n) => ({ ...line, description: `Ligne ${n}.` })) }),
  );
  expect(pages.length).toBeGreaterThan(3);
  for (const [index, text] of pages.entries()) {
    expect(text).toContain(`Page ${index + 1} / ${pages.length}`);
    expect(text).toContain("Désignation");
  }
  const all = pages.join("\n");
  for (let n = 0; n < 120; n++) expect(all).toContain(`Ligne ${n}.`);
  expect(pages.at(-1)).toContain("Total TTC");
});

test("hostile and endless text does no harm", async () => {
  const endless = "x".repeat(3000);
  const buyer = { ...invoice.buyer, name: `${endless} 😀 \u0000 ﷽ ‮`, address: `${endless}\n`.repeat(2) };
  for (const withFont of [font, null])
    expect((await render({ buyer }, "fr", withFont)).subarray(0, 5).toString()).toBe("%PDF-");
});

test("without a font for them, other letters are shown as question marks", async () => {
  expect(textOf(await render({ buyer: { ...invoice.buyer, name: "Atlas أطلس" } }, "fr", null))[0]).toContain(
    "Atlas ????",
  );
});

test("right-to-left words stand in the order in which they are seen", () => {
  expect(visualOrder(["شركة", "الأطلس"], true)).toEqual(["الأطلس", "شركة"]);
  expect(visualOrder(["Société", "شركة", "الأطلس", "SARL"], false)).toEqual(["Société", "الأطلس", "شركة", "SARL"]);
  expect(visualOrder(["شركة", "Atlas", "Web", "الأطلس"], true)).toEqual(["الأطلس", "Atlas", "Web", "شركة"]);
});

// Where the machine has it: what another program makes of the file.
test.runIf(existsSync("/usr/bin/pdftotext") && font !== null)("another program reads the Arabic name", async () => {
  const pdf = await render({ buyer: { ...invoice.buyer, name: "شركة نور" } });
  const text = execFileSync("pdftotext", ["-", "-"], { input: pdf }).toString();
  expect(text.normalize("NFKC")).toContain("شركة نور");
});

test("what the platform sells is said in the paper's language, and what a person wrote stays as it is", () => {
  const said = (description: string, language: "fr" | "en") =>
    contentOf({ ...invoice, lines: [{ ...line, description }] }, language).rows[0]?.[0];
  for (const plan of planNames)
    for (const term of terms) {
      const description = describe(plan, term);
      expect(said(description, "en")).toBe(description);
      expect(said(description, "fr")).toMatch(new RegExp(`^Offre ${plan} pour (un mois|trois mois|un an)$`));
    }
  for (const meter of meters)
    expect(said(`Use past the allowance: ${meter.toLowerCase().replaceAll("_", " ")}`, "fr")).toMatch(
      /^Consommation au-delà du forfait : \D+$/,
    );
  expect(said("What was left of the plan before", "fr")).toBe("Reste de l’offre précédente");
  for (const own of ["Panne du 12", "Plan B for ever", "constructor", "Use past the allowance: toString"])
    expect(said(own, "fr")).toBe(own);
});
