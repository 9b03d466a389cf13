/** Windows or hours of a service, added up in intervals. By account: whose service it is stands in its row. */
import { type RawBuilder, sql } from "kysely";
import type { Executor } from "../../platform/database/database.ts";
import type { Resolution } from "./resolution.ts";

export interface UsageRow {
  readonly at: Date;
  readonly cpuCores: number | null;
  readonly cpuCoresMax: number | null;
  readonly memoryMb: number | null;
  readonly memoryMbMax: number | null;
  readonly instancesUp: number;
  readonly instancesWanted: number;
}

export async function usage(
  executor: Executor,
  accountId: string,
  serviceId: string,
  resolution: Resolution,
): Promise<readonly UsageRow[]> {
  const rows = resolution.hourly
    ? sql<UsageRow>`select ${interval("hour", resolution)}, avg(cpu_cores_avg) as cpu_cores, max(cpu_cores_max)
        as cpu_cores_max, avg(memory_mb_avg) as memory_mb, max(memory_mb_max) as memory_mb_max,
        min(instances_up_min) as instances_up, max(instances_wanted_max) as instances_wanted
      from service_sample_hours`
    : sql<UsageRow>`select ${interval("window_start", resolution)}, avg(cpu_cores) as cpu_cores, max(cpu_cores)
        as cpu_cores_max, avg(memory_mb) as memory_mb, max(memory_mb) as memory_mb_max,
        min(instances_up) as instances_up, max(instances_wanted) as instances_wanted
      from service_samples`;
  const time = sql.ref(resolution.hourly ? "hour" : "window_start");
  return (
    await sql<UsageRow>`${rows} where service_id = ${serviceId} and ${within(time, resolution)} and
      exists (select from services where id = ${serviceId} and account_id = ${accountId}) group by 1`.execute(executor)
  ).rows;
}

export interface TrafficRow {
  readonly at: Date;
  readonly requests: number;
  readonly bytesIn: number;
  readonly bytesOut: number;
  readonly statuses: readonly number[];
  readonly latencies: readonly number[];
}

export async function traffic(
  executor: Executor,
  accountId: string,
  serviceId: string,
  resolution: Resolution,
): Promise<readonly TrafficRow[]> {
  const [table, column] = resolution.hourly
    ? (["service_traffic_hours", "hour"] as const)
    : (["service_traffic", "window_start"] as const);
  return (
    await sql<TrafficRow>`select ${interval(column, resolution)}, sum(requests)::bigint as requests,
      sum(bytes_in)::bigint as bytes_in, sum(bytes_out)::bigint as bytes_out,
      sum_counts(statuses) as statuses, sum_counts(latencies) as latencies
    from ${sql.table(table)} where service_id = ${serviceId} and account_id = ${accountId}
      and ${within(sql.ref(column), resolution)} group by 1`.execute(executor)
  ).rows;
}

function interval(column: "hour" | "window_start", { stepSeconds }: Resolution) {
  return sql`date_bin(make_interval(secs => ${stepSeconds}), ${sql.ref(column)}, 'epoch') as at`;
}

function within(time: RawBuilder<unknown>, { since, until }: Resolution) {
  return sql`${time} >= ${new Date(since)} and ${time} < ${new Date(until)}`;
}
