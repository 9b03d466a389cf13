import { type Insertable, type Selectable, sql, type Updateable } from "kysely";
import type { Executor } from "../../../platform/database/database.ts";
import type { Tables } from "../../../platform/database/tables.ts";

export type SubscriptionRow = Selectable<Tables["subscriptions"]>;
export type Quote = Selectable<Tables["planQuotes"]>;

export function findSubscription(executor: Executor, accountId: string): Promise<SubscriptionRow | undefined> {
  return executor.selectFrom("subscriptions").selectAll().where("accountId", "=", accountId).executeTakeFirst();
}

/**
 * What the account is, under the lock that all changes of its plan take first: the wallet's lock comes after it, always.
 * undefined: there is no such account.
 */
export async function lockAccount(executor: Executor, accountId: string) {
  return executor
    .selectFrom("accounts")
    .select(["plan", "suspendedAt", "spendCapMad"])
    .where("id", "=", accountId)
    .forNoKeyUpdate()
    .executeTakeFirst();
}

export async function insertSubscription(executor: Executor, row: Insertable<Tables["subscriptions"]>): Promise<void> {
  const { accountId, createdAt, ...changes } = row;
  await executor
    .insertInto("subscriptions")
    .values(row)
    .onConflict((conflict) =>
      conflict.column("accountId").doUpdateSet({ ...changes, version: sql<number>`subscriptions.version + 1` }),
    )
    .execute();
}

export async function updateSubscription(
  executor: Executor,
  accountId: string,
  changes: Updateable<Tables["subscriptions"]>,
): Promise<void> {
  await executor
    .updateTable("subscriptions")
    .set({ ...changes, version: sql<number>`version + 1` })
    .where("accountId", "=", accountId)
    .execute();
}

/** No change of what was offered: only when to look again. */
export async function setNextLook(executor: Executor, accountId: string, nextAt: Date | null): Promise<void> {
  await executor.updateTable("subscriptions").set({ nextAt }).where("accountId", "=", accountId).execute();
}

export async function setReminders(executor: Executor, accountId: string, reminders: number): Promise<void> {
  await executor.updateTable("subscriptions").set({ reminders }).where("accountId", "=", accountId).execute();
}

export async function deleteSubscription(executor: Executor, accountId: string): Promise<void> {
  await executor.deleteFrom("subscriptions").where("accountId", "=", accountId).execute();
}

export async function setAccountPlan(executor: Executor, accountId: string, plan: string): Promise<void> {
  await executor.updateTable("accounts").set({ plan }).where("id", "=", accountId).execute();
}

/** The services that have to stop, or may run again. */
export async function setSuspended(
  executor: Executor,
  accountId: string,
  suspendedAt: Date | null,
): Promise<readonly string[]> {
  await executor.updateTable("accounts").set({ suspendedAt }).where("id", "=", accountId).execute();
  const services = await executor.selectFrom("services").select("id").where("accountId", "=", accountId).execute();
  return services.map(({ id }) => id);
}

/** Those to look at, the longest due first. */
export async function listDue(executor: Executor, now: Date, count: number): Promise<readonly string[]> {
  const rows = await executor
    .selectFrom("subscriptions")
    .select("accountId")
    .where("nextAt", "<=", now)
    .orderBy("nextAt")
    .limit(count)
    .execute();
  return rows.map(({ accountId }) => accountId);
}

export async function insertQuote(executor: Executor, quote: Insertable<Tables["planQuotes"]>): Promise<void> {
  await executor.insertInto("planQuotes").values(quote).execute();
}

export function findQuote(executor: Executor, accountId: string, checkoutId: string): Promise<Quote | undefined> {
  return executor
    .selectFrom("planQuotes")
    .selectAll()
    .where("accountId", "=", accountId)
    .where("checkoutId", "=", checkoutId)
    .executeTakeFirst();
}

export async function forgetQuotes(executor: Executor, before: Date): Promise<void> {
  await executor.deleteFrom("planQuotes").where("quotedAt", "<", before).execute();
}

export async function findAccountPlan(executor: Executor, accountId: string): Promise<string> {
  const row = await executor
    .selectFrom("accounts")
    .select("plan")
    .where("id", "=", accountId)
    .executeTakeFirstOrThrow();
  return row.plan;
}

/** What plans have brought from the account, without tax, all in all. */
export async function soldNetMinor(executor: Executor, accountId: string): Promise<number> {
  const { rows } = await sql<{ sold: number }>`
    select coalesce(sum(amount_minor), 0)::bigint as sold from ledger_legs
    where account_id = ${accountId} and book = 'PLAN_SALES'`.execute(executor);
  return rows[0]?.sold ?? 0;
}
