/**
 * Gives queued runs their turn, and brings each run to its end, in every worker.
 *
 * Turns are given by one worker at a time (a lock that dies with its holder): a run becomes RUNNING when a place is free,
 * with the service's release of that moment. Who drives a RUNNING run holds its lock: it starts the task, under the
 * run's own id, waits for it and writes the end. Killed before the task was started, the next one starts it; after, it waits
 * for the same task, and never starts it again: `launched` tells a task that was never there from one that is gone.
 *
 * Rung for by the queue when a run was asked for, and by itself every two seconds, for whatever nobody rang for.
 */
import type { Engine, TaskStatus } from "../../engines/engine.ts";
import { EngineUnreachableError } from "../../engines/engine.ts";
import type { Clock } from "../../kernel/clock.ts";
import { type Database, isDatabaseAway } from "../../platform/database/database.ts";
import type { LockSession } from "../../platform/database/lock-session.ts";
import type { Logger } from "../../platform/log.ts";
import type { ActivityService } from "../activity/activity.service.ts";
import type { Release } from "../runtime/release.ts";
import * as repo from "./cron-turns.repo.ts";
import { endOf, type TaskEnd, vanished } from "./run-end.ts";
import { RunFailure, taskOf } from "./run-task.ts";
import { waitedTooLong, waits } from "./skip-reasons.ts";

const sweepMs = 2000;
const longWaitMs = 60_000;
const tooLongMinutes = 60;
const unexpected =
  "Something went wrong inside Ksar when it was to begin. Run it again; if that fails too, tell the operator, whose log has the cause.";

export interface CronRunnerOptions {
  readonly database: Database;
  readonly engine: Pick<
    Engine,
    "prepareBuild" | "promote" | "startTask" | "taskStatus" | "waitForTask" | "forgetTask" | "removeJob"
  >;
  readonly activity: Pick<ActivityService, "record">;
  readonly locks: Pick<LockSession, "withLock" | "lost">;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly releaseOf: (deploymentId: string) => Promise<Release>;
  /** Runs at once, of all accounts. */
  readonly places: number;
}

export class CronRunner {
  readonly #options: CronRunnerOptions;
  readonly #driven = new Map<string, Promise<void>>();
  readonly #stopping = new AbortController();
  #sweep: NodeJS.Timeout | null = null;
  /** Rung for while it gave turns already. */
  #isRung = false;
  #dispatching: Promise<void> | null = null;

  constructor(options: CronRunnerOptions) {
    this.#options = options;
  }

  start(): void {
    this.#sweep = setInterval(() => this.ring(), sweepMs);
    this.ring();
  }

  /** Lets go of what it drives: the tasks go on, and the next worker waits for them. */
  async close(): Promise<void> {
    if (this.#sweep !== null) clearInterval(this.#sweep);
    this.#stopping.abort();
    await this.#dispatching;
    await Promise.all(this.#driven.values());
  }

  /** There may be something to do. */
  ring(): void {
    this.#isRung = true;
    if (this.#dispatching !== null || this.#stopping.signal.aborted) return;
    this.#dispatching = this.#dispatch().finally(() => {
      this.#dispatching = null;
      if (this.#isRung) this.ring();
    });
  }

  async #dispatch(): Promise<void> {
    this.#isRung = false;
    try {
      await this.giveTurns();
      for (const id of await repo.listRunning(this.#options.database)) this.#drive(id);
    } catch (error) {
      if (!this.#stopping.signal.aborted && !isDatabaseAway(error))
        this.#options.logger.warn({ err: error }, "cron runs could not be looked at; trying again");
    }
  }

  async giveTurns(): Promise<void> {
    const { database, locks, clock, places } = this.#options;
    if (!(await repo.hasQueued(database))) return;
    await locks.withLock("cron/turns", async () => {
      const now = clock.now();
      const ago = (ms: number) => new Date(now.getTime() - ms);
      await repo.beginRuns(database, { total: places, perAccount: Math.max(1, Math.floor(places / 2)) }, now);
      await repo.tellWaiting(
        database,
        { now, long: ago(longWaitMs), tooLong: ago(tooLongMinutes * 60_000) },
        { waits, waitedTooLong: waitedTooLong(tooLongMinutes) },
      );
    });
  }

  #drive(id: string): void {
    if (this.#driven.has(id) || this.#stopping.signal.aborted) return;
    const { locks, logger } = this.#options;
    const work = locks
      .withLock(`cron/run/${id}`, () => this.#bringToEnd(id))
      .then(
        (isOurs) => {
          if (isOurs) this.ring();
        },
        (error: unknown) => {
          if (this.#isPassing(error)) return;
          logger.warn({ err: error, run: id }, "let go of a cron run; it is taken up again");
        },
      )
      .finally(() => this.#driven.delete(id));
    this.#driven.set(id, work);
  }

  async #bringToEnd(id: string): Promise<void> {
    const { database, engine } = this.#options;
    const run = await repo.findGoing(database, id);
    if (run === undefined) return;
    const task = await this.#awaitTask(run);
    const end = task === null ? vanished : task instanceof RunFailure ? refused(task) : endOf(task, run.timeoutSeconds);
    const times =
      task === null || task instanceof RunFailure
        ? { finishedAt: this.#options.clock.now() }
        : {
            startedAt: new Date(task.startedAt),
            finishedAt: task.finishedAt === null ? this.#options.clock.now() : new Date(task.finishedAt),
          };
    await this.#write(run, { ...end, ...times });
    await engine.forgetTask(id);
  }

  /** How it ended; null: what ran it is gone. */
  async #awaitTask(run: repo.GoingRun): Promise<TaskStatus | RunFailure | null> {
    const { database, engine, locks, logger, releaseOf } = this.#options;
    if ((await engine.taskStatus(run.id)) === null) {
      if (run.launched) return null;
      try {
        await engine.startTask(await taskOf(run, engine, releaseOf));
      } catch (error) {
        if (error instanceof RunFailure) return error;
        if (this.#isPassing(error)) throw error;
        logger.error({ err: error, run: run.id }, "a cron run could not be started");
        return new RunFailure(unexpected, { cause: error });
      }
    }
    if (!(run.launched || (await repo.noteLaunched(database, run.id)))) {
      // Deleted since, and maybe taken down before there was a task.
      await engine.removeJob(run.jobId);
      return null;
    }
    const signal = AbortSignal.any([this.#stopping.signal, locks.lost]);
    try {
      return await engine.waitForTask(run.id, signal);
    } catch (error) {
      if (signal.aborted || this.#isPassing(error)) throw error;
      const now = await engine.taskStatus(run.id);
      if (now?.state === "RUNNING") throw error;
      return now;
    }
  }

  async #write(run: repo.GoingRun, end: repo.RunEnd): Promise<void> {
    const { database, activity } = this.#options;
    await database.transaction().execute(async (transaction) => {
      const ended = await repo.endRun(transaction, run, end);
      // A job that fails every minute is told of once.
      if (ended === undefined || end.status !== "FAILED" || ended.before === "FAILED") return;
      await activity.record(transaction, {
        accountId: run.accountId,
        action: "cron.failed",
        entityType: "cron_job",
        entityId: run.jobId,
        metadata: { name: run.name, runId: run.id, exitCode: end.exitCode, error: end.error },
        actorName: null,
      });
    });
  }

  /** A part of Ksar is away for a moment, or this worker ends: nothing is wrong with the run. */
  #isPassing(error: unknown): boolean {
    const isEnding = this.#stopping.signal.aborted || this.#options.locks.lost.aborted;
    return isEnding || error instanceof EngineUnreachableError || isDatabaseAway(error);
  }
}

function refused({ message }: RunFailure): TaskEnd {
  return { status: "FAILED", exitCode: null, error: message };
}
