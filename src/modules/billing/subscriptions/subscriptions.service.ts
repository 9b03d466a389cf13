/**
 * The plan, as an account's people see and change it. Nothing here takes money: a plan that costs something is a checkout,
 * and comes into force when that is paid (`onPaid`). What comes in by a checkout always becomes credit first and the plan
 * is bought from it, so a payment that comes late, twice, or for a plan that is no longer what it was is never lost: it
 * stays as credit.
 *
 * What a hostile tenant would try: paying an old offer after the plan's value has been used up (an offer holds for a day
 * and for the subscription's version that it was made for), turning a plan into credit (a value becomes time, or lowers
 * a price, never more than was paid), two changes at once (the account's lock).
 */

import { terms as allTerms, dayMs, type Term } from "../../../kernel/billing-period.ts";
import type { Clock } from "../../../kernel/clock.ts";
import { DomainError, notFound } from "../../../kernel/errors.ts";
import { formatMad, madOfMinor } from "../../../kernel/money.ts";
import type { Caller } from "../../../operation/caller.ts";
import type { Database, Executor } from "../../../platform/database/database.ts";
import type { Notify, OpenCheckout, PaidCheckout, RecordDeed } from "../billing.ports.ts";
import type { PlanChanged, PlanOffer, Subscription, SubscriptionState } from "../billing.schema.ts";
import { type Catalogue, planNames, sellsTerms } from "../catalogue/catalogue.ts";
import { priceListOf } from "../catalogue/price-list.ts";
import type { LedgerService } from "../ledger/ledger.service.ts";
import { findWallet, updateWallet } from "../wallet/wallet.repo.ts";
import { renewalStart } from "./lifecycle.ts";
import { type PaidPeriod, type PlanChange, planChange } from "./plan-change.ts";
import { describe, type PlanTerms } from "./plan-terms.ts";
import { type Renewals, requestLook } from "./renewals.ts";
import * as repo from "./subscription.repo.ts";

/** How long what was offered with a checkout holds. */
const quoteMs = dayMs;
const quotesKeptMs = 90 * dayMs;

export interface SubscriptionsOptions {
  readonly database: Database;
  readonly catalogue: Catalogue;
  readonly clock: Clock;
  readonly ledger: LedgerService;
  readonly terms: PlanTerms;
  readonly renewals: Renewals;
  readonly openCheckout: OpenCheckout;
  readonly notify: Notify;
  readonly record: RecordDeed;
  readonly billingUrl: () => string;
}

export class SubscriptionsService {
  readonly #options: SubscriptionsOptions;

  constructor(options: SubscriptionsOptions) {
    this.#options = options;
  }

  async get(caller: Caller): Promise<SubscriptionState> {
    const { database, catalogue } = this.#options;
    const { accountId } = caller;
    const row = await repo.findSubscription(database, accountId);
    const wallet = await findWallet(database, accountId);
    const plan = await repo.findAccountPlan(database, accountId);
    return {
      subscription: present(row, plan, wallet.autoRenew),
      hasCustomer: wallet.hasPaid,
      termsEnabled: sellsTerms(catalogue),
    };
  }

  /** What there is to choose, and what each choice would do at this moment; nothing changes by asking. */
  async plans(caller: Caller): Promise<PlanOffer[]> {
    const { database, catalogue, terms } = this.#options;
    const row = await repo.findSubscription(database, caller.accountId);
    const present = await repo.findAccountPlan(database, caller.accountId);
    return priceListOf(catalogue, present, (plan, term, priceNetMinor) => {
      const change = this.#change(row, plan, term, priceNetMinor);
      if (change.kind === "settle") {
        const { carriedDays, periodEnd } = change;
        return { switched: true, carriedDays, priceMad: null, currentPeriodEnd: periodEnd.toISOString() };
      }
      const creditNetMinor = change.kind === "buy" ? change.creditNetMinor : 0;
      return { ...offerOf(row, terms.gross(priceNetMinor - creditNetMinor)), carriedDays: 0 };
    });
  }

  async setAutoRenew(transaction: Executor, caller: Caller, enabled: boolean): Promise<void> {
    await updateWallet(transaction, caller.accountId, { autoRenew: enabled });
    if (enabled) await requestLook(transaction, caller.accountId);
  }

  /** At the period's end, or at once where that is over; without a plan that ends there is nothing to cancel. */
  async cancel(
    transaction: Executor,
    caller: Caller,
    cancel: boolean,
  ): Promise<{ cancelAtPeriodEnd: boolean; currentPeriodEnd: string | null }> {
    const { accountId } = caller;
    await repo.lockAccount(transaction, accountId);
    const row = await repo.findSubscription(transaction, accountId);
    if (row === undefined || row.status === "CANCELLED") return { cancelAtPeriodEnd: false, currentPeriodEnd: null };
    if (row.cancelAtPeriodEnd !== cancel)
      await repo.updateSubscription(transaction, accountId, { cancelAtPeriodEnd: cancel });
    await this.#options.renewals.advanceWithin(transaction, accountId);
    return { cancelAtPeriodEnd: cancel, currentPeriodEnd: row.periodEnd.toISOString() };
  }

  async changePlan(transaction: Executor, caller: Caller, plan: string, term: Term): Promise<PlanChanged> {
    const { accountId } = caller;
    const account = await repo.lockAccount(transaction, accountId);
    if (account === undefined) throw notFound("account");
    await this.#options.renewals.advanceWithin(transaction, accountId);
    const row = await repo.findSubscription(transaction, accountId);
    if (plan === "FREE") return this.#toFree(transaction, accountId, row);
    const { terms } = this.#options;
    const price = terms.price(plan, term);
    if (price === null)
      throw notSold(
        plan,
        term,
        allTerms.filter((one) => terms.price(plan, one) !== null),
      );
    const change = this.#change(row, plan, term, price);
    if (change.kind === "settle" && row !== undefined) {
      const now = this.#options.clock.now();
      await terms.putInForce(transaction, {
        accountId,
        plan,
        term,
        provider: row.provider,
        periodStart: now,
        periodEnd: change.periodEnd,
        anchorDay: change.periodEnd.getUTCDate(),
        paidNetMinor: change.valueNetMinor,
      });
      const { carriedDays, periodEnd } = change;
      return {
        url: null,
        carriedDays,
        switched: true,
        currentPeriodEnd: periodEnd.toISOString(),
        priceMad: null,
      };
    }
    const creditNetMinor = change.kind === "buy" ? change.creditNetMinor : 0;
    const amountMinor = terms.gross(price - creditNetMinor);
    const { id, url } = await this.#options.openCheckout(transaction, {
      accountId,
      purpose: "PLAN",
      amountMinor,
      description: describe(plan, term),
      plan: { plan, term },
    });
    await repo.insertQuote(transaction, {
      checkoutId: id,
      accountId,
      plan,
      term,
      creditNetMinor,
      subscriptionVersion: row?.version ?? null,
      quotedAt: this.#options.clock.now(),
    });
    return { url, carriedDays: 0, ...offerOf(row, amountMinor) };
  }

  /** A paid checkout, in the transaction that marks it as such. Once for each, and harmless when it comes again. */
  async onPaid(transaction: Executor, checkout: PaidCheckout): Promise<void> {
    const { accountId, checkoutId, amountMinor, provider, providerTxnId, purpose } = checkout;
    const { ledger, record } = this.#options;
    // Before the wallet's lock, as everywhere.
    const account = await repo.lockAccount(transaction, accountId);
    if (account === undefined) throw notFound("account");
    const paid = await ledger.post(transaction, {
      accountId,
      key: `checkout/${checkoutId}`,
      kind: "TOPUP",
      amountMinor,
      against: { PAYMENTS: amountMinor },
      description: purpose === "PLAN" ? "Payment for a plan" : "Top-up",
      provider,
      providerTxnId,
    });
    if (paid.outcome === "KNOWN") return;
    if (purpose === "PLAN" && checkout.plan !== null) await this.#buyPaid(transaction, checkout, checkout.plan);
    const metadata = { purpose, amountMinor, provider };
    await record(transaction, { accountId, action: "billing.paid", metadata });
    await requestLook(transaction, accountId);
  }

  /** `ksar admin plan set`. When it ends; null: never. */
  async give(
    transaction: Executor,
    accountId: string,
    given: { readonly plan: string; readonly term: string; readonly until: Date | null },
  ): Promise<Date | null> {
    const { terms, clock } = this.#options;
    const plan = planNames.find((name) => name === given.plan);
    if (plan === undefined)
      throw new DomainError("validation_failed", `--plan should be one of ${planNames.join(", ")}.`);
    const term = allTerms.find((name) => name === given.term);
    if (term === undefined)
      throw new DomainError("validation_failed", `--term should be one of ${allTerms.join(", ")}.`);
    const { until } = given;
    if (until !== null && !(until > clock.now() && until.getUTCFullYear() < 2200))
      throw new DomainError("validation_failed", "--until should be a day in the future, such as 2027-01-31.");
    if ((await repo.lockAccount(transaction, accountId)) === undefined) throw notFound("account");
    if (plan === "FREE") {
      await terms.end(transaction, accountId);
      await repo.deleteSubscription(transaction, accountId);
      return null;
    }
    return terms.give(transaction, accountId, plan, term, until);
  }

  /** Forgets offers that nobody can take up any more. */
  async sweep(): Promise<void> {
    const { database, clock } = this.#options;
    await repo.forgetQuotes(database, new Date(clock.now().getTime() - quotesKeptMs));
  }

  /** No immediate end of what was paid for; what was not paid for ends at once. */
  async #toFree(transaction: Executor, accountId: string, row: repo.SubscriptionRow | undefined): Promise<PlanChanged> {
    const free = { url: null, carriedDays: 0, priceMad: 0 };
    if (runs(row)) {
      await repo.updateSubscription(transaction, accountId, { cancelAtPeriodEnd: true });
      return { ...free, switched: false, currentPeriodEnd: row.periodEnd.toISOString() };
    }
    const isFree = (await repo.findAccountPlan(transaction, accountId)) === "FREE";
    if (!isFree) await this.#options.terms.end(transaction, accountId);
    return { ...free, switched: !isFree, currentPeriodEnd: null };
  }

  #change(row: repo.SubscriptionRow | undefined, plan: string, term: Term, priceNetMinor: number): PlanChange {
    const { terms, clock } = this.#options;
    const present: PaidPeriod | null = runs(row) ? row : null;
    const wanted = {
      plan,
      term,
      priceNetMinor,
      presentPriceNetMinor: present === null ? null : terms.price(present.plan, term),
    };
    return planChange(present, wanted, clock.now());
  }

  async #buyPaid(
    transaction: Executor,
    checkout: PaidCheckout,
    { plan, term: given }: NonNullable<PaidCheckout["plan"]>,
  ): Promise<void> {
    const { terms, clock } = this.#options;
    const { accountId, checkoutId } = checkout;
    const term = allTerms.find((one) => one === given);
    const price = term === undefined ? null : terms.price(plan, term);
    if (term === undefined || price === null) return this.#keepAsCredit(transaction, checkout, plan);
    const row = await repo.findSubscription(transaction, accountId);
    const now = clock.now();
    const change = this.#change(row, plan, term, price);
    const quote = await repo.findQuote(transaction, accountId, checkoutId);
    const holds =
      quote !== undefined &&
      quote.subscriptionVersion === (row?.version ?? null) &&
      now.getTime() - quote.quotedAt.getTime() <= quoteMs;
    // Never more than the price; what is left of the plan is worth a little less with each moment since the offer.
    const left = change.kind === "buy" ? change.creditNetMinor : 0;
    const creditNetMinor = holds && quote.creditNetMinor > left && runs(row) ? quote.creditNetMinor : left;
    const { balanceMinor } = await findWallet(transaction, accountId);
    if (change.kind === "settle" || balanceMinor < terms.gross(price - creditNetMinor))
      return this.#keepAsCredit(transaction, checkout, plan);
    const isExtension = change.kind === "extend" && row !== undefined;
    const isLate = row !== undefined && row.status !== "CANCELLED" && row.periodEnd <= now;
    const bought = await terms.buy(transaction, {
      accountId,
      plan,
      term,
      periodStart: isExtension ? row.periodEnd : isLate ? renewalStart(row, now) : now,
      ...(isExtension ? { extends: row } : {}),
      creditNetMinor,
      key: `plan/${checkoutId}`,
      provider: checkout.provider,
      providerTxnId: checkout.providerTxnId,
    });
    if (!bought) throw new Error("the credit was spent under the account's lock");
  }

  async #keepAsCredit(transaction: Executor, checkout: PaidCheckout, plan: string): Promise<void> {
    await this.#options.notify(transaction, {
      accountId: checkout.accountId,
      event: "LIMIT_WARNING",
      title: `${formatMad(checkout.amountMinor)} came in and became credit`,
      text: `The offer for the plan ${plan} that was paid did not hold any more, so nothing was bought. The money is in the credit: choose the plan again, or let auto-renew use it.`,
      url: this.#options.billingUrl(),
      channelId: null,
      key: `kept/${checkout.checkoutId}`,
    });
  }
}

/** Whether something runs that was paid for, or given, and is not over. */
function runs(row: repo.SubscriptionRow | undefined): row is repo.SubscriptionRow {
  return row !== undefined && row.status === "ACTIVE";
}

/** Something is to be paid; until then all stays. */
function offerOf(row: repo.SubscriptionRow | undefined, amountMinor: number) {
  return {
    switched: false,
    currentPeriodEnd: runs(row) ? row.periodEnd.toISOString() : null,
    priceMad: madOfMinor(amountMinor),
  };
}

function notSold(plan: string, term: Term, sold: readonly Term[]): DomainError {
  return new DomainError(
    "plan_restricted",
    sold.length === 0
      ? `The plan ${plan} is not for sale: the operator gives it.`
      : `The plan ${plan} is not sold ${term}, only ${sold.join(", ")}.`,
  );
}

function present(row: repo.SubscriptionRow | undefined, plan: string, autoRenew: boolean): Subscription | null {
  if (row !== undefined && (row.status !== "CANCELLED" || plan === "FREE")) {
    return {
      plan: row.plan,
      status: row.status,
      provider: row.provider,
      term: row.term,
      autoRenew,
      currentPeriodEnd: row.periodEnd.toISOString(),
      cancelAtPeriodEnd: row.cancelAtPeriodEnd,
      graceUntil: row.graceUntil?.toISOString() ?? null,
    };
  }
  if (plan === "FREE") return null;
  // Given when the account was made: without a term, and without an end.
  const without = { provider: "operator", term: null, currentPeriodEnd: null, cancelAtPeriodEnd: false };
  return { plan, status: "ACTIVE", autoRenew, graceUntil: null, ...without };
}
