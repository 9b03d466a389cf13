import { sql } from "kysely";
import type { Executor } from "../../platform/database/database.ts";

async function countMails(executor: Executor, column: "accountId" | "address", value: string, since: Date) {
  const row = await executor
    .selectFrom("channelMails")
    .select(sql<number>`count(*)`.as("count"))
    .where(column, "=", value)
    .where("sentAt", ">", since)
    .executeTakeFirstOrThrow();
  return row.count;
}

export interface MailLimits {
  readonly perAccount: number;
  readonly perAddress: number;
}

/** Counts a mail; null when it may go, otherwise whose limit is used up. In a transaction of its own. */
export async function takeMail(
  transaction: Executor,
  mail: { readonly accountId: string; readonly address: string; readonly now: Date; readonly since: Date },
  limits: MailLimits,
): Promise<"account" | "address" | null> {
  const { accountId, address, now, since } = mail;
  // Always in this order: nobody waits for whoever waits for them.
  for (const name of [`mails-of/${accountId}`, `mails-to/${address}`]) {
    await sql`select pg_advisory_xact_lock(hashtextextended(${name}, 0))`.execute(transaction);
  }
  if ((await countMails(transaction, "accountId", accountId, since)) >= limits.perAccount) return "account";
  if ((await countMails(transaction, "address", address, since)) >= limits.perAddress) return "address";
  await transaction.insertInto("channelMails").values({ accountId, address, sentAt: now }).execute();
  return null;
}

export async function deleteMailsBefore(executor: Executor, time: Date): Promise<void> {
  await executor.deleteFrom("channelMails").where("sentAt", "<", time).execute();
}

export async function hasOptedOut(executor: Executor, accountId: string, address: string): Promise<boolean> {
  const row = await executor
    .selectFrom("mailOptOuts")
    .select("address")
    .where("accountId", "=", accountId)
    .where("address", "=", address)
    .executeTakeFirst();
  return row !== undefined;
}

/** false: that was so before. */
export async function insertOptOut(
  executor: Executor,
  accountId: string,
  address: string,
  now: Date,
): Promise<boolean> {
  const rows = await executor
    .insertInto("mailOptOuts")
    .values({ accountId, address, createdAt: now })
    .onConflict((conflict) => conflict.columns(["accountId", "address"]).doNothing())
    .returning("address")
    .execute();
  return rows.length === 1;
}

/** false: there was none. */
export async function deleteOptOut(executor: Executor, accountId: string, address: string): Promise<boolean> {
  const result = await executor
    .deleteFrom("mailOptOuts")
    .where("accountId", "=", accountId)
    .where("address", "=", address)
    .executeTakeFirst();
  return result.numDeletedRows === 1n;
}
