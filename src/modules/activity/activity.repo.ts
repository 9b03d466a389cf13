import type { Executor } from "../../platform/database/database.ts";
import { insertRows } from "../../platform/database/insert-rows.ts";

export interface ActivityFilter {
  readonly entityType?: string | undefined;
  readonly entityId?: string | undefined;
}

export type ActivityRow = Awaited<ReturnType<typeof listEvents>>[number];

/** `metadata` as it is. */
export type NewEvent = Readonly<Record<keyof typeof columns, unknown>>;

const columns = {
  ...{ id: "uuid", accountId: "uuid", action: "text", entityType: "text", entityId: "text", metadata: "jsonb" },
  actorName: "text",
};

export async function insertEvents(executor: Executor, events: readonly NewEvent[]): Promise<void> {
  await insertRows(executor, "activityEvents", columns, events);
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
