import type { Insertable } from "kysely";
import type { Executor } from "../../platform/database/database.ts";
import type { Tables } from "../../platform/database/tables.ts";

export type MemberRow = Awaited<ReturnType<typeof listMembers>>[number];

const shown = [
  "users.id",
  "users.email",
  "users.name",
  "memberships.role",
  "users.twoFactorEnabled as hasSecondFactor",
  "memberships.createdAt as joinedAt",
] as const;

function members(executor: Executor, accountId: string) {
  return executor
    .selectFrom("memberships")
    .innerJoin("users", "users.id", "memberships.userId")
    .select(shown)
    .where("memberships.accountId", "=", accountId);
}

/**
 * Whoever signed up last first; up to `count` behind the id `after`. The page is cut before the users are looked up: a
 * join of the whole would read the users from the newest on, those before the page and of other accounts as well.
 */
export function listMembers(executor: Executor, accountId: string, count: number, after: string | null) {
  return executor
    .selectFrom((from) =>
      from
        .selectFrom("memberships")
        .selectAll()
        .where("accountId", "=", accountId)
        .$if(after !== null, (narrowed) => narrowed.where("userId", "<", after ?? ""))
        .orderBy("userId", "desc")
        .limit(count)
        .as("memberships"),
    )
    .innerJoin("users", "users.id", "memberships.userId")
    .select(shown)
    .orderBy("memberships.userId", "desc")
    .execute();
}

export function findMember(executor: Executor, accountId: string, userId: string) {
  return members(executor, accountId).where("memberships.userId", "=", userId).executeTakeFirst();
}

export function findMemberByEmail(executor: Executor, accountId: string, email: string) {
  return members(executor, accountId).where("users.email", "=", email).executeTakeFirst();
}

/** Whoever changes who is in an account, or who is invited, does it one after the other. false: there is no such account. */
export async function lockAccount(executor: Executor, accountId: string): Promise<boolean> {
  const row = await executor
    .selectFrom("accounts")
    .select("id")
    .where("id", "=", accountId)
    .forNoKeyUpdate()
    .executeTakeFirst();
  return row !== undefined;
}

export async function countOwners(executor: Executor, accountId: string): Promise<number> {
  const row = await executor
    .selectFrom("memberships")
    .select((eb) => eb.fn.countAll<number>().as("count"))
    .where("accountId", "=", accountId)
    .where("role", "=", "OWNER")
    .executeTakeFirstOrThrow();
  return row.count;
}

/** false: they are a member already. */
export async function insertMember(executor: Executor, member: Insertable<Tables["memberships"]>): Promise<boolean> {
  const rows = await executor
    .insertInto("memberships")
    .values(member)
    .onConflict((conflict) => conflict.doNothing())
    .returning("userId")
    .execute();
  return rows.length === 1;
}

export async function updateRole(
  executor: Executor,
  accountId: string,
  userId: string,
  role: MemberRow["role"],
): Promise<void> {
  await executor
    .updateTable("memberships")
    .set({ role })
    .where("accountId", "=", accountId)
    .where("userId", "=", userId)
    .execute();
}

export async function deleteMember(executor: Executor, accountId: string, userId: string): Promise<void> {
  await executor.deleteFrom("memberships").where("accountId", "=", accountId).where("userId", "=", userId).execute();
}
