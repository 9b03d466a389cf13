import { type Insertable, type RawBuilder, sql, type Updateable } from "kysely";
import type { Executor } from "../../platform/database/database.ts";
import { insertRows } from "../../platform/database/insert-rows.ts";
import type { Tables } from "../../platform/database/tables.ts";
import type { Metric } from "./alerts.schema.ts";

export function listRules(executor: Executor, accountId: string) {
  return executor
    .selectFrom("alertRules")
    .leftJoin("services", "services.id", "alertRules.serviceId")
    .select([
      "alertRules.id",
      "alertRules.name",
      "metric",
      "comparator",
      "threshold",
      "enabled",
      "state",
      "lastValue",
      "lastCheckedAt",
      "serviceId",
      "services.name as serviceName",
      "channelId",
    ])
    .where("alertRules.accountId", "=", accountId)
    .orderBy("alertRules.id", "desc")
    .execute();
}

export async function countRules(executor: Executor, accountId: string): Promise<number> {
  const { count } = await executor
    .selectFrom("alertRules")
    .select(sql<number>`count(*)`.as("count"))
    .where("accountId", "=", accountId)
    .executeTakeFirstOrThrow();
  return count;
}

/** Keeps it from being deleted meanwhile; false when the account has no such service. */
export async function holdService(executor: Executor, accountId: string, serviceId: string): Promise<boolean> {
  const row = await executor
    .selectFrom("services")
    .select("id")
    .where("accountId", "=", accountId)
    .where("id", "=", serviceId)
    .forKeyShare()
    .executeTakeFirst();
  return row !== undefined;
}

export async function insertRule(executor: Executor, rule: Insertable<Tables["alertRules"]>): Promise<void> {
  await executor.insertInto("alertRules").values(rule).execute();
}

export function lockRule(executor: Executor, accountId: string, id: string) {
  return executor
    .selectFrom("alertRules")
    .select(["name", "enabled", "state", "revision"])
    .where("accountId", "=", accountId)
    .where("id", "=", id)
    .forUpdate()
    .executeTakeFirst();
}

export async function updateRule(
  executor: Executor,
  accountId: string,
  id: string,
  changes: Updateable<Tables["alertRules"]>,
): Promise<void> {
  await executor
    .updateTable("alertRules")
    .set(changes)
    .where("accountId", "=", accountId)
    .where("id", "=", id)
    .execute();
}

/** Its name; undefined when there was none. */
export async function deleteRule(executor: Executor, accountId: string, id: string): Promise<string | undefined> {
  const row = await executor
    .deleteFrom("alertRules")
    .where("accountId", "=", accountId)
    .where("id", "=", id)
    .returning("name")
    .executeTakeFirst();
  return row?.name;
}

export async function insertEvents(
  executor: Executor,
  events: readonly Required<Insertable<Tables["alertEvents"]>>[],
): Promise<void> {
  const columns = { id: "uuid", ruleId: "uuid", state: "text", value: "double precision", createdAt: "timestamptz" };
  await insertRows(executor, "alertEvents", columns, events);
}

/** Newest first; null when the account has no such rule. */
export async function listEvents(executor: Executor, accountId: string, ruleId: string, count: number) {
  const rows = await executor
    .selectFrom("alertRules")
    .leftJoinLateral(
      (query) =>
        query
          .selectFrom("alertEvents")
          .select(["id", "state", "value", "createdAt"])
          .whereRef("ruleId", "=", "alertRules.id")
          .orderBy("id", "desc")
          .limit(count)
          .as("events"),
      (join) => join.onTrue(),
    )
    .select(["events.id", "events.state", "events.value", "events.createdAt"])
    .where("alertRules.accountId", "=", accountId)
    .where("alertRules.id", "=", ruleId)
    .orderBy("events.id", "desc")
    .execute();
  if (rows.length === 0) return null;
  return rows.flatMap(({ id, state, value, createdAt }) =>
    id === null || state === null || createdAt === null ? [] : [{ id, state, value, createdAt }],
  );
}

/** What a metric is, of a row of `service_readings as readings`. */
export function metricOf(metric: Metric): RawBuilder<number | null> {
  if (metric === "CPU_CORES") return sql`readings.cpu_cores`;
  if (metric === "MEMORY_MB") return sql`readings.memory_mb`;
  return sql`(readings.instances_wanted > 0 and readings.instances_up = 0)::integer`;
}

/** undefined when the account has no such service; its value null when there is no reading. */
export function readingOf(executor: Executor, accountId: string, serviceId: string, metric: Metric, since: Date) {
  return executor
    .selectFrom("services")
    .leftJoin("serviceReadings as readings", (join) =>
      join.onRef("readings.serviceId", "=", "services.id").on("windowStart", ">=", since),
    )
    .select(
      sql<number | null>`case when readings.service_id is null then null else ${metricOf(metric)} end`.as("value"),
    )
    .where("services.accountId", "=", accountId)
    .where("services.id", "=", serviceId)
    .executeTakeFirst();
}
