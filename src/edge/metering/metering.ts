/**
 * Closes the meter's window every 10 s and has the spool keep what is in it. Until then a window is in memory alone: a
 * `kill -9` of the edge loses those seconds and no more.
 *
 * What HAProxy or the edge's other threads have carried is added here. How far HAProxy's counts are in the window is noted
 * with it, because it goes on counting when this process is killed.
 */
import { setTimeout as delay } from "node:timers/promises";
import type { Clock } from "../../kernel/clock.ts";
import { newId } from "../../kernel/ids.ts";
import type { Logger } from "../../platform/log.ts";
import type { TrafficMeter } from "./meter.ts";
import type { Note, Spool } from "./spool.ts";
import { type ServiceTraffic, type TrafficBatch, windowMs } from "./traffic.ts";

/** What HAProxy or other threads have carried for services since they were last asked. */
export interface CarriedTraffic {
  readonly services: readonly ServiceTraffic[];
  /** null: nobody goes on from there. */
  readonly note: Note | null;
}

export interface MeteringOptions {
  readonly meter: TrafficMeter;
  readonly spool: Spool;
  readonly clock: Clock;
  readonly log: Logger;
  /** null when there is neither. */
  readonly carried: () => Promise<CarriedTraffic | null>;
}

/** Windows that could not be written yet: a full disk. An hour of them. */
const mostUnwritten = 360;

interface Closed {
  readonly batch: TrafficBatch;
  /** Without what the other program carried: it counts for somebody else when the note turns out to be untrue. */
  readonly own: TrafficBatch;
  readonly note: Note | null;
}

export class Metering {
  readonly #options: MeteringOptions;
  readonly #ended = new AbortController();
  #unwritten: Closed[] = [];
  #running: Promise<void> = Promise.resolve();

  constructor(options: MeteringOptions) {
    this.#options = options;
  }

  start(): void {
    this.#running = this.#run();
  }

  /** Once nothing is carried any more: the window that is open is closed too. */
  async close(): Promise<void> {
    this.#ended.abort();
    await this.#running;
    await this.closeWindow();
  }

  async closeWindow(): Promise<void> {
    const { meter, carried, log } = this.#options;
    const other = await carried().catch((error: unknown) => {
      log.warn({ err: error }, "what others have carried could not be read; the next window has it");
      return null;
    });
    const { start, window } = meter.take();
    const windowStart = start.toISOString();
    const own = { id: newId(), windowStart, services: window.services() };
    for (const traffic of other?.services ?? []) window.add(traffic);
    const batch = { id: newId(), windowStart, services: window.services() };
    if (batch.services.length > 0) this.#unwritten.push({ batch, own, note: other?.note ?? null });
    await this.#write();
  }

  async #run(): Promise<void> {
    const { signal } = this.#ended;
    for (;;) {
      const untilNext = windowMs - (this.#options.clock.now().getTime() % windowMs);
      await delay(untilNext, undefined, { signal, ref: false }).catch(() => undefined);
      if (signal.aborted) return;
      await this.closeWindow();
    }
  }

  async #write(): Promise<void> {
    const { spool, log } = this.#options;
    try {
      for (let next = this.#unwritten[0]; next !== undefined; next = this.#unwritten[0]) {
        const written = await spool.write(next.batch, next.note);
        if (!written && next.own.services.length > 0) await spool.write(next.own);
        this.#unwritten.shift();
      }
    } catch (error) {
      log.error({ err: error, waiting: this.#unwritten.length }, "traffic could not be written; trying again in 10 s");
      const lost = this.#unwritten.length - mostUnwritten;
      if (lost > 0) {
        log.error({ windows: lost }, "traffic was lost, because it could not be written for an hour");
        this.#unwritten = this.#unwritten.slice(lost);
      }
    }
  }
}
