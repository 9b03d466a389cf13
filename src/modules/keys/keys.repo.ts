import { type Insertable, sql } from "kysely";
import type { Executor } from "../../platform/database/database.ts";
import type { Tables } from "../../platform/database/tables.ts";

const shown = ["id", "name", "prefix", "scopes", "ipAllowlist", "lastUsedAt", "createdAt", "revokedAt"] as const;

export type KeyRow = Awaited<ReturnType<typeof insertKey>>;
export type LiveKey = Awaited<ReturnType<typeof findLiveKeys>>[number];

export function insertKey(executor: Executor, key: Insertable<Tables["apiKeys"]>) {
  return executor.insertInto("apiKeys").values(key).returning(shown).executeTakeFirstOrThrow();
}

/** Newest first: all that live, and of the revoked ones the `revoked` newest. */
export function listKeys(executor: Executor, accountId: string, revoked: number) {
  const keys = executor.selectFrom("apiKeys").select(shown).where("accountId", "=", accountId);
  return executor
    .selectFrom(
      keys
        .where("revokedAt", "is", null)
        .unionAll((union) => union.parens(keys.where("revokedAt", "is not", null).orderBy("id", "desc").limit(revoked)))
        .as("listed"),
    )
    .selectAll()
    .orderBy("id", "desc")
    .execute();
}

/** Those that live. Keys of an account are added one after the other, under a lock of its row. */
export async function countLiveKeys(executor: Executor, accountId: string): Promise<number> {
  await executor.selectFrom("accounts").select("id").where("id", "=", accountId).forNoKeyUpdate().execute();
  const row = await executor
    .selectFrom("apiKeys")
    .select(sql<number>`count(*)`.as("count"))
    .where("accountId", "=", accountId)
    .where("revokedAt", "is", null)
    .executeTakeFirstOrThrow();
  return row.count;
}

/** The keys that live under a prefix, with what they may by now; a creator who left the account has none. */
export function findLiveKeys(executor: Executor, prefix: string) {
  return executor
    .selectFrom("apiKeys")
    .innerJoin("memberships", (join) =>
      join
        .onRef("memberships.accountId", "=", "apiKeys.accountId")
        .onRef("memberships.userId", "=", "apiKeys.creatorId"),
    )
    .innerJoin("users", "users.id", "apiKeys.creatorId")
    .innerJoin("accounts", "accounts.id", "apiKeys.accountId")
    .select([
      "apiKeys.id",
      "apiKeys.accountId",
      "apiKeys.creatorId",
      "apiKeys.hash",
      "apiKeys.scopes",
      "apiKeys.ipAllowlist",
      "memberships.role",
      "users.name as creatorName",
    ])
    .select(sql<boolean>`accounts.suspended_at is not null`.as("accountSuspended"))
    .select(sql<boolean>`accounts.require2fa and not users.two_factor_enabled`.as("lacksSecondFactor"))
    .where("apiKeys.prefix", "=", prefix)
    .where("apiKeys.revokedAt", "is", null)
    .execute();
}

/** Keeps the time of the first revocation. The key's name; undefined when there is no such key. */
export function revokeKey(executor: Executor, accountId: string, id: string) {
  return executor
    .updateTable("apiKeys")
    .set({ revokedAt: sql<Date>`coalesce(revoked_at, now())` })
    .where("accountId", "=", accountId)
    .where("id", "=", id)
    .returning(["name", "hash"])
    .executeTakeFirst();
}

export async function revokeKeysByName(executor: Executor, accountId: string, name: string): Promise<void> {
  await executor
    .updateTable("apiKeys")
    .set({ revokedAt: sql<Date>`now()` })
    .where("accountId", "=", accountId)
    .where("name", "=", name)
    .where("revokedAt", "is", null)
    .execute();
}

/** For good: a member who comes back does not find the old keys alive. */
export async function revokeKeysOf(executor: Executor, accountId: string, creatorId: string): Promise<void> {
  await executor
    .updateTable("apiKeys")
    .set({ revokedAt: sql<Date>`now()` })
    .where("accountId", "=", accountId)
    .where("creatorId", "=", creatorId)
    .where("revokedAt", "is", null)
    .execute();
}

/** At most once a minute, whoever of several processes comes first. */
export async function touchKey(executor: Executor, id: string): Promise<void> {
  await sql`update api_keys set last_used_at = now()
    where id = ${id} and (last_used_at is null or last_used_at < now() - interval '1 minute')`.execute(executor);
}
