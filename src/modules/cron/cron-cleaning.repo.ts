import { sql } from "kysely";
import type { Executor } from "../../platform/database/database.ts";

export async function listRemovals(executor: Executor): Promise<readonly string[]> {
  const rows = await executor.selectFrom("cronRemovals").select("jobId").orderBy("requestedAt").limit(1000).execute();
  return rows.map((row) => row.jobId);
}

export async function finishRemoval(executor: Executor, jobId: string): Promise<void> {
  await executor.deleteFrom("cronRemovals").where("jobId", "=", jobId).execute();
}

/** Ended runs beyond the newest `kept` of their job, or from before `since`. */
export async function listOldRuns(
  executor: Executor,
  kept: number,
  since: Date,
  count: number,
): Promise<readonly { readonly id: string; readonly jobId: string }[]> {
  const { rows } = await sql<{ id: string; jobId: string }>`
    select id, job_id from (
      select id, job_id, status, created_at, row_number() over (partition by job_id order by id desc) as place from cron_runs
    ) as runs
    where (place > ${kept} or created_at < ${since}) and status not in ('QUEUED', 'RUNNING')
    limit ${count}
  `.execute(executor);
  return rows;
}

export async function deleteRuns(executor: Executor, ids: readonly string[]): Promise<void> {
  await executor.deleteFrom("cronRuns").where("id", "in", ids).execute();
}
