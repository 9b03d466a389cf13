import { type Insertable, sql } from "kysely";
import type { Executor } from "../../platform/database/database.ts";
import type { Buyer, Seller } from "../../platform/database/tables/payments.ts";
import type { Tables } from "../../platform/database/tables.ts";

export type LineRow = Awaited<ReturnType<typeof listLines>>[number];
export type InvoiceRow = Awaited<ReturnType<typeof listInvoices>>[number];

export type Series = "F" | "A";

/** The next number of a series; the row stays locked until the transaction ends, so a rollback takes the number back. */
export async function nextNumber(
  transaction: Executor,
  series: Series,
  year: number,
  now: Date,
): Promise<{ readonly sequence: number; readonly issuedAt: Date }> {
  const row = await transaction
    .insertInto("invoiceCounters")
    .values({ series, year, last: 1, lastIssuedAt: now })
    .onConflict((conflict) =>
      conflict.columns(["series", "year"]).doUpdateSet({
        last: sql`invoice_counters.last + 1`,
        lastIssuedAt: sql`greatest(invoice_counters.last_issued_at, excluded.last_issued_at)`,
      }),
    )
    .returning(["last", "lastIssuedAt"])
    .executeTakeFirstOrThrow();
  return { sequence: row.last, issuedAt: row.lastIssuedAt };
}

export async function insertDraft(
  transaction: Executor,
  invoice: Insertable<Tables["invoices"]>,
  lines: readonly Omit<Insertable<Tables["invoiceLines"]>, "invoiceId" | "position">[],
): Promise<void> {
  await transaction.insertInto("invoices").values(invoice).execute();
  await transaction
    .insertInto("invoiceLines")
    .values(lines.map((line, position) => ({ ...line, invoiceId: invoice.id, position })))
    .execute();
}

export interface Issue {
  readonly number: string;
  readonly issuedAt: Date;
  readonly seller: Seller;
  readonly buyer: Buyer;
  readonly isPaid: boolean;
}

/** Gives a draft its number; from here on the database refuses other changes than payment and voiding. */
export async function issueDraft(transaction: Executor, accountId: string, id: string, issue: Issue): Promise<void> {
  const { number, issuedAt, seller, buyer, isPaid } = issue;
  await transaction
    .updateTable("invoices")
    .set({
      status: isPaid ? "PAID" : "OPEN",
      number,
      issuedAt,
      seller: JSON.stringify(seller),
      buyer: JSON.stringify(buyer),
      paidAt: isPaid ? issuedAt : null,
    })
    .where("accountId", "=", accountId)
    .where("id", "=", id)
    .where("status", "=", "DRAFT")
    .executeTakeFirstOrThrow();
}

/** false when it is not OPEN. */
export async function settleInvoice(
  transaction: Executor,
  accountId: string,
  id: string,
  end:
    | { readonly status: "VOID"; readonly voidedAt: Date }
    | {
        readonly status: "PAID";
        readonly paidAt: Date;
        readonly provider: string;
        readonly providerTxnId: string | null;
      },
): Promise<boolean> {
  const result = await transaction
    .updateTable("invoices")
    .set(end)
    .where("accountId", "=", accountId)
    .where("id", "=", id)
    .where("status", "=", "OPEN")
    .executeTakeFirst();
  return result.numUpdatedRows === 1n;
}

function selectInvoices(executor: Executor) {
  return executor
    .selectFrom("invoices")
    .leftJoin("invoices as corrected", "corrected.id", "invoices.correctsId")
    .selectAll("invoices")
    .select("corrected.number as correctsNumber");
}

/** Newest first; up to `count` behind the id `after`. */
export function listInvoices(executor: Executor, accountId: string, count: number, after: string | null) {
  return selectInvoices(executor)
    .where("invoices.accountId", "=", accountId)
    .$if(after !== null, (query) => query.where("invoices.id", "<", after ?? ""))
    .orderBy("invoices.id", "desc")
    .limit(count)
    .execute();
}

export function findInvoice(executor: Executor, accountId: string, id: string) {
  return selectInvoices(executor)
    .where("invoices.accountId", "=", accountId)
    .where("invoices.id", "=", id)
    .executeTakeFirst();
}

/** For who holds its signed link, whoever that is. */
export function findLinkedInvoice(executor: Executor, id: string) {
  return selectInvoices(executor)
    .where("invoices.id", "=", id)
    .where("invoices.number", "is not", null)
    .executeTakeFirst();
}

/** For the operator, who has the number before their eyes; the row is locked. */
export function lockNumbered(transaction: Executor, number: string) {
  return transaction.selectFrom("invoices").selectAll().where("number", "=", number).forUpdate().executeTakeFirst();
}

/** What credit notes have taken back of an invoice so far; above zero. */
export async function creditedMinor(
  executor: Executor,
  accountId: string,
  invoiceId: string,
): Promise<{ readonly netMinor: number; readonly taxMinor: number }> {
  return executor
    .selectFrom("invoices")
    .select([
      sql<number>`coalesce(-sum(subtotal_minor), 0)::bigint`.as("netMinor"),
      sql<number>`coalesce(-sum(tax_minor), 0)::bigint`.as("taxMinor"),
    ])
    .where("accountId", "=", accountId)
    .where("correctsId", "=", invoiceId)
    .executeTakeFirstOrThrow();
}

/** The credit note that the operator's reference has made already. */
export function findCorrection(executor: Executor, accountId: string, invoiceId: string, reference: string) {
  return executor
    .selectFrom("invoices")
    .select(["id", "number", "subtotalMinor", "totalMinor"])
    .where("accountId", "=", accountId)
    .where("correctsId", "=", invoiceId)
    .where("reference", "=", reference)
    .executeTakeFirst();
}

export function listLines(executor: Executor, invoiceIds: readonly string[]) {
  return executor
    .selectFrom("invoiceLines")
    .select(["invoiceId", "meter", "description", "quantity", "unitPriceMinor", "amountMinor"])
    .where("invoiceId", "in", invoiceIds.length === 0 ? ["00000000-0000-0000-0000-000000000000"] : [...invoiceIds])
    .orderBy("invoiceId")
    .orderBy("position")
    .execute();
}
