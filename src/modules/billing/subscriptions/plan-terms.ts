/**
 * Plans come into force here, and nowhere else: bought, renewed, changed, given, ended. Each works in its caller's
 * transaction under the account's lock: money, subscription, `accounts.plan`, suspension and invoice change together.
 */

import { periodEnd, priceOfTime, type Term } from "../../../kernel/billing-period.ts";
import type { Clock } from "../../../kernel/clock.ts";
import { taxOn, withTax } from "../../../kernel/money.ts";
import type { Executor } from "../../../platform/database/database.ts";
import type { IssueInvoice } from "../billing.ports.ts";
import { type Catalogue, priceOf } from "../catalogue/catalogue.ts";
import type { LedgerService } from "../ledger/ledger.service.ts";
import * as repo from "./subscription.repo.ts";

export interface PlanTermsOptions {
  readonly catalogue: Catalogue;
  readonly clock: Clock;
  readonly ledger: LedgerService;
  /** Without one, charges stand in the statement alone. */
  readonly issueInvoice: IssueInvoice;
  /** Has the account's dates and meters looked at again, by the plan that is in force then. */
  readonly requestLook: (transaction: Executor, accountId: string) => Promise<void>;
  /** Has a service looked at again: it has to stop, or may run. */
  readonly requestReconcile: (transaction: Executor, serviceId: string) => Promise<void>;
}

export interface Purchase {
  readonly accountId: string;
  readonly plan: string;
  readonly term: Term;
  readonly periodStart: Date;
  /** Behind a period that still runs: its start and what was paid for it. */
  readonly extends?: { readonly periodStart: Date; readonly paidNetMinor: number; readonly anchorDay: number };
  /** Left of the present plan, without tax. */
  readonly creditNetMinor: number;
  /** Of what is being paid, once. */
  readonly key: string;
  readonly provider: string;
  readonly providerTxnId: string | null;
}

export class PlanTerms {
  readonly #options: PlanTermsOptions;

  constructor(options: PlanTermsOptions) {
    this.#options = options;
  }

  /** Without tax; null: it can't be bought for that term. */
  price(plan: string, term: Term): number | null {
    return priceOf(this.#options.catalogue, plan, term);
  }

  /** What somebody pays for a price. */
  gross(netMinor: number): number {
    return withTax(netMinor, this.#options.catalogue.taxRateBp);
  }

  /** Pays from the credit; false, and nothing has changed, when that does not suffice. */
  async buy(transaction: Executor, purchase: Purchase): Promise<boolean> {
    const { accountId, plan, term, periodStart, creditNetMinor } = purchase;
    const { ledger, issueInvoice, catalogue } = this.#options;
    const { taxRateBp } = catalogue;
    const priceNet = this.price(plan, term);
    if (priceNet === null) throw new Error(`${plan} is not sold ${term}`);
    const dueNet = priceNet - creditNetMinor;
    const about = { accountId, periodStart, provider: purchase.provider };
    if (creditNetMinor > 0) {
      const tax = taxOn(priceNet, taxRateBp) - taxOn(dueNet, taxRateBp);
      // In one transaction with the charge: where that is refused, the caller's savepoint takes this back.
      await ledger.post(transaction, {
        ...about,
        key: `${purchase.key}/credit`,
        kind: "PLAN_CREDIT",
        amountMinor: creditNetMinor + tax,
        against: { PLAN_SALES: creditNetMinor, TAX: tax },
        description: "What was left of the plan before",
      });
    }
    const tax = taxOn(priceNet, taxRateBp);
    const paid = await ledger.post(transaction, {
      ...about,
      key: purchase.key,
      kind: "PLAN_CHARGE",
      amountMinor: -(priceNet + tax),
      against: { PLAN_SALES: -priceNet, TAX: -tax },
      description: describe(plan, term),
    });
    if (paid.outcome === "SHORT") return false;
    const anchorDay = purchase.extends?.anchorDay ?? periodStart.getUTCDate();
    const end = periodEnd(periodStart, term, anchorDay);
    if (paid.outcome === "KNOWN") return true;
    await this.putInForce(transaction, {
      accountId,
      plan,
      term,
      provider: purchase.provider,
      periodStart: purchase.extends?.periodStart ?? periodStart,
      periodEnd: end,
      anchorDay,
      paidNetMinor: priceNet + (purchase.extends?.paidNetMinor ?? 0),
    });
    const credit = { meter: null, description: "What was left of the plan before", quantity: 1 };
    await issueInvoice(transaction, {
      accountId,
      plan,
      term,
      provider: purchase.provider,
      providerTxnId: purchase.providerTxnId,
      periodStart,
      servicePeriodStart: periodStart,
      servicePeriodEnd: end,
      lines: [
        {
          meter: null,
          description: describe(plan, term),
          quantity: 1,
          unitPriceMinor: priceNet,
          amountMinor: priceNet,
        },
        ...(creditNetMinor > 0 ? [{ ...credit, unitPriceMinor: -creditNetMinor, amountMinor: -creditNetMinor }] : []),
      ],
      taxRateBp,
    });
    return true;
  }

  /** Given by the operator: it counts as paid at the list price, in time and for upgrades, never as credit. */
  async give(transaction: Executor, accountId: string, plan: string, term: Term, until: Date | null): Promise<Date> {
    const now = this.#options.clock.now();
    const end = until ?? periodEnd(now, term);
    const price = this.price(plan, term);
    await this.putInForce(transaction, {
      accountId,
      plan,
      term,
      provider: "operator",
      periodStart: now,
      periodEnd: end,
      anchorDay: (until ?? now).getUTCDate(),
      paidNetMinor: price === null ? 0 : priceOfTime(now, end, price, term),
    });
    return end;
  }

  /** From now on; whatever was due before is settled by it. */
  async putInForce(
    transaction: Executor,
    paid: Pick<
      repo.SubscriptionRow,
      "accountId" | "plan" | "term" | "provider" | "periodStart" | "periodEnd" | "anchorDay" | "paidNetMinor"
    >,
  ): Promise<void> {
    const now = this.#options.clock.now();
    await repo.insertSubscription(transaction, {
      ...paid,
      status: "ACTIVE",
      cancelAtPeriodEnd: false,
      graceUntil: null,
      suspendedAt: null,
      reminders: 0,
      // Looked at at once: its reminders depend on the catalogue.
      nextAt: now,
      createdAt: now,
    });
    await repo.setAccountPlan(transaction, paid.accountId, paid.plan);
    await this.#options.requestLook(transaction, paid.accountId);
    await this.setSuspended(transaction, paid.accountId, null);
  }

  /** FREE from now on. */
  async end(transaction: Executor, accountId: string): Promise<void> {
    await repo.updateSubscription(transaction, accountId, {
      status: "CANCELLED",
      cancelAtPeriodEnd: false,
      graceUntil: null,
      suspendedAt: null,
      nextAt: null,
    });
    await repo.setAccountPlan(transaction, accountId, "FREE");
    await this.#options.requestLook(transaction, accountId);
    await this.setSuspended(transaction, accountId, null);
  }

  async setSuspended(transaction: Executor, accountId: string, suspendedAt: Date | null): Promise<void> {
    for (const serviceId of await repo.setSuspended(transaction, accountId, suspendedAt))
      await this.#options.requestReconcile(transaction, serviceId);
  }
}

const termNames: Readonly<Record<Term, string>> = { MONTHLY: "a month", QUARTERLY: "three months", ANNUAL: "a year" };

export function describe(plan: string, term: Term): string {
  return `Plan ${plan} for ${termNames[term]}`;
}
