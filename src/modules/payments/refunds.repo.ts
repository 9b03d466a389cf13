import type { Insertable, Selectable } from "kysely";
import type { Executor } from "../../platform/database/database.ts";
import type { Tables } from "../../platform/database/tables.ts";

export type RefundRow = Selectable<Tables["refunds"]>;

/** Until the transaction ends nothing else is paid back to the account, nor posted for it. */
export async function lockWallet(executor: Executor, accountId: string): Promise<void> {
  await executor
    .selectFrom("wallets")
    .select("accountId")
    .where("accountId", "=", accountId)
    .forNoKeyUpdate()
    .execute();
}

/** Of one payment: what went back, or is about to. */
export async function refundedMinor(executor: Executor, accountId: string, paymentId: string): Promise<number> {
  const rows = await executor
    .selectFrom("refunds")
    .select("amountMinor")
    .where("accountId", "=", accountId)
    .where("paymentId", "=", paymentId)
    .where("status", "<>", "REFUSED")
    .execute();
  return rows.reduce((sum, { amountMinor }) => sum + amountMinor, 0);
}

export function findRefund(
  executor: Executor,
  accountId: string,
  paymentId: string,
  reference: string,
): Promise<RefundRow | undefined> {
  return executor
    .selectFrom("refunds")
    .selectAll()
    .where("accountId", "=", accountId)
    .where("paymentId", "=", paymentId)
    .where("reference", "=", reference)
    .executeTakeFirst();
}

/** The database refuses more than was paid. */
export function insertRefund(executor: Executor, refund: Insertable<Tables["refunds"]>): Promise<RefundRow> {
  return executor.insertInto("refunds").values(refund).returningAll().executeTakeFirstOrThrow();
}

/** undefined: it had ended before. */
export function endRefund(
  executor: Executor,
  id: string,
  end:
    | { readonly status: "DONE"; readonly providerRef: string }
    | { readonly status: "REFUSED"; readonly reason: string },
): Promise<RefundRow | undefined> {
  return executor
    .updateTable("refunds")
    .set(end)
    .where("id", "=", id)
    .where("status", "=", "PENDING")
    .returningAll()
    .executeTakeFirst();
}

/** Of all accounts: those that a provider has not answered for, the oldest first. */
export function listPending(executor: Executor, count: number): Promise<readonly RefundRow[]> {
  return executor
    .selectFrom("refunds")
    .selectAll()
    .where("status", "=", "PENDING")
    .orderBy("createdAt")
    .limit(count)
    .execute();
}
