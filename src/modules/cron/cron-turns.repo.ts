/** What the runner asks: whose turn it is, and how runs end. */
import { type Selectable, sql } from "kysely";
import type { Executor } from "../../platform/database/database.ts";
import type { Tables } from "../../platform/database/tables.ts";

export interface Places {
  /** Runs that may go on at once. */
  readonly total: number;
  /** Of one account. */
  readonly perAccount: number;
}

/**
 * Gives the free places away: to the account that has the fewest first, and of one account to its oldest run. The caller
 * is the only one to do so at a time. How many runs began.
 */
export async function beginRuns(executor: Executor, { total, perAccount }: Places, now: Date): Promise<number> {
  const { rows } = await sql`
    with going as (
      select account_id, count(*)::integer as places from cron_runs where status = 'RUNNING' group by account_id
    ), waiting as (
      select id, account_id, job_id, row_number() over (partition by account_id order by id) as place
      from cron_runs where status = 'QUEUED'
    ), turns as (
      select waiting.id, waiting.job_id from waiting left join going using (account_id)
      where place <= ${perAccount}::integer and coalesce(going.places, 0) + place <= ${perAccount}::integer
      order by coalesce(going.places, 0) + place, waiting.id
      limit greatest(0, ${total}::integer - (select count(*) from cron_runs where status = 'RUNNING'))
    ), jobs as (
      -- Jobs before their runs, as whoever deletes a job locks them; one that is being deleted or changed waits.
      select id, service_id from cron_jobs where id in (select job_id from turns) for update skip locked
    ), begun as (
      update cron_runs as runs set
        status = 'RUNNING', started_at = ${now}, error = null,
        deployment_id = (select current_deployment_id from services where id = jobs.service_id)
      from turns join jobs on jobs.id = turns.job_id
      where runs.id = turns.id and runs.status = 'QUEUED'
      returning runs.job_id
    )
    update cron_jobs set last_status = 'RUNNING', last_run_at = ${now} from begun where cron_jobs.id = begun.job_id
    returning 1
  `.execute(executor);
  return rows.length;
}

/** Runs that wait since before `long` say so; those that wait since before `tooLong` are skipped. */
export async function tellWaiting(
  executor: Executor,
  at: { readonly now: Date; readonly long: Date; readonly tooLong: Date },
  words: { readonly waits: string; readonly waitedTooLong: string },
): Promise<void> {
  await sql`
    with jobs as (
      select id from cron_jobs
      where id in (select job_id from cron_runs where status = 'QUEUED' and created_at < ${at.tooLong})
      for update skip locked
    ), skipped as (
      update cron_runs set status = 'SKIPPED', finished_at = ${at.now}, error = ${words.waitedTooLong}
      from jobs where job_id = jobs.id and status = 'QUEUED' and created_at < ${at.tooLong}
      returning job_id
    )
    update cron_jobs set last_status = 'SKIPPED' from skipped where cron_jobs.id = skipped.job_id
  `.execute(executor);
  await executor
    .updateTable("cronRuns")
    .set({ error: words.waits })
    .where("status", "=", "QUEUED")
    .where("createdAt", "<", at.long)
    .where("error", "is", null)
    .execute();
}

export async function hasQueued(executor: Executor): Promise<boolean> {
  const row = await executor
    .selectFrom("cronRuns")
    .select("id")
    .where("status", "=", "QUEUED")
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

export async function listRunning(executor: Executor): Promise<readonly string[]> {
  const rows = await executor.selectFrom("cronRuns").select("id").where("status", "=", "RUNNING").execute();
  return rows.map((row) => row.id);
}

export type GoingRun = Pick<
  Selectable<Tables["cronRuns"]>,
  "id" | "accountId" | "jobId" | "launched" | "deploymentId"
> &
  Pick<Selectable<Tables["cronJobs"]>, "name" | "command" | "timeoutSeconds" | "serviceId">;

/** undefined once it has ended, or its job is gone. */
export function findGoing(executor: Executor, id: string): Promise<GoingRun | undefined> {
  return executor
    .selectFrom("cronRuns as runs")
    .innerJoin("cronJobs as jobs", "jobs.id", "runs.jobId")
    .select(["runs.id", "runs.accountId", "runs.jobId", "runs.launched", "runs.deploymentId"])
    .select(["jobs.name", "jobs.command", "jobs.timeoutSeconds", "jobs.serviceId"])
    .where("runs.id", "=", id)
    .where("runs.status", "=", "RUNNING")
    .executeTakeFirst();
}

/** false: its job is gone. */
export async function noteLaunched(executor: Executor, id: string): Promise<boolean> {
  const result = await executor.updateTable("cronRuns").set({ launched: true }).where("id", "=", id).executeTakeFirst();
  return result.numUpdatedRows === 1n;
}

export interface RunEnd {
  readonly status: "SUCCESS" | "FAILED";
  readonly exitCode: number | null;
  readonly error: string | null;
  readonly startedAt?: Date;
  readonly finishedAt: Date;
}

/** How the run before it ended (null: there was none); undefined when this one has ended already, or its job is gone. */
export async function endRun(
  executor: Executor,
  { id, jobId }: Pick<GoingRun, "id" | "jobId">,
  end: RunEnd,
): Promise<{ readonly before: string | null } | undefined> {
  // The job before its run, as whoever deletes it locks them.
  await executor.selectFrom("cronJobs").select("id").where("id", "=", jobId).forUpdate().execute();
  const ended = await executor
    .updateTable("cronRuns")
    .set(end)
    .where("id", "=", id)
    .where("status", "=", "RUNNING")
    .returning("id")
    .executeTakeFirst();
  if (ended === undefined) return undefined;
  await executor
    .updateTable("cronJobs")
    .set({
      lastStatus: end.status,
      lastExitCode: end.exitCode,
      ...(end.startedAt === undefined ? {} : { lastRunAt: end.startedAt }),
    })
    .where("id", "=", jobId)
    .execute();
  const before = await executor
    .selectFrom("cronRuns")
    .select("status")
    .where("jobId", "=", jobId)
    .where("id", "<", id)
    .where("status", "in", ["SUCCESS", "FAILED"])
    .orderBy("id", "desc")
    .limit(1)
    .executeTakeFirst();
  return { before: before?.status ?? null };
}
