/**
 * Jobs are rows of graphile-worker, added in the transaction of the change that they are about.
 *
 * A job here is a doorbell: it says "look at this thing again" and carries an id, never the work itself. What it rings
 * for re-reads the state, so a job that runs twice, late, or not at all (a sweep finds what was missed) does no harm.
 * A worker that dies keeps its jobs locked for four hours by graphile-worker's rules; `releaseDeadWorkers` knows better,
 * because every living pool holds an advisory lock of its own.
 */
import { EventEmitter } from "node:events";
import { type Runner, run, runMigrations, type WorkerEvents, Logger as WorkerLogger } from "graphile-worker";
import { sql } from "kysely";
import type pg from "pg";
import type { Database, Executor } from "./database/database.ts";
import type { LockSession } from "./database/lock-session.ts";
import type { Logger } from "./log.ts";

export interface JobOptions {
  /** Of several waiting jobs with one key only the newest stays. */
  readonly key?: string;
  readonly runAt?: Date;
}

export type JobPayload = Readonly<Record<string, string>>;

export async function addJob(
  executor: Executor,
  task: string,
  payload: JobPayload,
  options: JobOptions = {},
): Promise<void> {
  await sql`select graphile_worker.add_job(${task}::text, payload => ${JSON.stringify(payload)}::json,
    run_at => ${options.runAt ?? null}::timestamptz, job_key => ${options.key ?? null}::text, max_attempts => 10)`.execute(
    executor,
  );
}

/** What a task does with its payload. It throws to be tried again later, with growing delay. */
export type TaskHandler = (payload: JobPayload) => Promise<void>;

export async function migrateQueue(pool: pg.Pool): Promise<void> {
  await runMigrations({ pgPool: pool, logger: silent });
}

const silent = new WorkerLogger(() => () => undefined);

export interface WorkerOptions {
  readonly pool: pg.Pool;
  readonly database: Database;
  readonly locks: LockSession;
  readonly tasks: Readonly<Record<string, TaskHandler>>;
  readonly concurrency: number;
  readonly logger: Logger;
}

/** Starts working on the queue. `stop()` waits for the jobs that run, up to graphile-worker's own time limit. */
export async function startWorker(options: WorkerOptions): Promise<Runner> {
  const events: WorkerEvents = new EventEmitter();
  const pools: string[] = [];
  events.on("pool:create", ({ workerPool }) => pools.push(workerPool.id));
  const runner = await run({
    pgPool: options.pool,
    concurrency: options.concurrency,
    // NOTIFY wakes the worker at once; polling only serves jobs with a time of their own.
    pollInterval: 1000,
    noHandleSignals: true,
    events,
    // At once, but as batches: of a job alone graphile-worker 0.18 drops the promise, and a database that is away at that
    // moment would end the process by an unhandled rejection. A batch that can't be written ends the runner instead.
    preset: { worker: { completeJobBatchDelay: 0, failJobBatchDelay: 0, localQueue: { size: options.concurrency } } },
    logger: workerLogger(options.logger),
    taskList: Object.fromEntries(
      Object.entries(options.tasks).map(([name, handle]) => [
        name,
        // Only `addJob` above writes payloads, and it takes no other shape.
        (payload: unknown) => handle(payload as JobPayload),
      ]),
    ),
  });
  for (const id of pools) await options.locks.acquire(poolLock(id));
  await releaseDeadWorkers(options.database, pools);
  return runner;
}

function poolLock(poolId: string): string {
  return `queue/${poolId}`;
}

/** Unlocks the jobs of every pool that no longer lives. */
async function releaseDeadWorkers(database: Database, own: readonly string[]): Promise<void> {
  await sql`with holders as (
      select distinct locked_by as pool from graphile_worker._private_jobs where locked_by is not null and locked_by <> all(${own}::text[])
    ), dead as (
      select pool from holders where not exists (
        select from pg_locks, lateral (select hashtextextended('queue/' || pool, 0) as key) as hashed
        where locktype = 'advisory' and objsubid = 1
          and classid::bigint = (key >> 32) & 4294967295 and objid::bigint = key & 4294967295)
    )
    select graphile_worker.force_unlock_workers(array_agg(pool)) from dead having count(*) > 0`.execute(database);
}

function workerLogger(logger: Logger): WorkerLogger {
  return new WorkerLogger((scope) => (level, message, meta) => {
    const method = level === "warning" ? "warn" : level;
    if (method !== "debug") logger[method === "info" ? "debug" : method]({ scope, meta }, message);
  });
}
