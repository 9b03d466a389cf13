import { type Insertable, type Selectable, sql, type Updateable } from "kysely";
import type { Executor } from "../../../platform/database/database.ts";
import type { Tables } from "../../../platform/database/tables.ts";

export type WalletRow = Selectable<Tables["wallets"]>;
export type RechargeRow = Selectable<Tables["recharges"]>;

/** Every account has one; throws for an account that there is not. */
export function findWallet(executor: Executor, accountId: string): Promise<WalletRow> {
  return executor.selectFrom("wallets").selectAll().where("accountId", "=", accountId).executeTakeFirstOrThrow();
}

/** Until the transaction ends nothing is posted for the account, and no charge of its card is begun or ended. */
export function lockWallet(executor: Executor, accountId: string): Promise<WalletRow> {
  return executor
    .selectFrom("wallets")
    .selectAll()
    .where("accountId", "=", accountId)
    .forNoKeyUpdate()
    .executeTakeFirstOrThrow();
}

export async function updateWallet(
  executor: Executor,
  accountId: string,
  changes: Pick<
    Updateable<Tables["wallets"]>,
    "lowBalanceMinor" | "rechargeMinor" | "overageBudgetMinor" | "autoRenew"
  >,
): Promise<void> {
  await executor.updateTable("wallets").set(changes).where("accountId", "=", accountId).execute();
}

/** Of postings of several accounts at once: nothing else is posted for them until the transaction ends. */
export async function lockWallets(executor: Executor, accountIds: readonly string[]): Promise<void> {
  await executor
    .selectFrom("wallets")
    .select("accountId")
    .where("accountId", "in", [...accountIds])
    .orderBy("accountId")
    .forNoKeyUpdate()
    .execute();
}

/** What an account wants to be told of when it is crossed. */
export interface Lines {
  readonly lowBalanceMinor: number | null;
  readonly spendCapMad: number | null;
  readonly spendAlertPct: number | null;
}

export async function findLines(
  executor: Executor,
  accountIds: readonly string[],
): Promise<ReadonlyMap<string, Lines>> {
  const { rows } = await sql<Lines & { accountId: string }>`
    select account_id, low_balance_minor, spend_cap_mad, spend_alert_pct
    from wallets join accounts on accounts.id = account_id
    where account_id = any(${accountIds}::uuid[])`.execute(executor);
  return new Map(rows.map((row) => [row.accountId, row]));
}

/** In santimat; this month's spending with the account's cap and alert. */
export async function findSpending(executor: Executor, accountId: string, month: string) {
  const { rows } = await sql<{
    spentMinor: number;
    spendCapMad: number | null;
    spendAlertPct: number | null;
    balanceMinor: number;
  }>`
    select case when spend_month = ${month}::date then spend_minor else 0 end as spent_minor,
      spend_cap_mad, spend_alert_pct, balance_minor
    from wallets join accounts on accounts.id = account_id where account_id = ${accountId}`.execute(executor);
  return rows[0];
}

/** The one that is under way, or this new one. */
export async function takeUpRecharge(
  executor: Executor,
  recharge: Insertable<Tables["recharges"]>,
): Promise<RechargeRow | undefined> {
  await executor
    .insertInto("recharges")
    .values(recharge)
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  return findPendingRecharge(executor, recharge.accountId);
}

export async function lastRefusedRecharge(executor: Executor, accountId: string): Promise<Date | null> {
  const row = await executor
    .selectFrom("recharges")
    .select("createdAt")
    .where("accountId", "=", accountId)
    .where("status", "=", "REFUSED")
    .orderBy("createdAt", "desc")
    .executeTakeFirst();
  return row?.createdAt ?? null;
}

export function findPendingRecharge(executor: Executor, accountId: string): Promise<RechargeRow | undefined> {
  return executor
    .selectFrom("recharges")
    .selectAll()
    .where("accountId", "=", accountId)
    .where("status", "=", "PENDING")
    .executeTakeFirst();
}

export async function endRecharge(executor: Executor, id: string, status: "DONE" | "REFUSED"): Promise<void> {
  await executor
    .updateTable("recharges")
    .set({ status })
    .where("id", "=", id)
    .where("status", "=", "PENDING")
    .execute();
}

/** Accounts whose credit is low, or whose card is being charged, and that asked for it. */
export async function listToRecharge(executor: Executor, count: number): Promise<readonly string[]> {
  const { rows } = await sql<{ accountId: string }>`
    select account_id from wallets
    where recharge_minor is not null and balance_minor <= coalesce(low_balance_minor, 0)
    union select account_id from recharges where status = 'PENDING'
    limit ${count}`.execute(executor);
  return rows.map(({ accountId }) => accountId);
}
