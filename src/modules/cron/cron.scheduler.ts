/**
 * Makes runs of the jobs whose time has come, in every worker.
 *
 * A round takes due jobs in batches, each in one transaction: their rows are locked (what another worker has locked is
 * passed by), their runs inserted, their next due times written. Killed at any line a batch is done or not begun. Due
 * times are rows: nothing is lost with a worker, and a job that was not run at its time says so.
 *
 * Between rounds it sleeps until the nearest due time. Due times are whole minutes, so one that comes into being meanwhile
 * is at the next minute at the earliest: it sleeps at most until then, and not longer than some seconds, as the machine's
 * clock may be set.
 */
import { setTimeout as delay } from "node:timers/promises";
import type { Clock } from "../../kernel/clock.ts";
import { CronExpressionError, zoneData } from "../../kernel/cron-expression.ts";
import { newId } from "../../kernel/ids.ts";
import { type Database, isDatabaseAway } from "../../platform/database/database.ts";
import type { Logger } from "../../platform/log.ts";
import * as repo from "./cron-due.repo.ts";
import { type DueTimes, dueTimes, Schedules } from "./due-times.ts";
import { accountSuspended, notUnderstood, serviceStopped, stillGoing } from "./skip-reasons.ts";

const batchSize = 500;
/** Of one worker: while one batch is written, the next due times of another one are worked out. */
const batchesAtOnce = 2;
const longestSleepMs = 5000;
/** What is due and locked by somebody else is looked at again. */
const shortestSleepMs = 50;
const minuteMs = 60_000;
const retryMs = 1000;

export interface CronSchedulerOptions {
  readonly database: Database;
  readonly clock: Clock;
  readonly logger: Logger;
  /** There are new runs. */
  readonly onQueued: () => void;
  /** The version of the time-zone data; the machine's when left out. */
  readonly zoneData?: string;
}

export class CronScheduler {
  readonly #options: CronSchedulerOptions;
  readonly #stopping = new AbortController();
  #ended: Promise<void> = Promise.resolve();

  constructor(options: CronSchedulerOptions) {
    this.#options = options;
  }

  start(): void {
    this.#ended = this.#work();
  }

  async close(): Promise<void> {
    this.#stopping.abort();
    await this.#ended;
  }

  async #work(): Promise<void> {
    const { signal } = this.#stopping;
    let isPlanned = false;
    while (!signal.aborted) {
      let sleepMs = retryMs;
      try {
        if (!isPlanned) await this.replanOutdated();
        isPlanned = true;
        await this.runDue();
        sleepMs = await this.#untilNext();
      } catch (error) {
        // While the database is away, others say so: due times are rows, and are made up for.
        const level = signal.aborted || isDatabaseAway(error) ? "debug" : "warn";
        this.#options.logger[level]({ err: error }, "due cron jobs could not be queued; trying again");
      }
      await delay(sleepMs, undefined, { signal }).catch(() => undefined);
    }
  }

  /** Every job that is due by now. How many runs it made. */
  async runDue(): Promise<number> {
    const schedules = new Schedules();
    let made = 0;
    const work = async () => {
      while (!this.#stopping.signal.aborted) {
        const batch = await this.#runBatch(schedules);
        made += batch.runs;
        if (batch.runs > 0) this.#options.onQueued();
        if (batch.jobs < batchSize) break;
      }
    };
    const works = await Promise.allSettled(Array.from({ length: batchesAtOnce }, work));
    for (const one of works) if (one.status === "rejected") throw one.reason;
    return made;
  }

  /** Works due times out again that were worked out with other time-zone data. */
  async replanOutdated(): Promise<void> {
    const { database } = this.#options;
    const current = this.#options.zoneData ?? zoneData;
    for (;;) {
      const found = await database.transaction().execute(async (transaction) => {
        const jobs = await repo.lockOutdated(transaction, current, batchSize);
        const schedules = new Schedules();
        const due = jobs.map(({ id, schedule, timezone, plannedFrom }) => ({
          jobId: id,
          nextRunAt: nextOf(schedules, schedule, timezone, plannedFrom),
          plannedFrom,
        }));
        await repo.replan(transaction, due, current);
        return jobs.length;
      });
      if (found < batchSize) return;
    }
  }

  async #runBatch(schedules: Schedules): Promise<{ readonly jobs: number; readonly runs: number }> {
    const { database, clock } = this.#options;
    return database.transaction().execute(async (transaction) => {
      const now = clock.now();
      const jobs = await repo.lockDueJobs(transaction, now, batchSize);
      if (jobs.length === 0) return { jobs: 0, runs: 0 };
      const runs: repo.NewRun[] = [];
      const due: repo.NextDue[] = [];
      for (const job of jobs) {
        const times = timesOf(schedules, job, now);
        // Of one millisecond they are in no order by themselves, and lists are ordered by them.
        const ids = times.runs.map(newId).sort();
        for (const [index, { scheduledFor, skipped }] of times.runs.entries()) {
          const error = skipped ?? reasonToSkip(job);
          const status = error === null ? "QUEUED" : "SKIPPED";
          runs.push({
            id: ids[index] ?? newId(),
            accountId: job.accountId,
            jobId: job.id,
            status,
            scheduledFor,
            error,
          });
        }
        due.push({ jobId: job.id, nextRunAt: times.next, plannedFrom: times.plannedFrom });
      }
      await repo.planOn(transaction, { runs, due, now: clock.now(), zoneData: this.#options.zoneData ?? zoneData });
      return { jobs: jobs.length, runs: runs.length };
    });
  }

  async #untilNext(): Promise<number> {
    const now = this.#options.clock.now().getTime();
    const nearest = (await repo.nearestDue(this.#options.database))?.getTime() ?? Number.POSITIVE_INFINITY;
    const nextMinute = Math.floor(now / minuteMs + 1) * minuteMs;
    return Math.max(shortestSleepMs, Math.min(nearest, nextMinute, now + longestSleepMs) - now);
  }
}

/** A schedule was understood when it was written; a zone may have been taken out of the time-zone data since. */
function timesOf(schedules: Schedules, { schedule, timezone, nextRunAt }: repo.DueJob, now: Date): DueTimes {
  try {
    return dueTimes(schedules.of(schedule, timezone), nextRunAt, now);
  } catch (error) {
    if (!(error instanceof CronExpressionError)) throw error;
    const skipped = notUnderstood(`${error.part === "timezone" ? timezone : schedule} ${error.message}`);
    return { runs: [{ scheduledFor: nextRunAt, skipped }], next: null, plannedFrom: nextRunAt };
  }
}

function nextOf(schedules: Schedules, schedule: string, timezone: string, after: Date): Date | null {
  try {
    return schedules.of(schedule, timezone).next(after);
  } catch (error) {
    if (error instanceof CronExpressionError) return null;
    throw error;
  }
}

function reasonToSkip(job: repo.DueJob): string | null {
  if (job.isSuspended) return accountSuspended;
  if (job.isStopped) return serviceStopped;
  return job.isUnfinished ? stillGoing : null;
}
