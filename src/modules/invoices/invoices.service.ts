/**
 * Invoices and the credit notes that correct them.
 *
 *   DRAFT ──► OPEN ──► PAID          a draft has no number and may still change
 *     │        └─────► VOID          a void invoice keeps its number
 *     └──────────────► PAID          paid before it was issued, as all that is bought from credit or at a checkout
 *
 * Tables: `invoices`, `invoice_lines`, `invoice_counters`. Once issued, an invoice never changes but for being paid or
 * made void: triggers refuse it, to us as well. A paid one is corrected by a credit note, of a series of its own.
 *
 * Numbers (F-2026-000042, A-2026-000007) run without gap or repeat in their series and year, the year being Morocco's.
 * The counter's row is locked from the moment a number is given until the transaction has committed; a rollback or a
 * `kill -9` gives the number back with everything else. So whoever issues does that last in their transaction: all
 * others who issue wait for it.
 *
 * Amounts: each line is rounded by whoever made it; the subtotal is their sum, and the tax is taken once of that, half
 * a santimat up. What a hostile tenant would try: another account's invoice (every query asks by account id), markup or
 * line breaks in their billing identity (escaped in pages, drawn as text in PDFs).
 */
import type { Clock } from "../../kernel/clock.ts";
import { DomainError, notFound } from "../../kernel/errors.ts";
import { newId } from "../../kernel/ids.ts";
import { madOfMinor, taxOn, taxOnPart } from "../../kernel/money.ts";
import type { Caller } from "../../operation/caller.ts";
import type { Database, Executor } from "../../platform/database/database.ts";
import type { Buyer, Seller } from "../../platform/database/tables/payments.ts";
import type { InvoiceLinks } from "./invoice-links.ts";
import * as repo from "./invoices.repo.ts";
import type { FullInvoice, Invoice, InvoicePage } from "./invoices.schema.ts";

export interface NewInvoiceLine {
  /** null for what no meter measures. */
  readonly meter: string | null;
  readonly description: string;
  readonly quantity: number;
  /** Without tax; may be a fraction, as prices of small units are. */
  readonly unitPriceMinor: number;
  /** Without tax, whole; below zero for what is taken off. */
  readonly amountMinor: number;
}

export interface NewInvoice {
  readonly accountId: string;
  readonly plan: string | null;
  readonly term: string | null;
  /** How it was paid; null: it is not paid yet, and stays OPEN. */
  readonly provider: string | null;
  readonly providerTxnId: string | null;
  readonly periodStart: Date | null;
  readonly servicePeriodStart: Date | null;
  readonly servicePeriodEnd: Date | null;
  readonly lines: readonly NewInvoiceLine[];
  /** In hundredths of a percent. */
  readonly taxRateBp: number;
}

export interface IssuedInvoice {
  readonly id: string;
  readonly number: string;
}

/** A credit note that is being made. */
export interface Correction {
  readonly id: string;
  readonly accountId: string;
  /** The invoice's number. */
  readonly corrects: string;
  readonly plan: string | null;
  readonly servicePeriodEnd: Date | null;
  readonly netMinor: number;
  readonly taxMinor: number;
}

/** An issued invoice with all that is on it: what the page and the PDF show. */
export interface InvoiceDocument extends repo.InvoiceRow {
  readonly number: string;
  readonly issuedAt: Date;
  readonly seller: Seller;
  readonly buyer: Buyer;
  readonly lines: readonly repo.LineRow[];
}

export interface InvoicesOptions {
  readonly database: Database;
  readonly clock: Clock;
  readonly links: InvoiceLinks;
  readonly seller: () => Seller;
  readonly buyer: (executor: Executor, accountId: string) => Promise<Buyer>;
}

const exportPage = 100;

export class InvoicesService {
  readonly #options: InvoicesOptions;

  constructor(options: InvoicesOptions) {
    this.#options = options;
  }

  /** Writes it and gives it its number: to be called last in a transaction. */
  async issue(transaction: Executor, invoice: NewInvoice): Promise<IssuedInvoice> {
    const id = await this.#draft(transaction, invoice, null);
    return this.#number(transaction, "F", invoice.accountId, id, invoice.provider !== null);
  }

  /** An invoice to be issued later, or never. */
  draft(transaction: Executor, invoice: NewInvoice): Promise<string> {
    return this.#draft(transaction, invoice, null);
  }

  async issueDraft(transaction: Executor, accountId: string, id: string): Promise<IssuedInvoice> {
    const row = await repo.findInvoice(transaction, accountId, id);
    if (row === undefined) throw notFound("invoice");
    if (row.status !== "DRAFT") throw new DomainError("conflict", `The invoice was issued already, as ${row.number}.`);
    return this.#number(transaction, "F", accountId, id, row.provider !== null);
  }

  /** An OPEN invoice was paid. Throws `conflict` when it is not open. */
  async markPaid(
    transaction: Executor,
    accountId: string,
    id: string,
    payment: { readonly provider: string; readonly providerTxnId: string | null },
  ): Promise<void> {
    const paidAt = this.#options.clock.now();
    if (!(await repo.settleInvoice(transaction, accountId, id, { status: "PAID", paidAt, ...payment })))
      throw notOpen("paid");
  }

  /** For the operator: an OPEN invoice that should not be paid. It keeps its number. */
  async makeVoid(transaction: Executor, number: string): Promise<{ id: string; accountId: string }> {
    const row = await this.#numbered(transaction, number);
    const voidedAt = this.#options.clock.now();
    if (!(await repo.settleInvoice(transaction, row.accountId, row.id, { status: "VOID", voidedAt })))
      throw notOpen("made void");
    return { id: row.id, accountId: row.accountId };
  }

  /**
   * For the operator: takes back an issued invoice, or `amountMinor` (without tax) of it; never more than it was for, and
   * once for a reference. `move` is told of the note before it has its number, in the same transaction.
   */
  async credit(
    transaction: Executor,
    number: string,
    asked: { readonly reason: string; readonly reference: string; readonly amountMinor: number | null },
    move: (note: Correction) => Promise<void>,
  ): Promise<IssuedInvoice & { readonly accountId: string; readonly totalMinor: number; readonly isNew: boolean }> {
    const { reason, reference, amountMinor } = asked;
    if ([reason, reference].some((text) => text.trim() === "" || text.length > 200))
      throw new DomainError("validation_failed", "--reason and --reference should have 1 to 200 characters.");
    const row = await this.#numbered(transaction, number);
    if (row.kind !== "INVOICE") throw new DomainError("conflict", `${number} is a credit note itself.`);
    const { id: correctsId, accountId, plan, term, taxRateBp, periodStart, servicePeriodStart, servicePeriodEnd } = row;
    const known = await repo.findCorrection(transaction, accountId, correctsId, reference);
    if (known !== undefined) {
      if (amountMinor !== null && amountMinor !== -known.subtotalMinor)
        throw new DomainError(
          "conflict",
          `With this reference ${known.number} credits ${madOfMinor(-known.subtotalMinor)} MAD: use another --reference for another credit note.`,
        );
      return { ...known, number: known.number ?? "", accountId, isNew: false };
    }
    if (row.status !== "PAID")
      throw new DomainError(
        "conflict",
        `${number} is ${row.status}: only a paid invoice is corrected by a credit note.`,
      );
    const credited = await repo.creditedMinor(transaction, accountId, correctsId);
    const rest = row.subtotalMinor - credited.netMinor;
    const netMinor = amountMinor ?? rest;
    if (!Number.isSafeInteger(netMinor) || netMinor <= 0 || netMinor > rest)
      throw new DomainError(
        "conflict",
        `Of ${number} ${madOfMinor(rest)} MAD without tax can still be credited: ask for no more, and for more than nothing.`,
      );
    // Parts of one sum, as on the invoice: all of them together give back its tax, and not a santimat more.
    const taxMinor = taxOnPart(netMinor, credited.netMinor, credited.taxMinor, taxRateBp);
    const id = await this.#draft(
      transaction,
      {
        ...{ accountId, plan, term, taxRateBp, periodStart, servicePeriodStart, servicePeriodEnd },
        provider: null,
        providerTxnId: null,
        lines: [{ meter: null, description: reason, quantity: 1, unitPriceMinor: -netMinor, amountMinor: -netMinor }],
      },
      { correctsId, reference, taxMinor: -taxMinor },
    );
    await move({ id, accountId, corrects: number, plan, servicePeriodEnd, netMinor, taxMinor });
    const issued = await this.#number(transaction, "A", accountId, id, true);
    return { ...issued, accountId, totalMinor: -(netMinor + taxMinor), isNew: true };
  }

  async list(caller: Caller, limit: number, cursor: string | null): Promise<InvoicePage> {
    const { database } = this.#options;
    const rows = await repo.listInvoices(database, caller.accountId, limit + 1, cursor);
    const kept = rows.slice(0, limit);
    const shown = await this.#withLines(kept);
    return {
      rows: shown.map(({ row, lines }) => this.#present(row, lines)),
      nextCursor: rows.length > limit ? (kept.at(-1)?.id ?? null) : null,
    };
  }

  async get(caller: Caller, id: string): Promise<FullInvoice> {
    const row = await repo.findInvoice(this.#options.database, caller.accountId, id);
    if (row === undefined) throw notFound("invoice");
    return this.#presentInFull(row, await repo.listLines(this.#options.database, [id]));
  }

  /** All of an account's, newest first, page by page. */
  async *pages(accountId: string): AsyncGenerator<readonly FullInvoice[]> {
    let after: string | null = null;
    for (;;) {
      const rows: repo.InvoiceRow[] = await repo.listInvoices(this.#options.database, accountId, exportPage, after);
      yield (await this.#withLines(rows)).map(({ row, lines }) => this.#presentInFull(row, lines));
      after = rows.at(-1)?.id ?? null;
      if (rows.length < exportPage) return;
    }
  }

  /** What a signed link leads to; null when the link is not good, or no longer. */
  async document(id: string, proof: string): Promise<InvoiceDocument | null> {
    if (!this.#options.links.opens(id, proof)) return null;
    const row = await repo.findLinkedInvoice(this.#options.database, id);
    if (row === undefined) return null;
    const { number, issuedAt, seller, buyer } = row;
    // The table's checks: whatever has a number has these.
    if (number === null || issuedAt === null || seller === null || buyer === null) return null;
    return { ...row, number, issuedAt, seller, buyer, lines: await repo.listLines(this.#options.database, [id]) };
  }

  async #draft(
    transaction: Executor,
    invoice: NewInvoice,
    correction: { readonly correctsId: string; readonly reference: string; readonly taxMinor: number } | null,
  ): Promise<string> {
    const { lines, ...rest } = invoice;
    if (lines.length === 0) throw new Error("an invoice has at least one line");
    for (const line of lines) {
      if (!Number.isSafeInteger(line.amountMinor) || !Number.isFinite(line.quantity + line.unitPriceMinor))
        throw new Error(`the line "${line.description}" has an amount that is no whole number of santimat`);
    }
    const subtotalMinor = Number(lines.reduce((sum, line) => sum + BigInt(line.amountMinor), 0n));
    const taxMinor = correction?.taxMinor ?? taxOn(subtotalMinor, invoice.taxRateBp);
    const id = newId();
    await repo.insertDraft(
      transaction,
      {
        ...rest,
        id,
        kind: correction === null ? "INVOICE" : "CREDIT_NOTE",
        correctsId: correction?.correctsId ?? null,
        reference: correction?.reference ?? null,
        status: "DRAFT",
        subtotalMinor,
        taxMinor,
        totalMinor: subtotalMinor + taxMinor,
        createdAt: this.#options.clock.now(),
      },
      lines.map(({ meter, description, quantity, unitPriceMinor, amountMinor }) => ({
        ...{ meter, description, amountMinor },
        quantity: String(quantity),
        unitPriceMinor: String(unitPriceMinor),
      })),
    );
    return id;
  }

  async #number(
    transaction: Executor,
    series: repo.Series,
    accountId: string,
    id: string,
    isPaid: boolean,
  ): Promise<IssuedInvoice> {
    const { clock, seller } = this.#options;
    const buyer = await this.#options.buyer(transaction, accountId);
    const now = clock.now();
    const year = yearInMorocco(now);
    const { sequence, issuedAt } = await repo.nextNumber(transaction, series, year, now);
    const number = `${series}-${year}-${String(sequence).padStart(6, "0")}`;
    await repo.issueDraft(transaction, accountId, id, { number, issuedAt, seller: seller(), buyer, isPaid });
    return { id, number };
  }

  async #numbered(transaction: Executor, number: string) {
    const row = await repo.lockNumbered(transaction, number);
    if (row === undefined) throw new DomainError("not_found", `There is no invoice ${number}.`);
    return row;
  }

  async #withLines(rows: readonly repo.InvoiceRow[]) {
    const lines = await repo.listLines(
      this.#options.database,
      rows.map(({ id }) => id),
    );
    const byInvoice = Map.groupBy(lines, (line) => line.invoiceId);
    return rows.map((row) => ({ row, lines: byInvoice.get(row.id) ?? [] }));
  }

  #present(row: repo.InvoiceRow, lines: readonly repo.LineRow[]): Invoice {
    const { id, number, status, plan, term, provider } = row;
    const links = number === null ? { hostedUrl: null, pdfUrl: null } : this.#options.links.to(id);
    return {
      ...{ id, number, status, plan, term, provider },
      ...links,
      amountMad: madOfMinor(row.totalMinor),
      periodStart: row.periodStart?.toISOString() ?? null,
      servicePeriodStart: row.servicePeriodStart?.toISOString() ?? null,
      servicePeriodEnd: row.servicePeriodEnd?.toISOString() ?? null,
      createdAt: row.createdAt.toISOString(),
      lines: lines.map(({ meter, quantity, unitPriceMinor, amountMinor }) => ({
        meter,
        quantity: Number(quantity),
        unitPriceMad: madOfMinor(Number(unitPriceMinor)),
        amountMad: madOfMinor(amountMinor),
      })),
    };
  }

  #presentInFull(row: repo.InvoiceRow, lines: readonly repo.LineRow[]): FullInvoice {
    const { subtotalMinor, taxMinor, taxRateBp, seller, buyer } = row;
    return {
      ...this.#present(row, lines),
      ...{ subtotalMinor, taxMinor, taxRateBp, seller, buyer },
      totalMad: madOfMinor(row.totalMinor),
      subtotalMad: madOfMinor(subtotalMinor),
      taxMad: madOfMinor(taxMinor),
    };
  }
}

function notOpen(wanted: string): DomainError {
  return new DomainError("conflict", `Only an invoice that is OPEN can be ${wanted}.`);
}

function yearInMorocco(date: Date): number {
  return Number(new Intl.DateTimeFormat("en", { year: "numeric", timeZone: "Africa/Casablanca" }).format(date));
}
