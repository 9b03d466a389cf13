/**
 * Use past what the plan includes: shown, charged, refused.
 *
 *   usage_months (added up by the database with the metering) ──► rated, minus what was charged ──► the credit
 *
 * Charged hourly, and only on plans that allow it, up to the month's budget, the credit and the account's spend cap,
 * whichever is least. What a month costs is worked out anew each time from all of its use, and what was charged before is
 * taken off, under the lock of the month's row: a run that is repeated or was killed charges nothing twice. A run takes
 * accounts by the hundred into one transaction; where that fails, each by itself. A month is closed two days into the
 * next, when the last traffic has come in, with one invoice.
 *
 * What is used up and can't be bought is `blocked` where the plan says BLOCK: builds are refused at once, and
 * `blocked_meters` tells the routes. 80 % and 100 % of an allowance are told of once a month each. Whoever comes to one of
 * these lines is dealt with some seconds after their traffic was counted (`look`), not with the hourly run alone.
 *
 * Locks, in this order: the months' rows, then the wallets, both by account.
 */

import { addMonths, dayMs, monthName, monthStart } from "../../../kernel/billing-period.ts";
import type { Clock } from "../../../kernel/clock.ts";
import { DomainError, notFound } from "../../../kernel/errors.ts";
import { mostNetWithin } from "../../../kernel/money.ts";
import type { Caller } from "../../../operation/caller.ts";
import type { Database, Executor } from "../../../platform/database/database.ts";
import type { Meter } from "../../../platform/database/tables/billing.ts";
import type { IssueInvoice, Notify } from "../billing.ports.ts";
import type { OverageState } from "../billing.schema.ts";
import { type Catalogue, planOf, residencyTiers } from "../catalogue/catalogue.ts";
import type { LedgerService, Posting } from "../ledger/ledger.service.ts";
import { lockWallets, updateWallet } from "../wallet/wallet.repo.ts";
import { amountOf } from "../wallet/wallet.service.ts";
import {
  type Charge,
  chargesOf,
  type MeterState,
  presentMeter,
  type Standing,
  sayAmount,
  sayRate,
  standingOf,
} from "./overage.ts";
import { inUnits, meterUnits } from "./rating.ts";
import * as repo from "./usage.repo.ts";

/** For how long after a month's end its last traffic may come in. */
const closingMs = 2 * dayMs;
const page = 1000;
/** Charged in one transaction: enough that its commit costs nothing, few enough that nobody waits for it. */
const together = 100;
/** Before every id. */
const first = "00000000-0000-0000-0000-000000000000";
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

  /** Has the database count traffic as this catalogue wants it, from now on. */
  async declareTiers(): Promise<void> {
    const { database, catalogue } = this.#options;
    await repo.setResidencyTiers(database, residencyTiers(catalogue));
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
    await repo.lockMonths(transaction, [accountId], month);
    const account = await this.#find(transaction, accountId, month);
    if (!planOf(catalogue, account.plan).overage) {
      throw new DomainError(
        "plan_restricted",
        `On the plan ${account.plan} nothing past the allowances can be bought: choose a paid plan first (POST /billing/plan).`,
      );
    }
    const overageBudgetMinor = amountOf(budgetMad, "/budgetMad");
    await updateWallet(transaction, accountId, { overageBudgetMinor });
    await this.#charge(transaction, [accountId], month);
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
    await this.#lookAt([accountId], (account, standing) => needsWork(account, standing, true));
  }

  /** These have used something: whoever has come to a line by that is told, charged, blocked. Safe to miss: the run follows. */
  async look(accountIds: readonly string[]): Promise<void> {
    const { catalogue } = this.#options;
    for (let n = 0; n < accountIds.length; n += page)
      await this.#lookAt(accountIds.slice(n, n + page), (account, standing) =>
        hasCrossed(account, standing, catalogue),
      );
  }

  async #lookAt(
    accountIds: readonly string[],
    isDue: (account: repo.OverageAccount, standing: Standing) => boolean,
  ): Promise<void> {
    if (!this.#isEnabled || accountIds.length === 0) return;
    const { database, catalogue, clock } = this.#options;
    const month = monthName(clock.now());
    const accounts = await repo.findOverage(database, accountIds, month, month);
    await this.#chargeAll(
      accounts.filter((account) => isDue(account, standingOf(account, catalogue, true))),
      month,
    );
  }

  async #runMonth(month: string, now: Date): Promise<void> {
    const { database, catalogue } = this.#options;
    const isCurrent = month === monthName(now);
    let after = first;
    for (;;) {
      const accounts = await repo.listOverage(database, month, monthName(now), after, page);
      await this.#chargeAll(
        accounts.filter((account) => needsWork(account, standingOf(account, catalogue, true), isCurrent)),
        month,
      );
      after = accounts.at(-1)?.accountId ?? first;
      if (accounts.length < page) return;
    }
  }

  /** Some in one transaction; where one of them makes that fail, each alone, so that the others are not held up. */
  async #chargeAll(accounts: readonly repo.OverageAccount[], month: string): Promise<void> {
    const { database } = this.#options;
    const charge = (ids: readonly string[]) =>
      database.transaction().execute((transaction) => this.#charge(transaction, ids, month));
    const failures: unknown[] = [];
    for (let n = 0; n < accounts.length; n += together) {
      const ids = accounts.slice(n, n + together).map(({ accountId }) => accountId);
      try {
        await charge(ids);
      } catch {
        for (const id of ids) await charge([id]).catch((error: unknown) => failures.push(error));
      }
    }
    if (failures.length > 0) throw new AggregateError(failures, `${failures.length} accounts could not be charged`);
  }

  /** Everything that is due of these accounts' month. Works under their locks; repeats nothing. */
  async #charge(transaction: Executor, accountIds: readonly string[], month: string): Promise<void> {
    if (!this.#isEnabled) return;
    const { catalogue, clock, ledger } = this.#options;
    const now = clock.now();
    await repo.lockMonths(transaction, accountIds, month);
    await lockWallets(transaction, accountIds);
    const accounts = await repo.findOverage(transaction, accountIds, month, monthName(now));
    const charged = accounts.map((account) => chargesOf(account, catalogue));
    const charges = charged.flatMap((one) => one.charges);
    if (charges.length > 0) {
      const postings = charges.map((charge) => this.#postingOf(charge, month));
      const outcomes = await ledger.postAll(transaction, postings);
      // Under the locks, from what they keep: anything else is a mistake of ours, and nothing is charged by it.
      if (outcomes.some(({ outcome }) => outcome !== "POSTED")) throw new Error("an overage was not posted");
      await repo.addCharges(transaction, month, charges);
    }
    if (month !== monthName(now)) return;
    const standings = charged.map(({ after }) => [after, standingOf(after, catalogue, true)] as const);
    await this.#tell(transaction, standings, month);
    for (const [account, standing] of standings) await this.#block(transaction, account, standing, now);
  }

  #postingOf({ accountId, meter, netMinor, chargedMinor, soldNetMinor, over }: Charge, month: string): Posting {
    return {
      accountId,
      // By what the meter has cost so far: there is one step from each sum.
      key: `overage/${accountId}/${month}/${meter}/${soldNetMinor}`,
      kind: "OVERAGE_CHARGE",
      amountMinor: -chargedMinor,
      against: { OVERAGE_SALES: -netMinor, TAX: -(chargedMinor - netMinor) },
      description: `Use past the allowance, ${sayAmount(meter, over)} in all at ${sayRate(meter, this.#options.catalogue)}`,
      meter,
      quantity: this.#quantity(meter, netMinor).toFixed(3),
      periodStart: new Date(`${month}T00:00:00Z`),
    };
  }

  async #tell(
    transaction: Executor,
    standings: readonly (readonly [repo.OverageAccount, Standing])[],
    month: string,
  ): Promise<void> {
    const { catalogue, notify, billingUrl } = this.#options;
    const news = standings.flatMap(([account, standing]) =>
      standing.meters.flatMap((state) => {
        const toldPct = toTell(account, state);
        return toldPct === null ? [] : [{ account, standing, state, toldPct }];
      }),
    );
    if (news.length === 0) return;
    await repo.setTold(
      transaction,
      month,
      news.map(({ account, state, toldPct }) => ({ accountId: account.accountId, meter: state.meter, toldPct })),
    );
    for (const { account, standing, state, toldPct } of news) {
      const { meter, amount, included, blocked } = state;
      await notify(transaction, {
        accountId: account.accountId,
        event: "LIMIT_WARNING",
        title: `${toldPct} % of the plan's ${nameOf(meter)} are used`,
        text: blocked
          ? explainBlock(account.plan, state, standing, catalogue)
          : `${inUnits(meter, amount)} of ${included} ${meterUnits[meter].unit} this month.`,
        url: billingUrl(),
        channelId: null,
        key: `usage/${account.accountId}/${month}/${meter}/${toldPct}`,
      });
    }
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
        // May be a fraction of a santimat.
        unitPriceMinor: catalogue.overage.ratesMicroSantimat[meter] / 1_000_000,
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
    const [account] = await repo.findOverage(executor, [accountId], month, monthName(this.#options.clock.now()));
    if (account === undefined) throw notFound("account");
    return account;
  }
}

function needsWork(account: repo.OverageAccount, standing: Standing, isCurrent: boolean): boolean {
  const charges = standing.room > 0 && standing.meters.some(({ openNetMinor }) => openNetMinor > 0);
  return charges || (isCurrent && hasNews(account, standing));
}

/** Between two hourly runs: only what changes something for people, not each santimat. */
function hasCrossed(account: repo.OverageAccount, standing: Standing, { taxRateBp }: Catalogue): boolean {
  const open = standing.meters.reduce((sum, { openNetMinor }) => sum + openNetMinor, 0);
  const isSpent = standing.canBuyOverage && open >= mostNetWithin(standing.room, account.netMinor, taxRateBp);
  return isSpent || hasNews(account, standing);
}

function hasNews(account: repo.OverageAccount, standing: Standing): boolean {
  return (
    standing.meters.some((state) => toTell(account, state) !== null) || !isSame(blockedOf(standing), account.blocked)
  );
}

/** The line that a meter has come to and that nobody was told of; null: none. */
function toTell(account: repo.OverageAccount, { meter, pct, enforcement }: MeterState): number | null {
  const reached = toldAt.filter((at) => pct >= at).at(-1) ?? 0;
  return enforcement !== "NONE" && reached > (account.told[meter] ?? 0) ? reached : null;
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
