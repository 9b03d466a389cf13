/** What the workers ask, for all accounts. */
import { sql } from "kysely";
import type { Executor } from "../../platform/database/database.ts";

export interface ClaimedMessage {
  readonly id: string;
  readonly accountId: string;
  readonly channelId: string;
  readonly event: string;
  readonly title: string;
  readonly text: string;
  readonly url: string | null;
  readonly attempts: number;
  readonly rounds: number;
  readonly createdAt: Date;
  readonly type: "EMAIL" | "WEBHOOK";
  readonly sealedTarget: Buffer;
  readonly sealedSecret: Buffer | null;
  readonly accountName: string;
}

export interface Claim {
  readonly now: Date;
  /** After which whoever took a message on counts as dead. */
  readonly holdMs: Readonly<Record<ClaimedMessage["type"], number>>;
  readonly count: number;
  readonly perAccount: number;
}

/**
 * Takes due messages on, the longest due first: of a channel one at a time, of an account as many as `perAccount` says. Those
 * whose holder has died count as due. Two workers that ask at once share them: each row is taken by whoever comes first.
 */
export async function claimDue(
  executor: Executor,
  { now, holdMs, count, perAccount }: Claim,
): Promise<readonly ClaimedMessage[]> {
  const { rows } = await sql<ClaimedMessage>`
    with held as (
      select account_id, channel_id from channel_messages where status = 'PENDING' and held_until > ${now}
    ), first as (
      select distinct on (channel_id) id, account_id, due_at from channel_messages
      where status = 'PENDING' and due_at <= ${now} and (held_until is null or held_until <= ${now})
        and channel_id not in (select channel_id from held)
      order by channel_id, due_at, id
    ), ranked as (
      select id, due_at, row_number() over (partition by account_id order by due_at, id)
        + (select count(*) from held where held.account_id = first.account_id) as place
      from first
    ), chosen as (
      select id from ranked where place <= ${perAccount} order by due_at, id limit ${count}
    )
    update channel_messages m set attempts = m.attempts + 1, held_until =
      case c.type when 'EMAIL' then ${after(now, holdMs.EMAIL)}::timestamptz else ${after(now, holdMs.WEBHOOK)}::timestamptz end
    from channels c, accounts a
    where m.id in (select id from chosen) and c.id = m.channel_id and a.id = m.account_id
      and m.status = 'PENDING' and (m.held_until is null or m.held_until <= ${now})
    returning m.id, m.account_id as "accountId", m.channel_id as "channelId", m.event, m.title, m.text, m.url, m.attempts, m.rounds,
      m.created_at as "createdAt", c.type, c.sealed_target as "sealedTarget", c.sealed_secret as "sealedSecret",
      a.name as "accountName"
  `.execute(executor);
  return rows;
}

/** false: somebody else has taken it on meanwhile, or it is gone. `dueAt` null: it has ended. */
export async function settle(
  executor: Executor,
  { id, attempts }: { readonly id: string; readonly attempts: number },
  success: boolean,
  dueAt: Date | null,
): Promise<boolean> {
  const result = await executor
    .updateTable("channelMessages")
    .set(dueAt === null ? { status: success ? "SENT" : "FAILED", heldUntil: null } : { dueAt, heldUntil: null })
    .where("id", "=", id)
    .where("attempts", "=", attempts)
    .where("status", "=", "PENDING")
    .executeTakeFirst();
  return result.numUpdatedRows === 1n;
}

/** When the next attempt is due, or its holder counts as dead; null: nothing waits. */
export async function nextDue(executor: Executor): Promise<Date | null> {
  const row = await executor
    .selectFrom("channelMessages")
    .select(sql<Date | null>`min(greatest(due_at, held_until))`.as("dueAt"))
    .where("status", "=", "PENDING")
    .executeTakeFirstOrThrow();
  return row.dueAt;
}

function after(time: Date, ms: number): Date {
  return new Date(time.getTime() + ms);
}
