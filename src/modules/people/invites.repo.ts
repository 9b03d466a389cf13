import { type Insertable, sql } from "kysely";
import type { Executor } from "../../platform/database/database.ts";
import type { Tables } from "../../platform/database/tables.ts";

export type InviteRow = NonNullable<Awaited<ReturnType<typeof findInvite>>>;

function invites(executor: Executor) {
  return executor
    .selectFrom("invites")
    .leftJoin("users", "users.id", "invites.inviterId")
    .select([
      "invites.id",
      "invites.accountId",
      "invites.email",
      "invites.role",
      "invites.expiresAt",
      "invites.acceptedAt",
      "invites.revokedAt",
      "invites.createdAt",
      "invites.mails",
      "users.name as invitedBy",
    ]);
}

/** Newest first; up to `count` behind the id `after`. */
export function listInvites(executor: Executor, accountId: string, count: number, after: string | null) {
  return invites(executor)
    .where("invites.accountId", "=", accountId)
    .$if(after !== null, (narrowed) => narrowed.where("invites.id", "<", after ?? ""))
    .orderBy("invites.id", "desc")
    .limit(count)
    .execute();
}

export function findInvite(executor: Executor, accountId: string, id: string) {
  return invites(executor).where("invites.accountId", "=", accountId).where("invites.id", "=", id).executeTakeFirst();
}

/** By its link, whatever its state; with the account's name, and whether the person is known. */
export function findInviteByToken(executor: Executor, tokenHash: Buffer) {
  return invites(executor)
    .innerJoin("accounts", "accounts.id", "invites.accountId")
    .select("accounts.name as accountName")
    .select(
      sql<boolean>`exists (select from users as invitee where lower(invitee.email) = invites.email)`.as("isKnown"),
    )
    .where("invites.tokenHash", "=", tokenHash)
    .executeTakeFirst();
}

/** Members, and invites that can be accepted now. */
export async function countMembersToBe(executor: Executor, accountId: string, now: Date): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select (select count(*) from memberships where account_id = ${accountId})
      + (select count(*) from invites
         where account_id = ${accountId} and accepted_at is null and revoked_at is null and expires_at > ${now}) as count
  `.execute(executor);
  return rows[0]?.count ?? 0;
}

/** Those that can be accepted now, beside the one. */
export async function hasPendingInvite(
  executor: Executor,
  accountId: string,
  email: string,
  now: Date,
  except: string | null,
): Promise<boolean> {
  const row = await executor
    .selectFrom("invites")
    .select("id")
    .where("accountId", "=", accountId)
    .where("email", "=", email)
    .where("acceptedAt", "is", null)
    .where("revokedAt", "is", null)
    .where("expiresAt", ">", now)
    .$if(except !== null, (narrowed) => narrowed.where("id", "<>", except ?? ""))
    .executeTakeFirst();
  return row !== undefined;
}

export async function countInvitesSince(executor: Executor, accountId: string, since: Date): Promise<number> {
  const row = await executor
    .selectFrom("invites")
    .select((eb) => eb.fn.countAll<number>().as("count"))
    .where("accountId", "=", accountId)
    .where("createdAt", ">", since)
    .executeTakeFirstOrThrow();
  return row.count;
}

export async function insertInvite(executor: Executor, invite: Insertable<Tables["invites"]>): Promise<void> {
  await executor.insertInto("invites").values(invite).execute();
}

export async function renewInvite(
  executor: Executor,
  accountId: string,
  id: string,
  renewed: { readonly tokenHash: Buffer; readonly expiresAt: Date },
): Promise<void> {
  await executor
    .updateTable("invites")
    .set({ ...renewed, mails: sql<number>`mails + 1` })
    .where("accountId", "=", accountId)
    .where("id", "=", id)
    .execute();
}

export async function revokeInvite(executor: Executor, accountId: string, id: string, now: Date): Promise<void> {
  await executor
    .updateTable("invites")
    .set({ revokedAt: now })
    .where("accountId", "=", accountId)
    .where("id", "=", id)
    .execute();
}

/** The open ones of a member. */
export async function revokeInvitesOf(executor: Executor, accountId: string, inviterId: string): Promise<void> {
  await executor
    .updateTable("invites")
    .set({ revokedAt: sql<Date>`now()` })
    .where("accountId", "=", accountId)
    .where("inviterId", "=", inviterId)
    .where("acceptedAt", "is", null)
    .where("revokedAt", "is", null)
    .execute();
}

/** true for exactly one caller, while it is pending. */
export async function acceptInvite(executor: Executor, tokenHash: Buffer, now: Date): Promise<boolean> {
  const rows = await executor
    .updateTable("invites")
    .set({ acceptedAt: now })
    .where("tokenHash", "=", tokenHash)
    .where("acceptedAt", "is", null)
    .where("revokedAt", "is", null)
    .where("expiresAt", ">", now)
    .returning("id")
    .execute();
  return rows.length === 1;
}

export async function findAccountName(executor: Executor, accountId: string): Promise<string> {
  const row = await executor
    .selectFrom("accounts")
    .select("name")
    .where("id", "=", accountId)
    .executeTakeFirstOrThrow();
  return row.name;
}
