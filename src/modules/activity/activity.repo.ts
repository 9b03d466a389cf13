import type { Insertable } from "kysely";
import type { Executor } from "../../platform/database/database.ts";
import type { Tables } from "../../platform/database/tables.ts";

export interface ActivityFilter {
  readonly entityType?: string | undefined;
  readonly entityId?: string | undefined;
}

export type ActivityRow = Awaited<ReturnType<typeof listEvents>>[number];

export async function insertEvent(executor: Executor, event: Insertable<Tables["activityEvents"]>): Promise<void> {
  await executor.insertInto("activityEvents").values(event).execute();
}

/** Newest first; up to `count` events behind the id `after`. */
export function listEvents(
  executor: Executor,
  accountId: string,
  filter: ActivityFilter,
  count: number,
  after: string | null,
) {
  let query = executor
    .selectFrom("activityEvents")
    .select(["id", "action", "entityType", "entityId", "metadata", "actorName", "createdAt"])
    .where("accountId", "=", accountId);
  for (const column of ["entityType", "entityId"] as const) {
    const value = filter[column];
    if (value !== undefined) query = query.where(column, "=", value);
  }
  if (after !== null) query = query.where("id", "<", after);
  return query.orderBy("id", "desc").limit(count).execute();
}
