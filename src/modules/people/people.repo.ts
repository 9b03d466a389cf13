import { sql } from "kysely";
import type { Executor } from "../../platform/database/database.ts";

export type PersonRow = Awaited<ReturnType<typeof findPersonOfSession>>[number];

/** Who somebody is, once for each account that they are in, the oldest membership first; without any account once. */
function persons(executor: Executor) {
  return executor
    .selectFrom("users")
    .leftJoin("memberships", "memberships.userId", "users.id")
    .leftJoin("accounts", "accounts.id", "memberships.accountId")
    .select([
      "users.id as userId",
      "users.email",
      "users.name",
      "users.twoFactorEnabled as hasSecondFactor",
      "memberships.accountId",
      "memberships.role",
      "accounts.name as accountName",
      "accounts.require2fa",
    ])
    .select(sql<boolean>`accounts.suspended_at is not null`.as("accountSuspended"))
    .orderBy("memberships.createdAt")
    .orderBy("memberships.accountId");
}

export function findPersonOfSession(executor: Executor, token: string) {
  return persons(executor)
    .innerJoin("sessions", "sessions.userId", "users.id")
    .where("sessions.token", "=", token)
    .where("sessions.expiresAt", ">", sql<Date>`now()`)
    .execute();
}

export function findPerson(executor: Executor, userId: string) {
  return persons(executor).where("users.id", "=", userId).execute();
}

export function findUserByEmail(executor: Executor, email: string) {
  return executor.selectFrom("users").select(["id", "email", "name"]).where("email", "=", email).executeTakeFirst();
}

/** One statement whether or not there is such a person: both take the same time. */
export function findPassword(executor: Executor, email: string) {
  return executor
    .selectFrom("users")
    .innerJoin("credentials", (join) =>
      join.onRef("credentials.userId", "=", "users.id").on("credentials.providerId", "=", "credential"),
    )
    .select(["users.id as userId", "credentials.password"])
    .where("users.email", "=", email)
    .executeTakeFirst();
}

/** What was begun with the old password and is not at its end: sign-ins that wait for a code, other links to set a new one. */
export async function deletePending(executor: Executor, userId: string): Promise<void> {
  await executor.deleteFrom("verifications").where("value", "=", userId).execute();
}

/** A person's sessions that have ended by themselves, and whatever nobody has proved in time. */
export async function deleteExpired(executor: Executor, userId: string): Promise<void> {
  await executor
    .deleteFrom("sessions")
    .where("userId", "=", userId)
    .where("expiresAt", "<", sql<Date>`now()`)
    .execute();
  await executor.deleteFrom("verifications").where("expiresAt", "<", sql<Date>`now()`).execute();
}

/** false: it was used within the two minutes in which it can be right, by whichever process saw it. */
export async function useCode(executor: Executor, userId: string, code: string): Promise<boolean> {
  const rows = await executor
    .insertInto("usedCodes")
    .values({ userId, code, usedAt: sql<Date>`now()` })
    .onConflict((conflict) =>
      conflict
        .columns(["userId", "code"])
        .doUpdateSet({ usedAt: sql<Date>`now()` })
        .where("usedCodes.usedAt", "<", sql<Date>`now() - interval '2 minutes'`),
    )
    .returning("code")
    .execute();
  await executor
    .deleteFrom("usedCodes")
    .where("userId", "=", userId)
    .where("usedAt", "<", sql<Date>`now() - interval '2 minutes'`)
    .execute();
  return rows.length === 1;
}
