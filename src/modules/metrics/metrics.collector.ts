/**
 * Brings what services use into the database: every 10 s, by one control plane at a time.
 *
 *   agent: window of 10 s ──► (readUsage) ──► one statement: windows, and each service's latest reading
 *              ▲                                   │
 *              └────── (readUsage, "counted") ◄────┘            every 5 min: hours out of windows; the old goes
 *
 * Tables: `service_readings` (a row a service: what alerts are judged by), `service_samples` (windows, 24 h),
 * `service_sample_hours` (30 days). kill -9 anywhere: the agent still has the windows, they come again, and a window that
 * is there already is left as it is. Hours are made anew of their windows, so making them twice does no harm, and those
 * that were missed are made later. The lock only saves work.
 *
 * A window in which the agent was not there has no row: a gap stays a gap. A tenant can make neither more rows nor larger
 * ones: there is one for each of its services, whatever runs in it.
 */
import type { Engine, UsageSample } from "../../engines/engine.ts";
import { EngineUnreachableError } from "../../engines/engine.ts";
import type { Clock } from "../../kernel/clock.ts";
import { isUuid } from "../../kernel/ids.ts";
import type { Database } from "../../platform/database/database.ts";
import type { LockSession } from "../../platform/database/lock-session.ts";
import type { Logger } from "../../platform/log.ts";
import * as repo from "./metrics.repo.ts";

const collectMs = 10_000;
const tidyMs = 5 * 60_000;
const hourMs = 60 * 60_000;
/** Windows an hour longer than they are shown: an hour is made of whole ones. */
const keptMs = { windows: 25 * hourMs, hours: 30 * 24 * hourMs };
/** Deleted in one statement; the next ones follow at once. */
const forgetLimit = 20_000;

export interface MetricsCollectorOptions {
  readonly database: Database;
  readonly engine: Pick<Engine, "readUsage">;
  readonly locks: Pick<LockSession, "withLock">;
  readonly clock: Clock;
  readonly logger: Logger;
}

export class MetricsCollector {
  readonly #options: MetricsCollectorOptions;
  #timer: NodeJS.Timeout | null = null;
  #running: Promise<void> = Promise.resolve();
  #busy = false;
  #closed = false;
  #tidiedAt = 0;

  constructor(options: MetricsCollectorOptions) {
    this.#options = options;
  }

  start(): void {
    const collect = () => {
      // A round that takes longer than 10 s holds up the next one, and no others queue behind it.
      if (this.#busy) return;
      this.#busy = true;
      this.#running = this.collect()
        .catch((error: unknown) => {
          // The agent keeps what it saw until it is there again.
          if (this.#closed || error instanceof EngineUnreachableError) return;
          this.#options.logger.warn({ err: error }, "what services use could not be collected; trying again in 10 s");
        })
        .finally(() => {
          this.#busy = false;
        });
    };
    this.#timer = setInterval(collect, collectMs);
    collect();
  }

  /** Waits for the round in hand. */
  async close(): Promise<void> {
    this.#closed = true;
    if (this.#timer !== null) clearInterval(this.#timer);
    await this.#running;
  }

  /** All that waits. */
  async collect(): Promise<void> {
    const { engine, locks, database } = this.#options;
    await locks.withLock("metrics", async () => {
      let counted: readonly string[] = [];
      while (!this.#closed) {
        const samples = await engine.readUsage(counted);
        if (samples.length === 0) break;
        await repo.addSamples(database, samples.map(storable));
        counted = samples.map(({ windowStart }) => windowStart);
      }
      await this.#tidy();
    });
  }

  async #tidy(): Promise<void> {
    const { database, clock } = this.#options;
    const now = clock.now().getTime();
    if (now - this.#tidiedAt < tidyMs) return;
    await repo.makeHours(database);
    const before = { windows: new Date(now - keptMs.windows), hours: new Date(now - keptMs.hours) };
    while (!this.#closed && (await repo.forget(database, before, forgetLimit)) >= forgetLimit);
    await repo.forgetReadings(database);
    this.#tidiedAt = now;
  }
}

/** Ids come from Ksar itself, but from another process: one that is none must not hold up the others. */
function storable(sample: UsageSample): UsageSample {
  return { ...sample, services: sample.services.filter(({ serviceId }) => isUuid(serviceId)) };
}
