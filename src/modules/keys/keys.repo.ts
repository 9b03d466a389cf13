import { type Insertable, sql } from "kysely";
import type { Executor } from "../../platform/database/database.ts";
import type { Tables } from "../../platform/database/tables.ts";

export async function insertKey(executor: Executor, key: Insertable<Tables["apiKeys"]>): Promise<void> {
  await executor.insertInto("apiKeys").values(key).execute();
}

/** The keys that live under a prefix, with their creators' live roles; a creator who left the account has none. */
export function findLiveKeys(executor: Executor, prefix: string) {
  return executor
    .selectFrom("apiKeys")
    .innerJoin("memberships", (join) =>
      join
        .onRef("memberships.accountId", "=", "apiKeys.accountId")
        .onRef("memberships.userId", "=", "apiKeys.creatorId"),
    )
    .select([
      "apiKeys.id",
      "apiKeys.accountId",
      "apiKeys.creatorId",
      "apiKeys.hash",
      "apiKeys.scopes",
      "memberships.role",
    ])
    .where("apiKeys.prefix", "=", prefix)
    .where("apiKeys.revokedAt", "is", null)
    .execute();
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
