/** What the scheduler asks: which jobs are due, and their runs with their next due times in one statement. */
import { sql } from "kysely";
import type { Executor } from "../../platform/database/database.ts";

export interface DueJob {
  readonly id: string;
  readonly accountId: string;
  readonly schedule: string;
  readonly timezone: string;
  readonly nextRunAt: Date;
  readonly isUnfinished: boolean;
  readonly isSuspended: boolean;
  readonly isStopped: boolean;
}

/** Jobs whose time has come, longest ago first, locked; not those that another worker has locked. */
export async function lockDueJobs(executor: Executor, now: Date, count: number): Promise<readonly DueJob[]> {
  const { rows } = await sql<DueJob>`
    select jobs.id, jobs.account_id, jobs.schedule, jobs.timezone, jobs.next_run_at,
      exists (select from cron_runs where job_id = jobs.id and status in ('QUEUED', 'RUNNING')) as is_unfinished,
      accounts.suspended_at is not null or services.status = 'SUSPENDED' is true as is_suspended,
      coalesce(services.desired_state = 'STOPPED', false) as is_stopped
    from cron_jobs as jobs
    join accounts on accounts.id = jobs.account_id
    left join services on services.id = jobs.service_id
    where jobs.next_run_at <= ${now}
    order by jobs.next_run_at
    limit ${count}
    for update of jobs skip locked
  `.execute(executor);
  return rows;
}

export interface NewRun {
  readonly id: string;
  readonly accountId: string;
  readonly jobId: string;
  readonly status: "QUEUED" | "SKIPPED";
  readonly scheduledFor: Date;
  readonly error: string | null;
}

export interface NextDue {
  readonly jobId: string;
  /** null: it is paused. */
  readonly nextRunAt: Date | null;
  readonly plannedFrom: Date;
}

/**
 * In the transaction that has locked the jobs. A due time that has a run already, whatever the job's row says,
 * gets no second one: the job's row moves on.
 */
export async function planOn(
  executor: Executor,
  { runs, due, now, zoneData }: { runs: readonly NewRun[]; due: readonly NextDue[]; now: Date; zoneData: string },
): Promise<void> {
  await sql`
    with runs as (
      select * from json_to_recordset(${JSON.stringify(runs)}::json) as runs (
        id uuid, "accountId" uuid, "jobId" uuid, status text, "scheduledFor" timestamptz, error text)
    ), made as (
      insert into cron_runs (id, account_id, job_id, status, trigger, scheduled_for, created_at, finished_at, error)
      select id, "accountId", "jobId", status, 'SCHEDULE', "scheduledFor", ${now}::timestamptz,
        case when status = 'SKIPPED' then ${now}::timestamptz end, error
      from runs
      on conflict (job_id, scheduled_for) where trigger = 'SCHEDULE' do nothing
      returning job_id, scheduled_for, status
    ), newest as (
      select distinct on (job_id) job_id, status from made order by job_id, scheduled_for desc
    )
    update cron_jobs as jobs set
      next_run_at = due."nextRunAt",
      enabled = due."nextRunAt" is not null,
      planned_from = due."plannedFrom",
      zone_data = ${zoneData},
      last_status = coalesce(newest.status, jobs.last_status)
    from json_to_recordset(${JSON.stringify(due)}::json) as due (
      "jobId" uuid, "nextRunAt" timestamptz, "plannedFrom" timestamptz)
    left join newest on newest.job_id = due."jobId"
    where jobs.id = due."jobId"
  `.execute(executor);
}

/** null: no job has a due time. */
export async function nearestDue(executor: Executor): Promise<Date | null> {
  const row = await executor
    .selectFrom("cronJobs")
    .select("nextRunAt")
    .where("nextRunAt", "is not", null)
    .orderBy("nextRunAt")
    .limit(1)
    .executeTakeFirst();
  return row?.nextRunAt ?? null;
}

/** Jobs that are not paused and were planned with other time-zone data, locked. */
export async function lockOutdated(executor: Executor, zoneData: string, count: number) {
  return executor
    .selectFrom("cronJobs")
    .select(["id", "schedule", "timezone", "plannedFrom"])
    .where("zoneData", "<>", zoneData)
    .where("nextRunAt", "is not", null)
    .orderBy("id")
    .limit(count)
    .forUpdate()
    .skipLocked()
    .execute();
}

/** A job whose schedule is not understood any more keeps its due time: the scheduler says so then. */
export async function replan(executor: Executor, due: readonly NextDue[], zoneData: string): Promise<void> {
  await sql`
    update cron_jobs as jobs set next_run_at = coalesce(due."nextRunAt", jobs.next_run_at), zone_data = ${zoneData}
    from json_to_recordset(${JSON.stringify(due)}::json) as due ("jobId" uuid, "nextRunAt" timestamptz)
    where jobs.id = due."jobId"
  `.execute(executor);
}
