import { type Insertable, sql } from "kysely";
import type { Executor } from "../../platform/database/database.ts";
import type { Tables } from "../../platform/database/tables.ts";

/** What the dispatcher listens to. */
export const deliveriesChannel = "webhook_deliveries";

/** The enabled ones that want to know; none of them is deleted before the transaction ends. */
export async function subscribersOf(executor: Executor, accountId: string, event: string): Promise<readonly string[]> {
  const rows = await executor
    .selectFrom("webhooks")
    .select("id")
    .where("accountId", "=", accountId)
    .where("enabled", "=", true)
    .where(sql<boolean>`(events = '{}' or ${event} = any(events))`)
    .orderBy("id")
    .forKeyShare()
    .execute();
  return rows.map(({ id }) => id);
}

export async function insertDeliveries(
  executor: Executor,
  rows: readonly Insertable<Tables["webhookDeliveries"]>[],
): Promise<void> {
  await executor.insertInto("webhookDeliveries").values(rows).execute();
  await wakeDispatcher(executor);
}

/** When the transaction commits. */
export async function wakeDispatcher(executor: Executor): Promise<void> {
  await sql`select pg_notify(${deliveriesChannel}, '')`.execute(executor);
}
