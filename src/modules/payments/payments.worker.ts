/**
 * Once a minute, in one worker among several: checkouts that are over become EXPIRED, and providers that can be asked
 * (Stripe) are asked about those whose callback has not come. It reads the rows anew each time, so it may be killed at
 * any line. A checkout that a provider could still take money for is closed there first, then here.
 */
import type { Clock } from "../../kernel/clock.ts";
import type { Database } from "../../platform/database/database.ts";
import type { LockSession } from "../../platform/database/lock-session.ts";
import type { Logger } from "../../platform/log.ts";
import * as repo from "./checkouts.repo.ts";
import type { CheckoutsService } from "./checkouts.service.ts";
import type { GatewayName, PaymentGateway } from "./gateway.ts";

const everyMs = 60_000;
const askAgainMs = 2 * 60_000;
const batch = 50;
/** Then the next minute goes on: whatever could not be settled has gone to the end of the queue. */
const mostRounds = 20;

export interface PaymentsWorkerOptions {
  readonly database: Database;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly checkouts: CheckoutsService;
  readonly gateways: ReadonlyMap<GatewayName, PaymentGateway>;
}

export class PaymentsWorker {
  readonly #options: PaymentsWorkerOptions;

  constructor(options: PaymentsWorkerOptions) {
    this.#options = options;
  }

  /** How to end it, having waited for what was in hand. */
  start(locks: Pick<LockSession, "withLock">): () => Promise<void> {
    const report = (error: unknown) =>
      this.#options.logger.warn({ err: error }, "checkouts could not be looked at; trying again in a minute");
    let inHand: Promise<unknown> = Promise.resolve();
    const look = () => {
      inHand = locks.withLock("payments", () => this.reconcile()).catch(report);
    };
    const timer = setInterval(look, everyMs);
    look();
    return async () => {
      clearInterval(timer);
      await inHand;
    };
  }

  async reconcile(): Promise<void> {
    const { database, clock, gateways, logger } = this.#options;
    const now = clock.now();
    const askable = [...gateways.values()].filter((gateway) => gateway.poll !== undefined).map(({ name }) => name);
    const askedBefore = new Date(now.getTime() - askAgainMs);
    for (let round = 0; round < mostRounds; round++) {
      const rows = await repo.listDue(database, { now, askable, askedBefore }, batch);
      for (const row of rows) {
        try {
          await this.ask(row);
        } catch (error) {
          logger.warn({ err: error, checkoutId: row.id }, "a checkout could not be settled; trying again in a minute");
        }
      }
      if (rows.length < batch) return;
    }
  }

  /** Asks the provider, where it can be asked, and ends what is over. */
  async ask(row: repo.CheckoutRow): Promise<void> {
    const { database, clock, checkouts } = this.#options;
    const gateway = this.#options.gateways.get(row.gateway);
    const isOver = row.expiresAt <= clock.now();
    // Even where asking fails: others have their turn first then.
    await repo.rememberPoll(database, row.id, clock.now());
    const told = (await gateway?.poll?.(row, isOver)) ?? null;
    if (told !== null) await checkouts.settle(row.gateway, told);
    else if (isOver) await repo.markEnded(database, row.id, { status: "EXPIRED", reason: null });
  }

  /** The job behind `saveCardTask`. */
  async saveCard(checkoutId: string): Promise<void> {
    const { database, gateways } = this.#options;
    const row = await repo.findPaid(database, checkoutId);
    if (row === undefined || row.providerTxnId === null) return;
    await gateways.get(row.gateway)?.saveCard?.(row, row.providerTxnId);
  }
}
