/**
 * What a credit note moves: what was paid for the invoice becomes credit again, and what is left of the plan that it was for
 * is worth that much less, so that nobody has both the money and the time. In the transaction of the note, before it gets
 * its number. The plan itself runs on to its end; the operator ends it with `ksar admin plan set --plan FREE`.
 */
import type { Executor } from "../../platform/database/database.ts";
import type { LedgerService } from "./ledger/ledger.service.ts";
import * as repo from "./subscriptions/subscription.repo.ts";

export interface CreditNote {
  readonly id: string;
  readonly accountId: string;
  /** The invoice's number. */
  readonly corrects: string;
  /** Of the invoice: null, it was for use past the allowances. */
  readonly plan: string | null;
  readonly servicePeriodEnd: Date | null;
  /** What is given back, above zero. */
  readonly netMinor: number;
  readonly taxMinor: number;
}

export interface CorrectionsOptions {
  readonly ledger: LedgerService;
  readonly requestLook: (transaction: Executor, accountId: string) => Promise<void>;
}

export class CorrectionsService {
  readonly #options: CorrectionsOptions;

  constructor(options: CorrectionsOptions) {
    this.#options = options;
  }

  async giveBack(transaction: Executor, note: CreditNote): Promise<void> {
    const { accountId, netMinor, taxMinor, plan } = note;
    const { ledger, requestLook } = this.#options;
    // Before the wallet's lock, as everywhere.
    await repo.lockAccount(transaction, accountId);
    await ledger.post(transaction, {
      accountId,
      key: `credit-note/${note.id}`,
      kind: "ADJUSTMENT",
      amountMinor: netMinor + taxMinor,
      against: { [plan === null ? "OVERAGE_SALES" : "PLAN_SALES"]: netMinor, TAX: taxMinor },
      description: `Credit note for the invoice ${note.corrects}`,
    });
    if (plan !== null) await this.#lowerValue(transaction, note);
    await requestLook(transaction, accountId);
  }

  async #lowerValue(transaction: Executor, { accountId, servicePeriodEnd, netMinor }: CreditNote): Promise<void> {
    const row = await repo.findSubscription(transaction, accountId);
    // A plan that was given is worth what the operator wanted it to be.
    if (row === undefined || row.provider === "operator" || servicePeriodEnd === null) return;
    // A period that was over before the present one began has left nothing in it.
    const isPartOfIt = servicePeriodEnd > row.periodStart;
    // Through a chain of moves an older one may have: what is left is never worth more than all that was sold.
    const sold = Math.max(0, await repo.soldNetMinor(transaction, accountId));
    const paidNetMinor = Math.min(Math.max(0, row.paidNetMinor - (isPartOfIt ? netMinor : 0)), sold);
    if (paidNetMinor !== row.paidNetMinor) await repo.updateSubscription(transaction, accountId, { paidNetMinor });
  }
}
