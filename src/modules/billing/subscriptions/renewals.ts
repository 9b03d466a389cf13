/**
 * The billing run: carries out what is due on subscriptions (`lifecycle.ts`), one account in one transaction.
 *
 * What is due is a date in the subscription's row (`next_at`), so nothing has to be remembered: a process that was killed
 * in the middle has committed some accounts whole and others not at all, and the next run finds the rest. A charge has the
 * period it pays for as its key, so that no two runs charge for it twice. The account's lock keeps people's changes and
 * other runs out while an account is being looked at.
 */
import type { Term } from "../../../kernel/billing-period.ts";
import { monthName } from "../../../kernel/billing-period.ts";
import type { Clock } from "../../../kernel/clock.ts";
import { formatMad } from "../../../kernel/money.ts";
import type { Database, Executor } from "../../../platform/database/database.ts";
import { addJob } from "../../../platform/queue.ts";
import type { Notify, RecordDeed } from "../billing.ports.ts";
import type { Catalogue } from "../catalogue/catalogue.ts";
import { findSpending, findWallet } from "../wallet/wallet.repo.ts";
import { nextStep } from "./lifecycle.ts";
import type { PlanTerms } from "./plan-terms.ts";
import * as repo from "./subscription.repo.ts";

export const advanceTask = "billing.advance";

const batch = 500;
/** More steps than any subscription has in a row. */
const mostSteps = 20;

/** What is unpaid is looked at this often, whatever may have changed unnoticed. */
const unpaidLookMs = 60 * 60_000;

/** Has an account looked at once the transaction has committed. */
export async function requestLook(executor: Executor, accountId: string): Promise<void> {
  await addJob(executor, advanceTask, { accountId }, { key: `${advanceTask}/${accountId}` });
}

export interface RenewalsOptions {
  readonly database: Database;
  readonly catalogue: Catalogue;
  readonly clock: Clock;
  readonly terms: PlanTerms;
  readonly notify: Notify;
  readonly record: RecordDeed;
  readonly billingUrl: () => string;
}

export class Renewals {
  readonly #options: RenewalsOptions;

  constructor(options: RenewalsOptions) {
    this.#options = options;
  }

  /** Rings for whatever is due; one that fails comes again with the next run. */
  async requestDue(): Promise<void> {
    const { database, clock } = this.#options;
    for (const accountId of await repo.listDue(database, clock.now(), batch)) await requestLook(database, accountId);
  }

  /** Everything that is due on an account's subscription by now. Safe to repeat, and to kill at any line. */
  async advance(accountId: string): Promise<void> {
    await this.#options.database.transaction().execute((transaction) => this.advanceWithin(transaction, accountId));
  }

  async advanceWithin(transaction: Executor, accountId: string): Promise<void> {
    if ((await repo.lockAccount(transaction, accountId)) === undefined) return;
    for (let steps = 0; steps < mostSteps; steps += 1) {
      const row = await repo.findSubscription(transaction, accountId);
      if (row === undefined || !(await this.#step(transaction, row))) return;
    }
    throw new Error(`the subscription of ${accountId} does not come to rest`);
  }

  /** true: there may be more to do. */
  async #step(transaction: Executor, row: repo.SubscriptionRow): Promise<boolean> {
    const { clock, terms, catalogue } = this.#options;
    const { accountId, plan, term } = row;
    const now = clock.now();
    const present = {
      now,
      isSold: terms.price(plan, term) !== null,
      canRenew: await this.#canRenew(transaction, accountId, plan, term),
    };
    const step = nextStep(row, present, catalogue.dunning);
    switch (step.kind) {
      case "wait":
        await repo.setNextLook(transaction, accountId, soonerIfUnpaid(row.status, step.until, now));
        return false;
      case "remind":
        await repo.setReminders(transaction, accountId, step.sent);
        await this.#remind(transaction, row, present.canRenew);
        return true;
      case "renew": {
        const paid = await terms.buy(transaction, {
          accountId,
          plan,
          term,
          periodStart: step.start,
          ...(step.start.getTime() === row.periodEnd.getTime()
            ? { extends: { periodStart: step.start, paidNetMinor: 0, anchorDay: row.anchorDay } }
            : {}),
          creditNetMinor: 0,
          key: `renewal/${accountId}/${row.periodEnd.toISOString()}`,
          provider: "credit",
          providerTxnId: null,
        });
        if (!paid) throw new Error("the credit was spent under the account's lock");
        await this.#record(transaction, row, "billing.plan_renewed");
        return true;
      }
      case "pastDue":
        await repo.updateSubscription(transaction, accountId, { status: "PAST_DUE", graceUntil: step.graceUntil });
        await this.#record(transaction, row, "billing.past_due");
        await this.#tellPastDue(transaction, row, "is unpaid", step.graceUntil);
        return true;
      case "grace":
        await repo.updateSubscription(transaction, accountId, { status: "GRACE" });
        await this.#record(transaction, row, "billing.grace");
        await this.#tellPastDue(transaction, row, "is still unpaid", row.graceUntil);
        return true;
      case "suspend":
        await repo.updateSubscription(transaction, accountId, { suspendedAt: now });
        await terms.setSuspended(transaction, accountId, now);
        await this.#record(transaction, row, "billing.suspended");
        await this.#tellPastDue(transaction, row, "was not paid in time", null);
        return true;
      case "end":
        await terms.end(transaction, accountId);
        await this.#record(transaction, row, "billing.plan_ended");
        return false;
    }
  }

  async #record(transaction: Executor, row: repo.SubscriptionRow, action: string): Promise<void> {
    const { accountId, plan, term } = row;
    await this.#options.record(transaction, { accountId, action, metadata: { plan, term } });
  }

  async #canRenew(transaction: Executor, accountId: string, plan: string, term: Term): Promise<boolean> {
    const { terms, clock } = this.#options;
    const price = terms.price(plan, term);
    if (price === null) return false;
    const { autoRenew } = await findWallet(transaction, accountId);
    const spending = await findSpending(transaction, accountId, monthName(clock.now()));
    if (!autoRenew || spending === undefined) return false;
    const gross = terms.gross(price);
    const { spendCapMad, spentMinor, balanceMinor } = spending;
    return balanceMinor >= gross && (spendCapMad === null || spentMinor + gross <= spendCapMad * 100);
  }

  async #remind(transaction: Executor, row: repo.SubscriptionRow, canRenew: boolean): Promise<void> {
    const price = this.#options.terms.price(row.plan, row.term);
    const day = row.periodEnd.toISOString().slice(0, 10);
    const amount = price === null ? null : formatMad(this.#options.terms.gross(price));
    await this.#options.notify(transaction, {
      accountId: row.accountId,
      event: "BILLING_RENEWAL_DUE",
      title: `The plan ${row.plan} ends on ${day}`,
      text:
        amount === null
          ? `It was given for that long. Choose a plan to go on with; without one the account is FREE from then on.`
          : canRenew
            ? `It will be renewed from credit: ${amount}.`
            : `Renewing it costs ${amount}. Pay for the next period, or top up and switch auto-renew on.`,
      url: this.#options.billingUrl(),
      channelId: null,
      key: `renewal-due/${row.accountId}/${row.periodEnd.toISOString()}/${row.reminders}`,
    });
  }

  async #tellPastDue(
    transaction: Executor,
    row: repo.SubscriptionRow,
    what: string,
    until: Date | null,
  ): Promise<void> {
    await this.#options.notify(transaction, {
      accountId: row.accountId,
      event: "BILLING_PAST_DUE",
      title: `The plan ${row.plan} ${what}`,
      text:
        until === null
          ? "The account is suspended and its services are stopped. They start again as soon as the plan is paid."
          : `Everything keeps running until ${until.toISOString().slice(0, 10)}; then the services are stopped. Pay for the next period, or top up and switch auto-renew on.`,
      url: this.#options.billingUrl(),
      channelId: null,
      key: `past-due/${row.accountId}/${row.periodEnd.toISOString()}/${what}`,
    });
  }
}

function soonerIfUnpaid(status: repo.SubscriptionRow["status"], until: Date | null, now: Date): Date | null {
  if (status !== "PAST_DUE" && status !== "GRACE") return until;
  const soon = new Date(now.getTime() + unpaidLookMs);
  return until === null || until > soon ? soon : until;
}
