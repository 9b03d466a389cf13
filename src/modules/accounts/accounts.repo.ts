import { type Insertable, sql } from "kysely";
import type { Executor } from "../../platform/database/database.ts";
import type { Tables } from "../../platform/database/tables.ts";

/** With the password to sign in with. false: somebody has that address. */
export async function insertUser(
  executor: Executor,
  user: Insertable<Tables["users"]> & { readonly id: string },
  passwordHash: string,
): Promise<boolean> {
  const rows = await executor
    .insertInto("users")
    .values(user)
    .onConflict((conflict) => conflict.doNothing())
    .returning("id")
    .execute();
  if (rows.length === 0) return false;
  const credential = { id: user.id, userId: user.id, providerId: "credential", subject: user.id };
  await executor
    .insertInto("credentials")
    .values({ ...credential, password: passwordHash })
    .execute();
  return true;
}

export async function insertAccount(executor: Executor, account: Insertable<Tables["accounts"]>): Promise<boolean> {
  const rows = await executor
    .insertInto("accounts")
    .values(account)
    .onConflict((conflict) => conflict.column("slug").doNothing())
    .returning("id")
    .execute();
  return rows.length === 1;
}

export async function insertMembership(
  executor: Executor,
  membership: Insertable<Tables["memberships"]>,
): Promise<void> {
  await executor.insertInto("memberships").values(membership).execute();
}

export function findOwner(executor: Executor, email: string) {
  return executor
    .selectFrom("users")
    .innerJoin("memberships", "memberships.userId", "users.id")
    .select(["users.id as userId", "memberships.accountId"])
    .where(sql`lower(users.email)`, "=", email.toLowerCase())
    .where("memberships.role", "=", "OWNER")
    .executeTakeFirst();
}

/** How many people there are beside the one of that address. */
export async function countUsers(executor: Executor, except: string): Promise<number> {
  const row = await executor
    .selectFrom("users")
    .select((eb) => eb.fn.countAll<number>().as("count"))
    .where(sql`lower(email)`, "<>", except.toLowerCase())
    .executeTakeFirst();
  return row?.count ?? 0;
}

/** Those that nobody has used; a used one stays, as the note that it was. */
export async function deleteSignupLinks(executor: Executor): Promise<void> {
  await executor.deleteFrom("signupLinks").where("usedAt", "is", null).execute();
}

export async function insertSignupLink(executor: Executor, tokenHash: Buffer, expiresAt: Date): Promise<void> {
  await executor.insertInto("signupLinks").values({ tokenHash, expiresAt }).execute();
}

export async function isSignupLinkValid(executor: Executor, tokenHash: Buffer, now: Date): Promise<boolean> {
  const row = await executor
    .selectFrom("signupLinks")
    .select("tokenHash")
    .where("tokenHash", "=", tokenHash)
    .where("usedAt", "is", null)
    .where("expiresAt", ">", now)
    .executeTakeFirst();
  return row !== undefined;
}

/** true for exactly one caller. */
export async function useSignupLink(executor: Executor, tokenHash: Buffer, now: Date): Promise<boolean> {
  const rows = await executor
    .updateTable("signupLinks")
    .set({ usedAt: now })
    .where("tokenHash", "=", tokenHash)
    .where("usedAt", "is", null)
    .where("expiresAt", ">", now)
    .returning("tokenHash")
    .execute();
  return rows.length === 1;
}
