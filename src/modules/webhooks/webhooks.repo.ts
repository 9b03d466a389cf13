import { type Insertable, type Selectable, sql, type Updateable } from "kysely";
import type { Executor } from "../../platform/database/database.ts";
import type { Tables } from "../../platform/database/tables.ts";

export type WebhookRow = Selectable<Tables["webhooks"]>;
export type DeliveryRow = Awaited<ReturnType<typeof listDeliveries>>[number];
export type AttemptRow = Selectable<Tables["webhookAttempts"]>;

export function findWebhook(executor: Executor, accountId: string, id: string) {
  return executor
    .selectFrom("webhooks")
    .selectAll()
    .where("accountId", "=", accountId)
    .where("id", "=", id)
    .executeTakeFirst();
}

/** Newest first; up to `count` rows behind the id `after`. */
export function listWebhooks(executor: Executor, accountId: string, count: number, after: string | null) {
  return executor
    .selectFrom("webhooks")
    .selectAll()
    .where("accountId", "=", accountId)
    .$if(after !== null, (query) => query.where("id", "<", after ?? ""))
    .orderBy("id", "desc")
    .limit(count)
    .execute();
}

/** How many the account has; nobody else adds one before the transaction ends. */
export async function countWebhooks(executor: Executor, accountId: string): Promise<number> {
  await sql`select pg_advisory_xact_lock(hashtextextended('webhooks of ' || ${accountId}, 0))`.execute(executor);
  const row = await executor
    .selectFrom("webhooks")
    .select((eb) => eb.fn.countAll<number>().as("count"))
    .where("accountId", "=", accountId)
    .executeTakeFirst();
  return row?.count ?? 0;
}

export function insertWebhook(executor: Executor, webhook: Insertable<Tables["webhooks"]>): Promise<WebhookRow> {
  return executor.insertInto("webhooks").values(webhook).returningAll().executeTakeFirstOrThrow();
}

export function updateWebhook(
  executor: Executor,
  accountId: string,
  id: string,
  changes: Updateable<Tables["webhooks"]>,
): Promise<WebhookRow | undefined> {
  return executor
    .updateTable("webhooks")
    .set(changes)
    .where("accountId", "=", accountId)
    .where("id", "=", id)
    .returningAll()
    .executeTakeFirst();
}

/** Its address; undefined when there was none. */
export async function deleteWebhook(executor: Executor, accountId: string, id: string): Promise<string | undefined> {
  const row = await executor
    .deleteFrom("webhooks")
    .where("accountId", "=", accountId)
    .where("id", "=", id)
    .returning("url")
    .executeTakeFirst();
  return row?.url;
}

/** Newest first; up to `count` rows behind the id `after`. */
export function listDeliveries(
  executor: Executor,
  accountId: string,
  webhookId: string,
  count: number,
  after: string | null,
) {
  return executor
    .selectFrom("webhookDeliveries")
    .select(["id", "event", "status", "nextAttemptAt", "error", "createdAt"])
    .where("accountId", "=", accountId)
    .where("webhookId", "=", webhookId)
    .$if(after !== null, (query) => query.where("id", "<", after ?? ""))
    .orderBy("id", "desc")
    .limit(count)
    .execute();
}

/** The latest `count` of each, in their order. */
export async function listAttempts(
  executor: Executor,
  deliveryIds: readonly string[],
  count: number,
): Promise<readonly AttemptRow[]> {
  if (deliveryIds.length === 0) return [];
  const { rows } = await sql<AttemptRow>`
    select attempt.* from unnest(${deliveryIds}::uuid[]) as wanted (id) cross join lateral (
      select * from webhook_attempts where delivery_id = wanted.id order by number desc limit ${count}
    ) as attempt order by attempt.delivery_id, attempt.number`.execute(executor);
  return rows;
}

export function lockDelivery(executor: Executor, accountId: string, id: string) {
  return executor
    .selectFrom("webhookDeliveries")
    .innerJoin("webhooks", "webhooks.id", "webhookDeliveries.webhookId")
    .select(["webhookDeliveries.webhookId", "webhookDeliveries.attempts", "webhooks.enabled"])
    .where("webhookDeliveries.accountId", "=", accountId)
    .where("webhookDeliveries.id", "=", id)
    .forNoKeyUpdate("webhookDeliveries")
    .executeTakeFirst();
}

export async function makeDue(executor: Executor, accountId: string, id: string, now: Date): Promise<void> {
  await executor
    .updateTable("webhookDeliveries")
    .set({ status: "PENDING", nextAttemptAt: now, error: null })
    .where("accountId", "=", accountId)
    .where("id", "=", id)
    .execute();
}

/** Whatever waits to be delivered to that webhook ends here. */
export async function giveUpWaiting(executor: Executor, webhookId: string, error: string): Promise<void> {
  await executor
    .updateTable("webhookDeliveries")
    .set({ status: "FAILED", error })
    .where("webhookId", "=", webhookId)
    .where("status", "=", "PENDING")
    .execute();
}
