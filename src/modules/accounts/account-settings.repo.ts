import { sql, type Updateable } from "kysely";
import type { Executor } from "../../platform/database/database.ts";
import type { Tables } from "../../platform/database/tables.ts";

export function findAccount(executor: Executor, id: string) {
  return executor
    .selectFrom("accounts")
    .select(["id", "name", "slug", "type", "plan", "require2fa", "aiOptIn", "spendCapMad", "spendAlertPct"])
    .where("id", "=", id)
    .executeTakeFirst();
}

export async function hasSecondFactor(executor: Executor, userId: string): Promise<boolean> {
  const row = await executor.selectFrom("users").select("twoFactorEnabled").where("id", "=", userId).executeTakeFirst();
  return row?.twoFactorEnabled === true;
}

export async function updateAccount(
  executor: Executor,
  id: string,
  changes: Updateable<Tables["accounts"]>,
): Promise<void> {
  await executor.updateTable("accounts").set(changes).where("id", "=", id).execute();
}

/** Oldest first. */
export function listMembers(executor: Executor, accountId: string) {
  return executor
    .selectFrom("memberships")
    .innerJoin("users", "users.id", "memberships.userId")
    .select(["users.id", "users.email", "users.name", "memberships.role", "memberships.createdAt as joinedAt"])
    .where("memberships.accountId", "=", accountId)
    .orderBy("memberships.createdAt")
    .orderBy("users.id")
    .execute();
}

/** Oldest first; without what their links are known by. */
export function listInvites(executor: Executor, accountId: string) {
  return executor
    .selectFrom("invites")
    .select(["id", "email", "role", "inviterId", "expiresAt", "acceptedAt", "revokedAt", "createdAt"])
    .where("accountId", "=", accountId)
    .orderBy("id")
    .execute();
}

/** All columns of one kind of record, oldest first; up to `count` behind the id `after`. Secrets are in no such table. */
export async function listRecords(
  executor: Executor,
  table: "projects" | "services" | "databases" | "buckets",
  accountId: string,
  count: number,
  after: string | null,
): Promise<readonly { readonly id: string }[]> {
  const query = executor.selectFrom(table).selectAll().where("accountId", "=", accountId);
  return query
    .$if(after !== null, (narrowed) => narrowed.where("id", ">", after ?? ""))
    .orderBy(sql`id`)
    .limit(count)
    .execute();
}
