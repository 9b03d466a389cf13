/**
 * Once an hour: bounds what is kept of deliveries. Those that ended are forgotten after a week, and beyond a webhook's newest
 * ten thousand; those that still wait after three days (the schedule takes 31 hours) stood behind too many others.
 */
import type { Clock } from "../../kernel/clock.ts";
import type { Database } from "../../platform/database/database.ts";
import * as repo from "./deliveries.repo.ts";

const dayMs = 24 * 60 * 60_000;
const keptMs = 7 * dayMs;
const keptOfWebhook = 10_000;
const longestWaitMs = 3 * dayMs;
/** Rows of one statement: none holds its locks for long. */
const atOnce = 5_000;

export class DeliverySweeper {
  readonly #database: Database;
  readonly #clock: Clock;

  constructor(database: Database, clock: Clock) {
    this.#database = database;
    this.#clock = clock;
  }

  async sweep(): Promise<void> {
    const now = this.#clock.now().getTime();
    const why = "It could not be sent within three days: the receiver was too slow for what came before it.";
    await untilNone(() => repo.giveUpOld(this.#database, new Date(now - longestWaitMs), why, atOnce));
    await untilNone(() => repo.deleteEnded(this.#database, new Date(now - keptMs), atOnce));
    await untilNone(() => repo.deleteBeyond(this.#database, keptOfWebhook, atOnce));
  }
}

async function untilNone(step: () => Promise<number>): Promise<void> {
  while ((await step()) > 0);
}
