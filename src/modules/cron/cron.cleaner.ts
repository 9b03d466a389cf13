/**
 * Forgets what is over: runs beyond the newest hundred of a job or older than 30 days, with their logs; and, of jobs that are
 * gone, what runs, their logs and sandboxes.
 *
 * First what the engine has, then the row that names it: killed in between, the next one does it again. What the engine has
 * of a job without either row (an old backup was restored) the upkeep's sweep takes.
 */
import type { Engine } from "../../engines/engine.ts";
import { EngineUnreachableError } from "../../engines/engine.ts";
import type { Clock } from "../../kernel/clock.ts";
import type { Database } from "../../platform/database/database.ts";
import type { LockSession } from "../../platform/database/lock-session.ts";
import type { Logger } from "../../platform/log.ts";
import * as repo from "./cron-cleaning.repo.ts";

const keptRuns = 100;
const keptMs = 30 * 24 * 60 * 60_000;
const batchSize = 5000;
const lookMs = 5000;

export interface CronCleanerOptions {
  readonly database: Database;
  readonly engine: Pick<Engine, "removeRuns" | "removeJob">;
  readonly locks: Pick<LockSession, "withLock">;
  readonly clock: Clock;
  readonly logger: Logger;
}

export class CronCleaner {
  readonly #options: CronCleanerOptions;
  #timer: NodeJS.Timeout | null = null;
  #working: Promise<void> = Promise.resolve();
  #closed = false;

  constructor(options: CronCleanerOptions) {
    this.#options = options;
  }

  start(): void {
    this.#timer = setInterval(() => this.ring(), lookMs);
    this.ring();
  }

  async close(): Promise<void> {
    this.#closed = true;
    if (this.#timer !== null) clearInterval(this.#timer);
    await this.#working;
  }

  /** Jobs may be gone. */
  ring(): void {
    this.#working = this.#working
      .then(() => this.removeGone())
      .catch((error: unknown) => {
        if (this.#closed || error instanceof EngineUnreachableError) return;
        this.#options.logger.warn({ err: error }, "what deleted cron jobs left could not be removed; trying again");
      });
  }

  async removeGone(): Promise<void> {
    const { database, engine, locks } = this.#options;
    for (const jobId of await repo.listRemovals(database)) {
      if (this.#closed) return;
      await locks.withLock(`cron/removal/${jobId}`, async () => {
        await engine.removeJob(jobId);
        await repo.finishRemoval(database, jobId);
      });
    }
  }

  async forgetOldRuns(): Promise<void> {
    const { database, engine, locks, clock } = this.#options;
    await locks.withLock("cron/forget", async () => {
      const since = new Date(clock.now().getTime() - keptMs);
      for (;;) {
        const old = await repo.listOldRuns(database, keptRuns, since, batchSize);
        for (const [jobId, runs] of Map.groupBy(old, (run) => run.jobId)) {
          if (this.#closed) return;
          const ids = runs.map((run) => run.id);
          await engine.removeRuns(jobId, ids);
          await repo.deleteRuns(database, ids);
        }
        if (old.length < batchSize) return;
      }
    });
  }
}
