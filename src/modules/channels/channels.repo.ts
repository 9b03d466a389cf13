import { type Insertable, sql } from "kysely";
import type { Executor } from "../../platform/database/database.ts";
import type { Tables } from "../../platform/database/tables.ts";

export type ChannelRow = Awaited<ReturnType<typeof listChannels>>[number];

/** Serialises what adds channels to an account. */
export async function lockAccount(executor: Executor, accountId: string): Promise<void> {
  await executor.selectFrom("accounts").select("id").where("id", "=", accountId).forNoKeyUpdate().execute();
}

export function listChannels(executor: Executor, accountId: string) {
  return executor.selectFrom("channels").selectAll().where("accountId", "=", accountId).orderBy("id", "desc").execute();
}

export async function countChannels(executor: Executor, accountId: string): Promise<number> {
  const row = await executor
    .selectFrom("channels")
    .select(sql<number>`count(*)`.as("count"))
    .where("accountId", "=", accountId)
    .executeTakeFirstOrThrow();
  return row.count;
}

export async function insertChannel(executor: Executor, channel: Insertable<Tables["channels"]>): Promise<void> {
  await executor.insertInto("channels").values(channel).execute();
}

/** Serialises what changes a channel, or settles what was sent to it. */
export function lockChannel(executor: Executor, accountId: string, id: string) {
  return executor
    .selectFrom("channels")
    .selectAll()
    .where("accountId", "=", accountId)
    .where("id", "=", id)
    .forNoKeyUpdate()
    .executeTakeFirst();
}

export function findChannel(executor: Executor, accountId: string, id: string) {
  return executor
    .selectFrom("channels")
    .selectAll()
    .where("accountId", "=", accountId)
    .where("id", "=", id)
    .executeTakeFirst();
}

/** For whoever holds the channel's own signed link, and belongs to no account. */
export function findChannelOfLink(executor: Executor, id: string) {
  return executor
    .selectFrom("channels")
    .innerJoin("accounts", "accounts.id", "channels.accountId")
    .select(["channels.accountId", "channels.name as address", "accounts.name as accountName"])
    .where("channels.id", "=", id)
    .where("channels.type", "=", "EMAIL")
    .executeTakeFirst();
}

export async function updateChannel(
  executor: Executor,
  accountId: string,
  id: string,
  changes: { readonly events?: string[]; readonly enabled?: boolean },
): Promise<void> {
  await executor.updateTable("channels").set(changes).where("accountId", "=", accountId).where("id", "=", id).execute();
}

export async function deleteChannel(executor: Executor, accountId: string, id: string): Promise<void> {
  await executor.deleteFrom("channels").where("accountId", "=", accountId).where("id", "=", id).execute();
}

export async function namesOf(
  executor: Executor,
  accountId: string,
  ids: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  if (ids.length === 0) return new Map();
  const rows = await executor
    .selectFrom("channels")
    .select(["id", "name"])
    .where("accountId", "=", accountId)
    .where("id", "in", ids)
    .execute();
  return new Map(rows.map(({ id, name }) => [id, name]));
}

/** Their accounts, by their ids. */
export async function ownersOf(executor: Executor, ids: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const rows = await executor
    .selectFrom("channels")
    .select(["id", "accountId"])
    .where("id", "=", sql<string>`any(${ids}::uuid[])`)
    .execute();
  return new Map(rows.map(({ id, accountId }) => [id, accountId]));
}
