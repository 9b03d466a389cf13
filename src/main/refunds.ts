/** What goes back to people, put together: refunds of payments, and the credit that credit notes give. */
import type { Clock } from "../kernel/clock.ts";
import type { RecordDeed } from "../modules/billing/billing.ports.ts";
import type { LedgerService } from "../modules/billing/ledger/ledger.service.ts";
import type { GatewayName, PaymentGateway } from "../modules/payments/gateway.ts";
import { RefundsService } from "../modules/payments/refunds.service.ts";
import type { Database } from "../platform/database/database.ts";
import type { LockSession } from "../platform/database/lock-session.ts";
import type { Logger } from "../platform/log.ts";
import type { Area } from "./area.ts";

const everyMs = 60_000;

export interface RefundsAreaOptions {
  readonly database: Database;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly ledger: LedgerService;
  readonly gateways: ReadonlyMap<GatewayName, PaymentGateway>;
  readonly record: RecordDeed;
}

export interface Refunds extends Area {
  readonly refunds: RefundsService;
}

export function createRefunds(options: RefundsAreaOptions): Refunds {
  const { record, logger } = options;
  const refunds = new RefundsService({
    ...options,
    record: (transaction, action, { accountId, amountMinor, provider, reference }) =>
      record(transaction, { accountId, action, metadata: { amountMinor, provider, reference } }),
  });
  return { refunds, start: (locks) => start(locks, refunds, logger) };
}

function start(locks: LockSession, refunds: RefundsService, logger: Logger): () => Promise<void> {
  const report = (error: unknown) => logger.warn({ err: error }, "refunds could not be looked at; again in a minute");
  let inHand: Promise<unknown> = Promise.resolve();
  const look = () => {
    inHand = locks.withLock("payments/refunds", () => refunds.reconcile()).catch(report);
  };
  const timer = setInterval(look, everyMs);
  look();
  return async () => {
    clearInterval(timer);
    await inHand;
  };
}
