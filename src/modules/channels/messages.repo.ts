import { type Insertable, sql } from "kysely";
import type { Executor } from "../../platform/database/database.ts";
import { insertRows } from "../../platform/database/insert-rows.ts";
import type { Tables } from "../../platform/database/tables.ts";

export type NewMessage = Required<Omit<Insertable<Tables["channelMessages"]>, "attempts" | "rounds" | "heldUntil">>;
export type NewDelivery = Required<Insertable<Tables["channelDeliveries"]>>;

/** false: the account was told under this key before. */
export async function claimKey(executor: Executor, accountId: string, key: string, now: Date): Promise<boolean> {
  const rows = await executor
    .insertInto("toldNotices")
    .values({ accountId, key, toldAt: now })
    .onConflict((conflict) => conflict.columns(["accountId", "key"]).doNothing())
    .returning("key")
    .execute();
  return rows.length === 1;
}

export interface Recipient {
  readonly id: string;
  readonly accountId: string;
  /** What it has subscribed to. */
  readonly events: readonly string[];
  /** Messages that wait for it. */
  readonly waiting: number;
}

/**
 * The enabled channels of these accounts. None of them can be deleted before the transaction has ended: what is added for
 * them does not break it.
 */
export async function listRecipients(executor: Executor, accountIds: readonly string[]): Promise<readonly Recipient[]> {
  return executor
    .selectFrom("channels")
    .select(["id", "accountId", "events"])
    .select(
      sql<number>`(select count(*) from channel_messages m where m.channel_id = channels.id and m.status = 'PENDING')`.as(
        "waiting",
      ),
    )
    .where("accountId", "=", sql<string>`any(${accountIds}::uuid[])`)
    .where("enabled", "=", true)
    .orderBy("id")
    .forKeyShare()
    .execute();
}

export async function countWaiting(executor: Executor, channelId: string): Promise<number> {
  const row = await executor
    .selectFrom("channelMessages")
    .select(sql<number>`count(*)`.as("count"))
    .where("channelId", "=", channelId)
    .where("status", "=", "PENDING")
    .executeTakeFirstOrThrow();
  return row.count;
}

export async function insertMessages(executor: Executor, messages: readonly NewMessage[]): Promise<void> {
  await insertRows(executor, "channelMessages", messageColumns, messages);
}

export async function insertDeliveries(executor: Executor, deliveries: readonly NewDelivery[]): Promise<void> {
  await insertRows(executor, "channelDeliveries", deliveryColumns, deliveries);
}

const messageColumns = {
  ...{ id: "uuid", accountId: "uuid", channelId: "uuid", event: "text", title: "text", text: "text", url: "text" },
  ...{ status: "text", dueAt: "timestamptz", createdAt: "timestamptz" },
};
const deliveryColumns = {
  ...{ id: "uuid", accountId: "uuid", channelId: "uuid", messageId: "uuid", success: "boolean" },
  ...{ statusCode: "integer", error: "text", createdAt: "timestamptz" },
};

/** Newest first. */
export function listDeliveries(executor: Executor, accountId: string, channelId: string, count: number) {
  return executor
    .selectFrom("channelDeliveries as delivery")
    .innerJoin("channelMessages as message", "message.id", "delivery.messageId")
    .select([
      "delivery.id",
      "message.event",
      "message.title",
      "delivery.success",
      "delivery.statusCode",
      "delivery.error",
      "delivery.createdAt",
    ])
    .where("delivery.accountId", "=", accountId)
    .where("delivery.channelId", "=", channelId)
    .orderBy("delivery.id", "desc")
    .limit(count)
    .execute();
}

/** What was delivered, or was not; its channel. */
export function findDelivery(executor: Executor, accountId: string, id: string) {
  return executor
    .selectFrom("channelDeliveries")
    .select(["messageId", "channelId"])
    .where("accountId", "=", accountId)
    .where("id", "=", id)
    .executeTakeFirst();
}

/** Due now, with all its attempts before it; one that waits anyway keeps those that it has left. */
export async function renewMessage(executor: Executor, id: string, now: Date): Promise<void> {
  await executor
    .updateTable("channelMessages")
    .set({
      dueAt: now,
      attempts: sql<number>`case status when 'PENDING' then attempts else 0 end`,
      rounds: sql<number>`case status when 'PENDING' then rounds else rounds + 1 end`,
      status: "PENDING",
    })
    .where("id", "=", id)
    .execute();
}

/** What waits for a channel and is not under way is given up. */
export async function dropWaiting(executor: Executor, channelIds: readonly string[], now: Date): Promise<void> {
  if (channelIds.length === 0) return;
  await executor
    .updateTable("channelMessages")
    .set({ status: "FAILED" })
    .where("channelId", "in", channelIds)
    .where("status", "=", "PENDING")
    .where((where) => where.or([where("heldUntil", "is", null), where("heldUntil", "<=", now)]))
    .execute();
}

/** Keeps the last 30 days, and of each channel the newest `count` attempts. Messages that wait stay. */
export async function deleteOld(executor: Executor, before: Date, count: number): Promise<void> {
  await executor
    .deleteFrom("channelMessages")
    .where("createdAt", "<", before)
    .where("status", "<>", "PENDING")
    .execute();
  await sql`
    delete from channel_messages m using (
      select message_id from (
        select message_id, row_number() over (partition by channel_id order by id desc) as place from channel_deliveries
      ) as ranked group by message_id having min(place) > ${count}
    ) as old where m.id = old.message_id and m.status <> 'PENDING'
  `.execute(executor);
}

export async function deleteKeysBefore(executor: Executor, time: Date): Promise<void> {
  await executor.deleteFrom("toldNotices").where("toldAt", "<", time).execute();
}
