/**
 * Use past what the plan includes: shown, charged, refused.
 *
 *   usage_months (added up by the database with the metering) ──► rated, minus what was charged ──► the credit
 *
 * Charged hourly, and only on plans that allow it, up to the month's budget, the credit and the account's spend cap,
 * whichever is least. What a month costs is worked out anew each time from all of its use, and what was charged before is
 * taken off, under the lock of the month's row: a run that is repeated or was killed charges nothing twice. A month is
 * closed two days into the next, when the last traffic has come in, with one invoice.
 *
 * What is used up and can't be bought is `blocked` where the plan says BLOCK: builds are refused at once, and
 * `blocked_meters` tells the routes. 80 % and 100 % of an allowance are told of once a month each.
 */

import { addMonths, dayMs, monthName, monthStart } from "../../../kernel/billing-period.ts";
import type { Clock } from "../../../kernel/clock.ts";
import { DomainError, notFound } from "../../../kernel/errors.ts";
import { mostNetWithin, withTax } from "../../../kernel/money.ts";
import type { Caller } from "../../../operation/caller.ts";
import type { Database, Executor } from "../../../platform/database/database.ts";
import type { Meter } from "../../../platform/database/tables/billing.ts";
import type { IssueInvoice, Notify } from "../billing.ports.ts";
import type { OverageState } from "../billing.schema.ts";
import { type Catalogue, planOf } from "../catalogue/catalogue.ts";
import type { LedgerService } from "../ledger/ledger.service.ts";
import { updateWallet } from "../wallet/wallet.repo.ts";
import { amountOf } from "../wallet/wallet.service.ts";
import { type MeterState, presentMeter, type Standing, sayAmount, sayRate, standingOf } from "./overage.ts";
import { inUnits, meterUnits, overBase } from "./rating.ts";
import * as repo from "./usage.repo.ts";

/** For how long after a month's end its last traffic may come in. */
const closingMs = 2 * dayMs;
const page = 500;
const toldAt = [80, 100] as const;

export interface OverageOptions {
  readonly database: Database;
  readonly catalogue: Catalogue;
  /** false: this Ksar bills nobody. */
  readonly isBilling: boolean;
  readonly clock: Clock;
  readonly ledger: LedgerService;
  readonly notify: Notify;
  readonly issueInvoice: IssueInvoice;
  readonly requestReconcile: (transaction: Executor, serviceId: string) => Promise<void>;
  readonly billingUrl: () => string;
}

export class OverageService {
  readonly #options: OverageOptions;

  constructor(options: OverageOptions) {
    this.#options = options;
  }

  get #isEnabled(): boolean {
    return this.#options.isBilling && this.#options.catalogue.overage.enabled;
  }

  async get(caller: Caller): Promise<OverageState> {
    const { database, catalogue } = this.#options;
    const month = monthName(this.#options.clock.now());
    const account = await this.#find(database, caller.accountId, month);
    const standing = standingOf(account, catalogue, this.#isEnabled);
    return {
      enabled: this.#isEnabled,
      applies: this.#isEnabled && standing.meters.some(({ included }) => included !== null),
      eligible: standing.eligible,
      budgetMinor: account.budgetMinor,
      spentMinor: account.chargedMinor,
      budgetRemainingMinor: Math.max(0, account.budgetMinor - account.chargedMinor),
      balanceMinor: account.balanceMinor,
      canBuyOverage: standing.canBuyOverage,
      meters: standing.meters.map((state) => presentMeter(state, catalogue)),
    };
  }

  async setBudget(transaction: Executor, caller: Caller, budgetMad: number): Promise<number> {
    const { catalogue } = this.#options;
    const { accountId } = caller;
    const month = monthName(this.#options.clock.now());
    // Before the wallet, as in the hourly run.
    await repo.lockMonth(transaction, accountId, month);
    const account = await this.#find(transaction, accountId, month);
    if (!planOf(catalogue, account.plan).overage) {
      throw new DomainError(
        "plan_restricted",
        `On the plan ${account.plan} nothing past the allowances can be bought: choose a paid plan first (POST /billing/plan).`,
      );
    }
    const overageBudgetMinor = amountOf(budgetMad, "/budgetMad");
    await updateWallet(transaction, accountId, { overageBudgetMinor });
    await this.#charge(transaction, accountId, month);
    return overageBudgetMinor;
  }

  /** For whoever is about to build. Throws `plan_restricted`. */
  async refuseBlocked(executor: Executor, accountId: string, meter: Meter): Promise<void> {
    if (!this.#isEnabled) return;
    const { catalogue, clock } = this.#options;
    const account = await this.#find(executor, accountId, monthName(clock.now()));
    const standing = standingOf(account, catalogue, true);
    const state = standing.meters.find((one) => one.meter === meter);
    if (state?.blocked !== true) return;
    throw new DomainError("plan_restricted", explainBlock(account.plan, state, standing, catalogue));
  }

  /** The hourly run: this month, and the last one until it is closed. */
  async run(): Promise<void> {
    if (!this.#isEnabled) return;
    const now = this.#options.clock.now();
    const lastMonth = addMonths(monthStart(now), -1);
    if (now.getTime() - monthStart(now).getTime() < closingMs) await this.#runMonth(monthName(lastMonth), now);
    else await this.#invoiceBefore(monthName(now));
    await this.#runMonth(monthName(now), now);
  }

  /** This month of one account: its plan or its credit has changed. */
  async runAccount(accountId: string): Promise<void> {
    if (!this.#isEnabled) return;
    const { database, catalogue, clock } = this.#options;
    const month = monthName(clock.now());
    const account = await this.#find(database, accountId, month);
    if (needsWork(account, standingOf(account, catalogue, true), true))
      await database.transaction().execute((transaction) => this.#charge(transaction, accountId, month));
  }

  async #runMonth(month: string, now: Date): Promise<void> {
    const { database, catalogue } = this.#options;
    const isCurrent = month === monthName(now);
    let after: string | null = null;
    for (;;) {
      const accounts: readonly repo.OverageAccount[] = await repo.listOverage(
        database,
        month,
        monthName(now),
        after,
        page,
      );
      for (const account of accounts) {
        const standing = standingOf(account, catalogue, true);
        if (needsWork(account, standing, isCurrent)) {
          await database.transaction().execute((transaction) => this.#charge(transaction, account.accountId, month));
        }
      }
      after = accounts.at(-1)?.accountId ?? null;
      if (accounts.length < page) return;
    }
  }

  /** Everything that is due of an account's month. Works under its lock; repeats nothing. */
  async #charge(transaction: Executor, accountId: string, month: string): Promise<void> {
    if (!this.#isEnabled) return;
    const { catalogue, clock } = this.#options;
    await repo.lockMonth(transaction, accountId, month);
    const now = clock.now();
    const isCurrent = month === monthName(now);
    let account = await this.#find(transaction, accountId, month);
    for (const { meter } of standingOf(account, catalogue, true).meters) {
      const standing = standingOf(account, catalogue, true);
      const state = standing.meters.find((one) => one.meter === meter);
      if (state === undefined || !standing.eligible) continue;
      if (await this.#chargeMeter(transaction, account, state, standing.room, month))
        account = await this.#find(transaction, accountId, month);
    }
    if (!isCurrent) return;
    const standing = standingOf(account, catalogue, true);
    for (const state of standing.meters) await this.#tell(transaction, account, state, standing, month);
    await this.#block(transaction, account, standing, now);
  }

  async #chargeMeter(
    transaction: Executor,
    account: repo.OverageAccount,
    state: MeterState,
    room: number,
    month: string,
  ): Promise<boolean> {
    const { catalogue, ledger } = this.#options;
    const { taxRateBp } = catalogue;
    const { accountId } = account;
    const net = Math.min(state.openNetMinor, mostNetWithin(room, account.netMinor, taxRateBp));
    if (net <= 0) return false;
    const gross = withTax(account.netMinor + net, taxRateBp) - withTax(account.netMinor, taxRateBp);
    const soldNet = (account.meterNet[state.meter] ?? 0) + net;
    const over = overBase(state.meter, state.amount, state.included);
    const posted = await ledger.post(transaction, {
      accountId,
      // By what the meter has cost so far: there is one step from each sum.
      key: `overage/${accountId}/${month}/${state.meter}/${soldNet}`,
      kind: "OVERAGE_CHARGE",
      amountMinor: -gross,
      against: { OVERAGE_SALES: -net, TAX: -(gross - net) },
      description: `Use past the allowance, ${sayAmount(state.meter, over)} in all at ${sayRate(state.meter, catalogue)}`,
      meter: state.meter,
      quantity: this.#quantity(state.meter, net).toFixed(3),
      periodStart: new Date(`${month}T00:00:00Z`),
    });
    // Spent elsewhere at this moment: the next run sees what is left.
    if (posted.outcome !== "POSTED") return false;
    await repo.addCharge(transaction, { accountId, month, meter: state.meter }, net, gross);
    return true;
  }

  async #tell(
    transaction: Executor,
    account: repo.OverageAccount,
    state: MeterState,
    standing: Standing,
    month: string,
  ): Promise<void> {
    const { catalogue, notify, billingUrl } = this.#options;
    if (state.enforcement === "NONE") return;
    const { accountId } = account;
    const { meter } = state;
    const reached = toldAt.filter((pct) => state.pct >= pct).at(-1) ?? 0;
    if (reached <= (account.told[meter] ?? 0)) return;
    await repo.setTold(transaction, { accountId, month, meter }, reached);
    const unit = meterUnits[meter].unit;
    await notify(transaction, {
      accountId,
      event: "LIMIT_WARNING",
      title: `${reached} % of the plan's ${nameOf(meter)} are used`,
      text: state.blocked
        ? explainBlock(account.plan, state, standing, catalogue)
        : `${inUnits(meter, state.amount)} of ${state.included} ${unit} this month.`,
      url: billingUrl(),
      channelId: null,
      key: `usage/${accountId}/${month}/${meter}/${reached}`,
    });
  }

  async #block(transaction: Executor, account: repo.OverageAccount, standing: Standing, now: Date): Promise<void> {
    const blocked = blockedOf(standing);
    if (isSame(blocked, account.blocked)) return;
    await repo.setBlocked(transaction, account.accountId, blocked, now);
    for (const serviceId of await repo.listServiceIds(transaction, account.accountId))
      await this.#options.requestReconcile(transaction, serviceId);
  }

  async #invoiceBefore(month: string): Promise<void> {
    const { database, clock } = this.#options;
    for (;;) {
      const open = await repo.listUninvoiced(database, month, page);
      for (const one of open)
        await database
          .transaction()
          .execute((transaction) => this.#invoice(transaction, one.accountId, one.month, clock.now()));
      if (open.length < page) return;
    }
  }

  async #invoice(transaction: Executor, accountId: string, month: string, now: Date): Promise<void> {
    const sold = await repo.takeForInvoice(transaction, accountId, month, now);
    if (sold === undefined || sold.length === 0) return;
    const { issueInvoice, catalogue } = this.#options;
    const start = new Date(`${month}T00:00:00Z`);
    await issueInvoice(transaction, {
      accountId,
      plan: null,
      term: null,
      provider: "credit",
      providerTxnId: null,
      periodStart: start,
      servicePeriodStart: start,
      servicePeriodEnd: addMonths(start, 1),
      lines: sold.map(({ meter, netMinor }) => ({
        meter,
        description: `Use past the allowance: ${nameOf(meter)}`,
        quantity: this.#quantity(meter, netMinor),
        unitPriceMinor: Math.round(catalogue.overage.ratesMicroSantimat[meter] / 1_000_000),
        amountMinor: netMinor,
      })),
      taxRateBp: catalogue.taxRateBp,
    });
  }

  /** What was bought for that much, in the meter's unit. */
  #quantity(meter: Meter, netMinor: number): number {
    const perUnit = this.#options.catalogue.overage.ratesMicroSantimat[meter];
    return perUnit === 0 ? 0 : Math.round((netMinor * 1_000_000_000) / perUnit) / 1000;
  }

  async #find(executor: Executor, accountId: string, month: string): Promise<repo.OverageAccount> {
    const account = await repo.findOverage(executor, accountId, month, monthName(this.#options.clock.now()));
    if (account === undefined) throw notFound("account");
    return account;
  }
}

function needsWork(account: repo.OverageAccount, standing: Standing, isCurrent: boolean): boolean {
  const charges = standing.room > 0 && standing.meters.some(({ openNetMinor }) => openNetMinor > 0);
  const tells = standing.meters.some(
    ({ meter, pct, enforcement }) =>
      enforcement !== "NONE" && (toldAt.filter((at) => pct >= at).at(-1) ?? 0) > (account.told[meter] ?? 0),
  );
  return charges || (isCurrent && (tells || !isSame(blockedOf(standing), account.blocked)));
}

function blockedOf(standing: Standing): readonly Meter[] {
  return standing.meters.filter(({ blocked }) => blocked).map(({ meter }) => meter);
}

function isSame(one: readonly Meter[], other: readonly Meter[]): boolean {
  return one.length === other.length && one.every((meter) => other.includes(meter));
}

function nameOf(meter: Meter): string {
  return meter.toLowerCase().replaceAll("_", " ");
}

function explainBlock(plan: string, state: MeterState, standing: Standing, catalogue: Catalogue): string {
  const used = `The plan ${plan} includes ${state.included} ${meterUnits[state.meter].unit} of ${nameOf(state.meter)} a month, and they are used up.`;
  return standing.eligible
    ? `${used} More costs ${sayRate(state.meter, catalogue)} without tax: raise the overage budget (PUT /billing/overage-budget), top up, or choose a larger plan.`
    : `${used} Choose a larger plan (POST /billing/plan), or wait for next month.`;
}
