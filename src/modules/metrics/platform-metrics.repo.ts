/** The operator's view, over all accounts: served to nobody else. Each query is bounded by what is under way, or an index. */
import { sql } from "kysely";
import { lowestIdAt } from "../../kernel/ids.ts";
import type { Database } from "../../platform/database/database.ts";

/** As `alerts/reading.ts` has it: a minute without any is none. */
const freshMs = 60_000;

export interface JobCounts {
  readonly task: string;
  readonly ready: number;
  readonly running: number;
  readonly scheduled: number;
  readonly failed: number;
  readonly oldest: number;
}

export async function jobs(database: Database): Promise<readonly JobCounts[]> {
  const { rows } = await sql<JobCounts>`
    with jobs as (
      select task_identifier as task, run_at, case when locked_at is not null then 'running'
        when attempts >= max_attempts then 'failed' when run_at > now() then 'scheduled' else 'ready' end as state
      from graphile_worker.jobs
    )
    select task, count(*) filter (where state = 'ready') as ready, count(*) filter (where state = 'running') as running,
      count(*) filter (where state = 'scheduled') as scheduled, count(*) filter (where state = 'failed') as failed,
      coalesce(extract(epoch from now() - min(run_at) filter (where state = 'ready')), 0)::double precision as oldest
    from jobs group by task order by task
  `.execute(database);
  return rows;
}

export interface StateCount {
  readonly state: string;
  readonly count: number;
}

export function unfinishedDeployments(database: Database): Promise<readonly StateCount[]> {
  return database
    .selectFrom("deployments")
    .select(["status as state", sql<number>`count(*)`.as("count")])
    .where("status", "in", ["AWAITING_CHECKS", "QUEUED", "BUILDING", "PUSHING", "DEPLOYING"])
    .groupBy("status")
    .orderBy("status")
    .execute();
}

export function recentDeployments(database: Database, since: Date): Promise<readonly StateCount[]> {
  return database
    .selectFrom("deployments")
    .select(["status as state", sql<number>`count(*)`.as("count")])
    .where("id", ">=", lowestIdAt(since))
    .groupBy("status")
    .orderBy("status")
    .execute();
}

export function services(database: Database): Promise<readonly StateCount[]> {
  return database
    .selectFrom("services")
    .select(["status as state", sql<number>`count(*)`.as("count")])
    .groupBy("status")
    .orderBy("status")
    .execute();
}

export type LatestReading = Awaited<ReturnType<typeof latestReadings>>[number];

export function latestReadings(database: Database, now: Date) {
  return database
    .selectFrom("serviceReadings")
    .innerJoin("services", "services.id", "serviceReadings.serviceId")
    .select([
      "serviceReadings.serviceId",
      "serviceReadings.accountId",
      "slug",
      "serviceReadings.cpuCores",
      "serviceReadings.memoryMb",
      "instancesUp",
      "instancesWanted",
    ])
    .where("windowStart", ">=", new Date(now.getTime() - freshMs))
    .orderBy("slug")
    .execute();
}
