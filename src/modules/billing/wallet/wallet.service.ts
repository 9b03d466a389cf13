/**
 * The credit, as people see and steer it: topping up, when to be warned, what a saved card is charged by itself.
 *
 *   HEALTHY ──► LOW (at or below the threshold, if there is one) ──► EMPTY (nothing left)
 *
 * A warning goes out in the transaction of the posting that crosses a line. A saved card is charged in three steps, each
 * safe to be killed behind: a row (one under way per account), the card by the row's id, the posting by the row's id.
 */

import { dayMs, monthName } from "../../../kernel/billing-period.ts";
import type { Clock } from "../../../kernel/clock.ts";
import { DomainError, invalidBody } from "../../../kernel/errors.ts";
import { newId } from "../../../kernel/ids.ts";
import { formatMad, madOfMinor, minorOfMad } from "../../../kernel/money.ts";
import type { Caller } from "../../../operation/caller.ts";
import type { Database, Executor } from "../../../platform/database/database.ts";
import { addJob } from "../../../platform/queue.ts";
import type { Gateway, Notify, OpenCheckout } from "../billing.ports.ts";
import type { Wallet } from "../billing.schema.ts";
import type { Catalogue } from "../catalogue/catalogue.ts";
import type { LedgerService, Posted } from "../ledger/ledger.service.ts";
import * as repo from "./wallet.repo.ts";

export const rechargeTask = "billing.recharge";
/** A card that was refused is not tried again before. */
const refusedMs = dayMs;
const batch = 500;

export interface WalletOptions {
  readonly database: Database;
  readonly catalogue: Catalogue;
  readonly clock: Clock;
  readonly gateway: Gateway;
  readonly openCheckout: OpenCheckout;
  readonly notify: Notify;
  /** Has the plan and the meters looked at: there is more credit. */
  readonly requestLook: (transaction: Executor, accountId: string) => Promise<void>;
  readonly billingUrl: () => string;
}

export class WalletService {
  readonly #options: WalletOptions;

  constructor(options: WalletOptions) {
    this.#options = options;
  }

  async get(caller: Caller): Promise<Wallet> {
    const { database, gateway } = this.#options;
    const wallet = await repo.findWallet(database, caller.accountId);
    return {
      billingMode: "PREPAID",
      purpose: "PLAN_AND_OVERAGE",
      balanceMinor: wallet.balanceMinor,
      autoRechargeMinor: wallet.rechargeMinor,
      autoRechargeAtMinor: wallet.lowBalanceMinor,
      canAutoRecharge: gateway.canChargeSavedCard,
      status: statusOf(wallet.balanceMinor, wallet.lowBalanceMinor),
      fundsOverage: wallet.overageBudgetMinor > 0,
    };
  }

  async topUp(transaction: Executor, caller: Caller, amountMad: number): Promise<{ url: string; amountMinor: number }> {
    const { minimumMad, maximumMad } = this.#options.catalogue.topUp;
    const amountMinor = amountOf(amountMad, "/amountMad");
    if (amountMad < minimumMad || amountMad > maximumMad)
      throw invalidBody("/amountMad", `should be from ${minimumMad} to ${maximumMad} MAD`, "amount");
    const { url } = await this.#options.openCheckout(transaction, {
      accountId: caller.accountId,
      purpose: "TOPUP",
      amountMinor,
      description: "Credit",
      plan: null,
    });
    return { url, amountMinor };
  }

  async setLowBalance(
    transaction: Executor,
    caller: Caller,
    change: { readonly thresholdMad: number | null; readonly rechargeMad?: number | null },
  ): Promise<{ autoRechargeAtMinor: number | null; autoRechargeMinor: number | null }> {
    const { thresholdMad, rechargeMad } = change;
    const { gateway, catalogue } = this.#options;
    const lowBalanceMinor = thresholdMad === null ? null : amountOf(thresholdMad, "/thresholdMad");
    const changes: { lowBalanceMinor: number | null; rechargeMinor?: number | null } = { lowBalanceMinor };
    if (rechargeMad !== undefined && rechargeMad !== null) {
      changes.rechargeMinor = amountOf(rechargeMad, "/rechargeMad");
      if (!gateway.canChargeSavedCard)
        throw new DomainError(
          "gateway_cannot_charge",
          `The payment gateway (${gateway.name}) can't charge a saved card: leave out rechargeMad. A low credit then only warns.`,
        );
      const { minimumMad, maximumMad } = catalogue.topUp;
      if (rechargeMad < minimumMad || rechargeMad > maximumMad)
        throw invalidBody("/rechargeMad", `should be from ${minimumMad} to ${maximumMad} MAD`, "amount");
    }
    if (rechargeMad === null) changes.rechargeMinor = null;
    await repo.updateWallet(transaction, caller.accountId, changes);
    await this.#ringRecharge(transaction, caller.accountId);
    const wallet = await repo.findWallet(transaction, caller.accountId);
    return { autoRechargeAtMinor: wallet.lowBalanceMinor, autoRechargeMinor: wallet.rechargeMinor };
  }

  /** Told of postings, in their transaction: warns of what they crossed, and has cards charged. */
  async onPosted(transaction: Executor, postings: readonly Posted[]): Promise<void> {
    const spent = postings.filter(({ beforeMinor, afterMinor }) => afterMinor < beforeMinor);
    if (spent.length === 0) return;
    const accountIds = spent.map(({ accountId }) => accountId);
    const lines = await repo.findLines(transaction, accountIds);
    for (const posted of spent) {
      const line = lines.get(posted.accountId);
      if (line === undefined) continue;
      await this.#warnOfCredit(transaction, posted, line);
      await this.#warnOfSpending(transaction, posted, line);
    }
  }

  /** Charges the saved card if the credit is low and the account wants it. Safe to repeat, and to kill at any line. */
  async recharge(ledger: LedgerService, accountId: string): Promise<void> {
    const { database, gateway, clock } = this.#options;
    if (!gateway.canChargeSavedCard) return;
    const now = clock.now();
    const recharge = await database.transaction().execute(async (transaction) => {
      const wallet = await repo.lockWallet(transaction, accountId);
      const refused = await repo.lastRefusedRecharge(transaction, accountId);
      const isWanted =
        wallet.rechargeMinor !== null && statusOf(wallet.balanceMinor, wallet.lowBalanceMinor) !== "HEALTHY";
      const mayTry = refused === null || now.getTime() - refused.getTime() >= refusedMs;
      if (isWanted && mayTry && wallet.rechargeMinor !== null) {
        const row = { id: newId(), accountId, amountMinor: wallet.rechargeMinor, createdAt: now };
        return repo.takeUpRecharge(transaction, row);
      }
      // One that was begun is brought to its end, whatever has changed since: the card may have been charged.
      return repo.findPendingRecharge(transaction, accountId);
    });
    if (recharge === undefined) return;
    const charged = await gateway.chargeSavedCard(accountId, recharge.amountMinor, recharge.id);
    await database.transaction().execute(async (transaction) => {
      // Whoever asks meanwhile whether the credit is low waits for what this brings.
      await repo.lockWallet(transaction, accountId);
      await repo.endRecharge(transaction, recharge.id, charged === null ? "REFUSED" : "DONE");
      if (charged === null) return this.#tellRefused(transaction, recharge);
      await ledger.post(transaction, {
        accountId,
        key: `recharge/${recharge.id}`,
        kind: "AUTO_RECHARGE",
        amountMinor: recharge.amountMinor,
        against: { PAYMENTS: recharge.amountMinor },
        description: "Automatic recharge",
        provider: gateway.name,
        providerTxnId: charged.providerTxnId,
      });
      await this.#options.requestLook(transaction, accountId);
    });
  }

  /** Rings for every account whose card has to be charged, whatever was missed. */
  async requestRecharges(): Promise<void> {
    const { database, gateway } = this.#options;
    if (!gateway.canChargeSavedCard) return;
    for (const accountId of await repo.listToRecharge(database, batch)) await this.#ringRecharge(database, accountId);
  }

  async #ringRecharge(executor: Executor, accountId: string): Promise<void> {
    if (!this.#options.gateway.canChargeSavedCard) return;
    await addJob(executor, rechargeTask, { accountId }, { key: `${rechargeTask}/${accountId}` });
  }

  async #tellRefused(transaction: Executor, recharge: repo.RechargeRow): Promise<void> {
    await this.#options.notify(transaction, {
      accountId: recharge.accountId,
      event: "LIMIT_WARNING",
      title: "The saved card was refused",
      text: `${formatMad(recharge.amountMinor)} could not be charged; it is tried again in a day. Top up, or save another card.`,
      url: this.#options.billingUrl(),
      channelId: null,
      key: `recharge/${recharge.id}`,
    });
  }

  async #warnOfCredit(transaction: Executor, posted: Posted, { lowBalanceMinor }: repo.Lines): Promise<void> {
    const { accountId, beforeMinor, afterMinor, postingId } = posted;
    const after = statusOf(afterMinor, lowBalanceMinor);
    if (after !== statusOf(beforeMinor, lowBalanceMinor)) {
      await this.#options.notify(transaction, {
        accountId,
        event: "LIMIT_WARNING",
        title: after === "EMPTY" ? "The credit is used up" : `The credit is low: ${formatMad(afterMinor)}`,
        text: "Plans that renew from credit and use past the allowances are paid from it. Top up to go on.",
        url: this.#options.billingUrl(),
        channelId: null,
        key: `credit/${postingId}`,
      });
    }
    if (after !== "HEALTHY") await this.#ringRecharge(transaction, accountId);
  }

  async #warnOfSpending(transaction: Executor, posted: Posted, lines: repo.Lines): Promise<void> {
    const { spendCapMad, spendAlertPct } = lines;
    if (spendCapMad === null || spendAlertPct === null) return;
    const line = (spendCapMad * 100 * spendAlertPct) / 100;
    if (posted.spentBeforeMinor >= line || posted.spentAfterMinor < line || line === 0) return;
    const { accountId, spentAfterMinor } = posted;
    const month = monthName(this.#options.clock.now());
    await this.#options.notify(transaction, {
      accountId,
      event: "LIMIT_WARNING",
      title: `${spendAlertPct} % of the spend cap is reached`,
      text: `${formatMad(spentAfterMinor)} of ${spendCapMad} MAD were spent this month. At the cap nothing more is charged by itself.`,
      url: this.#options.billingUrl(),
      channelId: null,
      key: `spend/${accountId}/${month}/${spendCapMad}/${spendAlertPct}`,
    });
  }

  /** In MAD, this calendar month, tax included. */
  async currentSpendMad(accountId: string): Promise<number> {
    const { database, clock } = this.#options;
    const spending = await repo.findSpending(database, accountId, monthName(clock.now()));
    return madOfMinor(spending?.spentMinor ?? 0);
  }
}

export function statusOf(balanceMinor: number, lowBalanceMinor: number | null): Wallet["status"] {
  if (balanceMinor <= 0) return "EMPTY";
  return lowBalanceMinor !== null && balanceMinor <= lowBalanceMinor ? "LOW" : "HEALTHY";
}

/** Throws `validation_failed` for what is no amount of money. */
export function amountOf(mad: number, path: string): number {
  const minor = minorOfMad(mad);
  if (minor === null) throw invalidBody(path, "should be an amount in MAD with at most two decimals", "amount");
  return minor;
}
