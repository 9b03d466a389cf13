/** How many invites went out of an account, and to an address from whichever account. */
import { sql } from "kysely";
import type { Executor } from "../../platform/database/database.ts";

export interface InviteMailLimits {
  readonly ofAccount: number;
  readonly toAddress: number;
}

export interface InviteMail {
  readonly accountId: string;
  readonly address: string;
  readonly now: Date;
  /** Those before it count no longer. */
  readonly since: Date;
}

/**
 * Counts a mail. null when it may go; otherwise the limit that is used up, and when it lets the next one through. The
 * account's row is locked by the caller, so of one account they come one after the other.
 */
export async function takeInviteMail(
  transaction: Executor,
  { accountId, address, now, since }: InviteMail,
  limits: InviteMailLimits,
): Promise<{ readonly limit: number; readonly freedAt: Date } | null> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${`invites-to/${address}`}, 0))`.execute(transaction);
  for (const [column, value, limit] of [
    ["accountId", accountId, limits.ofAccount],
    ["address", address, limits.toAddress],
  ] as const) {
    await transaction.deleteFrom("inviteMails").where(column, "=", value).where("sentAt", "<=", since).execute();
    const { count, oldest } = await transaction
      .selectFrom("inviteMails")
      .select([sql<number>`count(*)`.as("count"), sql<Date | null>`min(sent_at)`.as("oldest")])
      .where(column, "=", value)
      .executeTakeFirstOrThrow();
    if (oldest !== null && count >= limit)
      return { limit, freedAt: new Date(oldest.getTime() + now.getTime() - since.getTime()) };
  }
  await transaction.insertInto("inviteMails").values({ accountId, address, sentAt: now }).execute();
  return null;
}
