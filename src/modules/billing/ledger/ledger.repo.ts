import { sql } from "kysely";
import type { Executor } from "../../../platform/database/database.ts";
import type { Book, LedgerKind, Meter } from "../../../platform/database/tables/billing.ts";

export interface PostingRow {
  readonly id: string;
  readonly accountId: string;
  readonly key: string;
  readonly kind: LedgerKind;
  readonly amountMinor: number;
  readonly legs: readonly { readonly book: Book; readonly amountMinor: number }[];
  readonly meter: Meter | null;
  readonly quantity: string | null;
  readonly periodStart: Date | null;
  readonly provider: string | null;
  readonly providerTxnId: string | null;
  readonly description: string;
  readonly at: Date;
}

export interface PostOutcome {
  readonly outcome: "POSTED" | "KNOWN" | "SHORT";
  readonly postingId: string;
  readonly postedAccount: string;
  readonly postedAmount: number;
  readonly postedKind: LedgerKind;
  readonly beforeMinor: number;
  readonly afterMinor: number;
  /** This calendar month's. */
  readonly spentBeforeMinor: number;
  readonly spentAfterMinor: number;
}

/** One behind the other, in one round trip; see the migration. Throws when there is no such account. */
export async function post(executor: Executor, postings: readonly PostingRow[]): Promise<readonly PostOutcome[]> {
  const rows = postings.map(({ legs, at, periodStart, ...row }) => ({
    ...row,
    periodStart: periodStart?.toISOString() ?? null,
    at: at.toISOString(),
    books: legs.map(({ book }) => book),
    amounts: legs.map(({ amountMinor }) => amountMinor),
  }));
  const answer = await sql<PostOutcome>`
    select outcome.* from json_to_recordset(${JSON.stringify(rows)}::json) as rows (
      id uuid, "accountId" uuid, key text, kind text, "amountMinor" bigint, books text[], amounts bigint[], meter text,
      quantity numeric, "periodStart" timestamptz, provider text, "providerTxnId" text, description text, at timestamptz),
    lateral post_to_ledger(id, "accountId", key, kind, "amountMinor", books, amounts, meter, quantity, "periodStart",
      provider, "providerTxnId", description, at) as outcome`.execute(executor);
  if (answer.rows.length !== postings.length) throw new Error("post_to_ledger answered something else than was asked");
  return answer.rows;
}

/** Somebody's payment: by its id, its business key, or the provider's id of it. */
export function findPayments(
  executor: Executor,
  by: { readonly id: string } | { readonly key: string } | { readonly providerTxnId: string },
  providers: readonly string[],
) {
  return executor
    .selectFrom("ledgerPostings")
    .select(["id", "accountId", "amountMinor", "provider", "providerTxnId"])
    .where("kind", "in", ["TOPUP", "AUTO_RECHARGE"])
    .$if("id" in by, (query) => query.where("id", "=", "id" in by ? by.id : ""))
    .$if("key" in by, (query) => query.where("businessKey", "=", "key" in by ? by.key : ""))
    .$if("providerTxnId" in by, (query) =>
      query
        .where("provider", "in", [...providers])
        .where("provider", "<>", "operator")
        .where("providerTxnId", "=", "providerTxnId" in by ? by.providerTxnId : ""),
    )
    .limit(2)
    .execute();
}

/** Newest first; up to `count` rows behind the posting `after`. */
export function listPostings(executor: Executor, accountId: string, count: number, after: string | null) {
  return executor
    .selectFrom("ledgerPostings")
    .selectAll()
    .where("accountId", "=", accountId)
    .$if(after !== null, (query) =>
      query.where("position", "<", (inner) =>
        inner
          .selectFrom("ledgerPostings as last")
          .select("last.position")
          .where("last.accountId", "=", accountId)
          .where("last.id", "=", after ?? ""),
      ),
    )
    .orderBy("position", "desc")
    .limit(count)
    .execute();
}

export async function accountExists(executor: Executor, accountId: string): Promise<boolean> {
  return (
    (await executor.selectFrom("accounts").select("id").where("id", "=", accountId).executeTakeFirst()) !== undefined
  );
}
