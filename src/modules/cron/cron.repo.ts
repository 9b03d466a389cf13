import { type Insertable, type Selectable, sql, type Updateable } from "kysely";
import type { Executor } from "../../platform/database/database.ts";
import type { Tables } from "../../platform/database/tables.ts";

export type JobRow = Selectable<Tables["cronJobs"]>;
export type RunRow = Selectable<Tables["cronRuns"]>;

export function findJob(executor: Executor, accountId: string, id: string): Promise<JobRow | undefined> {
  return executor
    .selectFrom("cronJobs")
    .selectAll()
    .where("accountId", "=", accountId)
    .where("id", "=", id)
    .executeTakeFirst();
}

/** Newest first; up to `count` jobs behind the id `after`. */
export function listJobs(executor: Executor, accountId: string, count: number, after: string | null) {
  return executor
    .selectFrom("cronJobs")
    .selectAll()
    .where("accountId", "=", accountId)
    .$if(after !== null, (query) => query.where("id", "<", after ?? ""))
    .orderBy("id", "desc")
    .limit(count)
    .execute();
}

export async function insertJob(executor: Executor, job: Insertable<Tables["cronJobs"]>): Promise<void> {
  await executor.insertInto("cronJobs").values(job).execute();
}

export async function countJobs(executor: Executor, accountId: string): Promise<number> {
  const { count } = await executor
    .selectFrom("cronJobs")
    .select(({ fn }) => fn.countAll<number>().as("count"))
    .where("accountId", "=", accountId)
    .executeTakeFirstOrThrow();
  return count;
}

/** Neither the scheduler nor anybody else makes a run of it meanwhile. */
export function lockJob(executor: Executor, accountId: string, id: string): Promise<JobRow | undefined> {
  return executor
    .selectFrom("cronJobs")
    .selectAll()
    .where("accountId", "=", accountId)
    .where("id", "=", id)
    .forUpdate()
    .executeTakeFirst();
}

export async function updateJob(
  executor: Executor,
  accountId: string,
  id: string,
  changes: Updateable<Tables["cronJobs"]>,
): Promise<void> {
  await executor.updateTable("cronJobs").set(changes).where("accountId", "=", accountId).where("id", "=", id).execute();
}

/** Its name; undefined when there was none. A trigger leaves the note by which the rest of it goes. */
export async function deleteJob(executor: Executor, accountId: string, id: string): Promise<string | undefined> {
  const row = await executor
    .deleteFrom("cronJobs")
    .where("accountId", "=", accountId)
    .where("id", "=", id)
    .returning("name")
    .executeTakeFirst();
  return row?.name;
}

/** Keeps the service from being deleted until the transaction ends; false when the account has no such service. */
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

export async function hasUnfinishedRun(executor: Executor, jobId: string): Promise<boolean> {
  const row = await executor
    .selectFrom("cronRuns")
    .select("id")
    .where("jobId", "=", jobId)
    .where("status", "in", ["QUEUED", "RUNNING"])
    .executeTakeFirst();
  return row !== undefined;
}

/** Of a job that the transaction has locked. */
export async function insertRun(executor: Executor, run: Insertable<Tables["cronRuns"]>): Promise<void> {
  await executor.insertInto("cronRuns").values(run).execute();
  await executor.updateTable("cronJobs").set({ lastStatus: run.status }).where("id", "=", run.jobId).execute();
}

/** Newest first; up to `count` runs behind the id `after`. */
export function listRuns(executor: Executor, accountId: string, jobId: string, count: number, after: string | null) {
  return executor
    .selectFrom("cronRuns")
    .selectAll()
    .where("accountId", "=", accountId)
    .where("jobId", "=", jobId)
    .$if(after !== null, (query) => query.where("id", "<", after ?? ""))
    .orderBy("id", "desc")
    .limit(count)
    .execute();
}

export function findRun(executor: Executor, accountId: string, id: string): Promise<RunRow | undefined> {
  return executor
    .selectFrom("cronRuns")
    .selectAll()
    .where("accountId", "=", accountId)
    .where("id", "=", id)
    .executeTakeFirst();
}

export async function artifactsInUse(executor: Executor, serviceId: string): Promise<ReadonlySet<string>> {
  const rows = await executor
    .selectFrom("cronRuns")
    .innerJoin("deployments", "deployments.id", "cronRuns.deploymentId")
    .select("deployments.artifactId")
    .where("cronRuns.status", "=", "RUNNING")
    .where("deployments.serviceId", "=", serviceId)
    .execute();
  return new Set(rows.map((row) => row.artifactId));
}

/** What a sweep of the engine's holdings may not take: of these ids, those that are jobs, or whose removal is under way. */
export async function knownJobs(executor: Executor, ids: readonly string[]): Promise<ReadonlySet<string>> {
  const { rows } = await sql<{ id: string }>`
    select id from cron_jobs where id = any(${ids}::uuid[])
    union select job_id from cron_removals where job_id = any(${ids}::uuid[])
  `.execute(executor);
  return new Set(rows.map((row) => row.id));
}
