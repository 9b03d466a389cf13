/** Money, put together: ledger, credit, plans, usage, limits; and the runs that go on by themselves. */
import type { Clock } from "../kernel/clock.ts";
import type { ActivityService } from "../modules/activity/activity.service.ts";
import type { AuditService } from "../modules/audit/audit.service.ts";
import type {
  Gateway,
  IssueInvoice,
  Notify,
  OpenCheckout,
  PaidCheckout,
  RecordDeed,
} from "../modules/billing/billing.ports.ts";
import type { Catalogue } from "../modules/billing/catalogue/catalogue.ts";
import { CorrectionsService } from "../modules/billing/corrections.service.ts";
import { LedgerService } from "../modules/billing/ledger/ledger.service.ts";
import { LimitsService } from "../modules/billing/limits/limits.service.ts";
import { PlanTerms } from "../modules/billing/subscriptions/plan-terms.ts";
import { advanceTask, Renewals, requestLook } from "../modules/billing/subscriptions/renewals.ts";
import { SubscriptionsService } from "../modules/billing/subscriptions/subscriptions.service.ts";
import { OverageService } from "../modules/billing/usage/overage.service.ts";
import { rechargeTask, WalletService } from "../modules/billing/wallet/wallet.service.ts";
import type { Database, Executor } from "../platform/database/database.ts";
import type { LockSession } from "../platform/database/lock-session.ts";
import type { Logger } from "../platform/log.ts";
import type { Area } from "./area.ts";

const dueMs = 30_000;
const overageMs = 60 * 60_000;
/** As often as traffic is counted. */
const lookMs = 10_000;

export interface BillingPorts {
  readonly openCheckout: OpenCheckout;
  readonly gateway: Gateway;
  readonly issueInvoice: IssueInvoice;
  readonly notify: Notify;
}

export interface BillingOptions {
  readonly database: Database;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly catalogue: Catalogue;
  /** false: this Ksar bills nobody; no limits, no overage. */
  readonly isBilling: boolean;
  readonly requestReconcile: (transaction: Executor, serviceId: string) => Promise<void>;
  readonly record: RecordDeed;
  readonly publicUrl: () => string;
  readonly ports: BillingPorts;
}

export interface Billing extends Area {
  readonly ledger: LedgerService;
  readonly wallet: WalletService;
  readonly subscriptions: SubscriptionsService;
  readonly renewals: Renewals;
  readonly overage: OverageService;
  readonly limits: LimitsService;
  readonly corrections: CorrectionsService;
  /** For the payments area: a checkout was paid. */
  onPaid(transaction: Executor, checkout: PaidCheckout): Promise<void>;
}

/** In the audit log as the platform's own deed, and in the activity feed. */
export function recordBy(audit: AuditService, activity: ActivityService): RecordDeed {
  return async (transaction, { accountId, action, metadata }) => {
    const about = { accountId, action, entityType: "billing", entityId: accountId };
    await audit.recordSystem(transaction, about);
    await activity.record(transaction, { ...about, metadata, actorName: null });
  };
}

export function createBilling(options: BillingOptions): Billing {
  const { database, clock, logger, catalogue, isBilling, requestReconcile, record, ports } = options;
  const { openCheckout, gateway, issueInvoice, notify } = ports;
  const billingUrl = () => `${options.publicUrl()}/billing`;
  const wallet = new WalletService({
    database,
    catalogue,
    clock,
    gateway,
    openCheckout,
    notify,
    requestLook,
    billingUrl,
  });
  const ledger = new LedgerService(database, clock, (transaction, posted) => wallet.onPosted(transaction, posted));
  const terms = new PlanTerms({ catalogue, clock, ledger, requestLook, requestReconcile, issueInvoice });
  const renewals = new Renewals({ database, catalogue, clock, terms, notify, record, billingUrl });
  const subscriptions = new SubscriptionsService({
    database,
    catalogue,
    clock,
    ledger,
    terms,
    renewals,
    openCheckout,
    notify,
    record,
    billingUrl,
  });
  const overage = new OverageService({
    database,
    catalogue,
    isBilling,
    clock,
    ledger,
    notify,
    requestReconcile,
    billingUrl,
    issueInvoice,
  });
  const report = (error: unknown) => logger.warn({ err: error }, "a billing run failed; another one follows");
  const active = new Set<string>();
  return {
    ledger,
    wallet,
    subscriptions,
    renewals,
    overage,
    limits: new LimitsService(catalogue, isBilling),
    corrections: new CorrectionsService({ ledger, requestLook }),
    onPaid: (transaction, checkout) => subscriptions.onPaid(transaction, checkout),
    tasks: {
      [advanceTask]: async ({ accountId = "" }) => {
        await renewals.advance(accountId);
        await overage.runAccount(accountId);
      },
      [rechargeTask]: ({ accountId = "" }) => wallet.recharge(ledger, accountId),
    },
    start: (locks) => startRuns(locks, { renewals, overage, wallet, active }, report),
    counted: (accountIds) => {
      for (const accountId of accountIds) active.add(accountId);
    },
    sweep: () => subscriptions.sweep(),
  };
}

/** One worker in several runs them; two would charge nothing twice either. */
function startRuns(
  locks: LockSession,
  runs: {
    readonly renewals: Renewals;
    readonly overage: OverageService;
    readonly wallet: WalletService;
    /** Whose traffic was counted here since the last look. */
    readonly active: Set<string>;
  },
  report: (error: unknown) => void,
): () => Promise<void> {
  let inHand: Promise<unknown> = Promise.resolve();
  const alone = (name: string, work: () => Promise<void>) => {
    inHand = Promise.all([inHand, locks.withLock(name, work).catch(report)]);
  };
  const due = () =>
    alone("billing/due", async () => {
      await runs.renewals.requestDue();
      await runs.wallet.requestRecharges();
    });
  const charge = () =>
    alone("billing/overage", async () => {
      await runs.overage.declareTiers();
      await runs.overage.run();
    });
  // Not alone: each worker looks at what it has counted itself.
  const look = () => {
    const accountIds = [...runs.active];
    runs.active.clear();
    inHand = Promise.all([inHand, runs.overage.look(accountIds).catch(report)]);
  };
  const timers = [setInterval(due, dueMs), setInterval(charge, overageMs), setInterval(look, lookMs)];
  due();
  charge();
  return async () => {
    for (const timer of timers) clearInterval(timer);
    await inHand;
  };
}
