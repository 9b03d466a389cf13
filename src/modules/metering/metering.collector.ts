/**
 * Brings what the edge has counted into the database: every 10 s, by one control plane at a time.
 *
 *   edge: window ──► spool ──► (GET /metering/batches) ──► one transaction: ids of the batches, windows, hours
 *                      ▲                                                     │
 *                      └───────────── (POST /metering/acknowledge) ◄─────────┘
 *
 * kill -9 before the transaction's end: the spool still has the batches. After it and before the acknowledgement: they
 * come again, and their ids are known: they are acknowledged and not counted. So each counts once, whoever dies when.
 * The lock only saves work: two collectors would not count twice either.
 *
 * A service may be gone when its traffic comes: `deleted_services` remembers whose it was.
 */
import type { EdgeControl } from "../../edge/control.ts";
import { EdgeUnreachableError } from "../../edge/control.ts";
import { longestWaitMs } from "../../edge/metering/spool.ts";
import type { ServiceTraffic, TrafficBatch } from "../../edge/metering/traffic.ts";
import type { Clock } from "../../kernel/clock.ts";
import { isUuid } from "../../kernel/ids.ts";
import type { Database } from "../../platform/database/database.ts";
import type { LockSession } from "../../platform/database/lock-session.ts";
import type { Logger } from "../../platform/log.ts";
import * as repo from "./metering.repo.ts";

const collectMs = 10_000;
const forgetMs = 60 * 60_000;
/** Counted in one transaction. */
const batchLimit = 20;
const dayMs = 24 * 60 * 60_000;
const keptMs = { batches: longestWaitMs + dayMs, windows: 2 * dayMs, hours: 400 * dayMs };

export interface MeteringCollectorOptions {
  readonly database: Database;
  readonly edge: Pick<EdgeControl, "trafficBatches" | "acknowledgeTraffic">;
  readonly locks: Pick<LockSession, "withLock">;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Told of what was counted, and for whom, once it is. */
  readonly counted?: (services: readonly ServiceTraffic[], accountIds: readonly string[]) => void;
}

export class MeteringCollector {
  readonly #options: MeteringCollectorOptions;
  #timer: NodeJS.Timeout | null = null;
  #closed = false;
  #forgotAt = 0;

  constructor(options: MeteringCollectorOptions) {
    this.#options = options;
  }

  start(): void {
    const collect = () =>
      this.collect().catch((error: unknown) => {
        // The edge keeps what was counted until it is there again.
        if (this.#closed || error instanceof EdgeUnreachableError) return;
        this.#options.logger.warn({ err: error }, "traffic could not be collected; trying again in 10 s");
      });
    this.#timer = setInterval(collect, collectMs);
    void collect();
  }

  close(): void {
    this.#closed = true;
    if (this.#timer !== null) clearInterval(this.#timer);
  }

  /** All that waits. */
  async collect(): Promise<void> {
    const { edge, locks } = this.#options;
    await locks.withLock("metering", async () => {
      while (!this.#closed) {
        const batches = await edge.trafficBatches(batchLimit);
        if (batches.length === 0) break;
        await this.#count(batches);
        await edge.acknowledgeTraffic(batches.map(({ id }) => id));
      }
      await this.#forget();
    });
  }

  async #count(batches: readonly TrafficBatch[]): Promise<void> {
    const { database, clock, logger } = this.#options;
    let fresh: readonly TrafficBatch[] = [];
    let accountIds: readonly string[] = [];
    const nobodys = await database.transaction().execute(async (transaction) => {
      fresh = await repo.claimBatches(transaction, batches, clock.now());
      const rows = fresh.flatMap(({ windowStart, services }) =>
        services.map((traffic) => ({ ...traffic, windowStart })),
      );
      const serviceIds = [...new Set(rows.map(({ serviceId }) => serviceId).filter(isUuid))];
      if (serviceIds.length === 0) return rows;
      const owners = await repo.findOwners(transaction, serviceIds);
      const owned = rows.flatMap((row) => {
        const accountId = owners.get(row.serviceId);
        return accountId === undefined ? [] : [{ ...row, accountId }];
      });
      if (owned.length > 0) await repo.addTraffic(transaction, owned);
      accountIds = [...new Set(owned.map(({ accountId }) => accountId))];
      return rows.filter(({ serviceId }) => !owners.has(serviceId));
    });
    this.#options.counted?.(
      fresh.flatMap(({ services }) => services),
      accountIds,
    );
    for (const { serviceId, requests, bytesIn, bytesOut } of nobodys)
      logger.warn({ serviceId, requests, bytesIn, bytesOut }, "there is nobody to count this traffic for");
  }

  async #forget(): Promise<void> {
    const { database, clock } = this.#options;
    const now = clock.now().getTime();
    if (now - this.#forgotAt < forgetMs) return;
    await repo.forget(database, {
      batches: new Date(now - keptMs.batches),
      windows: new Date(now - keptMs.windows),
      hours: new Date(now - keptMs.hours),
    });
    this.#forgotAt = now;
  }
}
