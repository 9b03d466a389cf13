import { sql } from "kysely";
import type { ServiceTraffic, TrafficBatch } from "../../edge/metering/traffic.ts";
import type { Executor } from "../../platform/database/database.ts";

export interface OwnedTraffic extends ServiceTraffic {
  readonly accountId: string;
  readonly windowStart: string;
}

/** Notes that these batches are being counted; those that were not before. */
export async function claimBatches(
  executor: Executor,
  batches: readonly TrafficBatch[],
  now: Date,
): Promise<readonly TrafficBatch[]> {
  const rows = await executor
    .insertInto("meteringBatches")
    .values(batches.map(({ id }) => ({ id, countedAt: now })))
    .onConflict((conflict) => conflict.column("id").doNothing())
    .returning("id")
    .execute();
  const claimed = new Set(rows.map(({ id }) => id));
  return batches.filter(({ id }) => claimed.has(id));
}

/** Whose these services are, or were; those that never were are missing. */
export async function findOwners(
  executor: Executor,
  serviceIds: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const { rows } = await sql<{ serviceId: string; accountId: string }>`
    select id as service_id, account_id from services where id = any(${serviceIds}::uuid[])
    union select service_id, account_id from deleted_services where service_id = any(${serviceIds}::uuid[])
  `.execute(executor);
  return new Map(rows.map(({ serviceId, accountId }) => [serviceId, accountId]));
}

/** Adds to what was counted before, in windows and in hours; in an order in which two of these don't wait for each other. */
export async function addTraffic(executor: Executor, traffic: readonly OwnedTraffic[]): Promise<void> {
  await sql`
    with rows as (
      select * from json_to_recordset(${JSON.stringify(traffic)}::json) as rows (
        "accountId" uuid, "serviceId" uuid, "windowStart" timestamptz,
        requests bigint, "bytesIn" bigint, "bytesOut" bigint, statuses integer[], latencies integer[])
    ), windows as (
      insert into service_traffic as known
        (account_id, service_id, window_start, requests, bytes_in, bytes_out, statuses, latencies)
      select "accountId", "serviceId", "windowStart",
        sum(requests), sum("bytesIn"), sum("bytesOut"), sum_counts(statuses), sum_counts(latencies)
      from rows group by 1, 2, 3 order by 2, 3
      on conflict (service_id, window_start) do update set
        requests = known.requests + excluded.requests,
        bytes_in = known.bytes_in + excluded.bytes_in,
        bytes_out = known.bytes_out + excluded.bytes_out,
        statuses = add_counts(known.statuses, excluded.statuses),
        latencies = add_counts(known.latencies, excluded.latencies)
    )
    insert into service_traffic_hours as known
      (account_id, service_id, hour, requests, bytes_in, bytes_out, statuses, latencies)
    select "accountId", "serviceId", date_trunc('hour', "windowStart", 'UTC'),
      sum(requests), sum("bytesIn"), sum("bytesOut"), sum_counts(statuses), sum_counts(latencies)
    from rows group by 1, 2, 3 order by 2, 3
    on conflict (service_id, hour) do update set
      requests = known.requests + excluded.requests,
      bytes_in = known.bytes_in + excluded.bytes_in,
      bytes_out = known.bytes_out + excluded.bytes_out,
      statuses = add_counts(known.statuses, excluded.statuses),
      latencies = add_counts(known.latencies, excluded.latencies)
  `.execute(executor);
}

export interface Ages {
  readonly batches: Date;
  readonly windows: Date;
  readonly hours: Date;
}

/** Forgets what is older. */
export async function forget(executor: Executor, before: Ages): Promise<void> {
  await executor.deleteFrom("meteringBatches").where("countedAt", "<", before.batches).execute();
  await executor.deleteFrom("deletedServices").where("deletedAt", "<", before.batches).execute();
  await executor.deleteFrom("serviceTraffic").where("windowStart", "<", before.windows).execute();
  await executor.deleteFrom("serviceTrafficHours").where("hour", "<", before.hours).execute();
}
