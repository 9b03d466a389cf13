/**
 * Refunds: the operator sends a payment back, or some of it.
 *
 *   PENDING ──► DONE          the provider has it; what no provider can send back is DONE at once, `by_hand`
 *      └──────► REFUSED       the provider won't: the credit is given back
 *
 * Table: `refunds`. A payment is a posting of the ledger (TOPUP, AUTO_RECHARGE). The row and the REFUND that takes the
 * amount from the credit come in one transaction, before any provider is asked: so nobody spends what is on its way back,
 * and what was spent already can't go back (correct its invoice first, that makes it credit again). No more of a payment
 * goes back than was paid: the database refuses it. The operator's reference is the key: the same one for the same payment
 * acts once.
 *
 * kill -9: before the commit nothing happened; after it the row is PENDING, and `reconcile` asks again, with the row's id as
 * the provider's idempotency key.
 */
import type { Clock } from "../../kernel/clock.ts";
import { DomainError } from "../../kernel/errors.ts";
import { newId } from "../../kernel/ids.ts";
import { formatMad } from "../../kernel/money.ts";
import type { Database, Executor } from "../../platform/database/database.ts";
import type { Logger } from "../../platform/log.ts";
import type { LedgerService, Payment } from "../billing/ledger/ledger.service.ts";
import type { GatewayName, PaymentGateway } from "./gateway.ts";
import * as repo from "./refunds.repo.ts";

export interface RefundsOptions {
  readonly database: Database;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly ledger: Pick<LedgerService, "post">;
  readonly gateways: ReadonlyMap<GatewayName, PaymentGateway>;
  /** In the audit log and the activity feed. */
  readonly record: (transaction: Executor, action: string, refund: repo.RefundRow) => Promise<void>;
}

export interface Refund extends repo.RefundRow {
  /** false: it was asked for before. */
  readonly isNew: boolean;
}

const batch = 100;

export class RefundsService {
  readonly #options: RefundsOptions;

  constructor(options: RefundsOptions) {
    this.#options = options;
  }

  /** `amountMinor` null: all that has not gone back yet. */
  async refund(payment: Payment, amountMinor: number | null, reference: string): Promise<Refund> {
    if (reference.trim() === "" || reference.length > 100)
      throw new DomainError("validation_failed", "--reference should have 1 to 100 characters.");
    const begun = await this.#options.database
      .transaction()
      .execute((transaction) => this.#begin(transaction, payment, amountMinor, reference));
    const ended = begun.status === "PENDING" ? await this.#ask(begun) : undefined;
    return { ...begun, ...ended };
  }

  /** What was begun and has no answer yet. */
  async reconcile(): Promise<void> {
    const { database, logger } = this.#options;
    for (const refund of await repo.listPending(database, batch)) {
      await this.#ask(refund).catch((error: unknown) =>
        logger.warn({ err: error, refundId: refund.id }, "a refund has no answer yet; asking again in a minute"),
      );
    }
  }

  async #begin(transaction: Executor, payment: Payment, wanted: number | null, reference: string): Promise<Refund> {
    const { clock, gateways, ledger, record } = this.#options;
    const { id: paymentId, accountId, provider, providerTxnId } = payment;
    await repo.lockWallet(transaction, accountId);
    const known = await repo.findRefund(transaction, accountId, paymentId, reference);
    if (known !== undefined) {
      if (wanted !== null && wanted !== known.amountMinor)
        throw new DomainError(
          "conflict",
          `With this reference ${formatMad(known.amountMinor)} were paid back before: use another one for another refund.`,
        );
      return { ...known, isNew: false };
    }
    const left = payment.amountMinor - (await repo.refundedMinor(transaction, accountId, paymentId));
    const amountMinor = wanted ?? left;
    if (!Number.isSafeInteger(amountMinor) || amountMinor <= 0 || amountMinor > left)
      throw new DomainError(
        "conflict",
        `Of this payment ${formatMad(left)} can still be paid back: ask for no more, and for more than nothing.`,
      );
    // A gateway whose credentials are gone can't be asked either.
    const byHand = [...gateways.values()].find(({ name }) => name === provider)?.refund === undefined;
    const refund = await repo.insertRefund(transaction, {
      id: newId(),
      ...{ accountId, paymentId, provider, providerTxnId, amountMinor, reference, byHand },
      status: byHand ? "DONE" : "PENDING",
      createdAt: clock.now(),
    });
    const taken = await ledger.post(transaction, {
      accountId,
      key: `refund/${refund.id}`,
      kind: "REFUND",
      amountMinor: -amountMinor,
      against: { PAYMENTS: -amountMinor },
      description: `Paid back, ${reference}`,
      ...{ provider, providerTxnId },
    });
    if (taken.outcome === "SHORT")
      throw new DomainError(
        "conflict",
        `The account has ${formatMad(taken.beforeMinor)} of credit, and what was spent can't be paid back. Correct the invoice that it was spent on first (ksar admin invoice credit), or refund less (--amount-mad).`,
      );
    await record(transaction, "payments.refund", refund);
    return { ...refund, isNew: true };
  }

  /** undefined: somebody else had the answer first. Throws when there is none. */
  async #ask(refund: repo.RefundRow): Promise<repo.RefundRow | undefined> {
    const { database, gateways, ledger, record } = this.#options;
    const { id, accountId, amountMinor, provider, providerTxnId, createdAt } = refund;
    const gateway = [...gateways.values()].find(({ name }) => name === provider);
    if (gateway?.refund === undefined)
      throw new DomainError("unavailable", `The refund waits for ${provider}, which has no credentials here any more.`);
    const answer = await gateway.refund({ id, providerTxnId, amountMinor, createdAt });
    return database.transaction().execute(async (transaction) => {
      if ("providerRef" in answer) return repo.endRefund(transaction, id, { status: "DONE", ...answer });
      await repo.lockWallet(transaction, accountId);
      const refused = await repo.endRefund(transaction, id, { status: "REFUSED", reason: answer.refused });
      if (refused === undefined) return undefined;
      await ledger.post(transaction, {
        accountId,
        key: `refund/${id}/refused`,
        kind: "REFUND",
        amountMinor,
        against: { PAYMENTS: amountMinor },
        description: `Not paid back after all, ${refund.reference}`,
        ...{ provider, providerTxnId },
      });
      await record(transaction, "payments.refund_refused", refused);
      return refused;
    });
  }
}
