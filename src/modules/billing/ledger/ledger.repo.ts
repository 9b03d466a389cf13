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

/** One round trip; see the migration. Throws when there is no such account. */
export async function post(executor: Executor, row: PostingRow): Promise<PostOutcome> {
  const { rows } = await sql<PostOutcome>`select * from post_to_ledger(
    ${row.id}::uuid, ${row.accountId}::uuid, ${row.key}, ${row.kind}, ${row.amountMinor}::bigint,
    ${row.legs.map((leg) => leg.book)}::text[], ${row.legs.map((leg) => leg.amountMinor)}::bigint[],
    ${row.meter}, ${row.quantity}::numeric, ${row.periodStart}::timestamptz, ${row.provider}, ${row.providerTxnId},
    ${row.description}, ${row.at}::timestamptz)`.execute(executor);
  const [outcome] = rows;
  if (outcome === undefined) throw new Error("post_to_ledger answered nothing");
  return outcome;
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
