/** Money: the ledger, credit, subscriptions, and what is charged by use. */
import type { Generated } from "kysely";
import type { Term } from "../../../kernel/billing-period.ts";
import type { CreatedAt } from "./created-at.ts";

export type LedgerKind =
  | "TOPUP"
  | "AUTO_RECHARGE"
  | "PLAN_CHARGE"
  | "PLAN_CREDIT"
  | "OVERAGE_CHARGE"
  | "REFUND"
  | "ADJUSTMENT";
export type Book = "CREDIT" | "PAYMENTS" | "PLAN_SALES" | "OVERAGE_SALES" | "TAX" | "CORRECTIONS";
export type Meter = "BANDWIDTH" | "BUILD_MINUTES" | "OBJECT_STORAGE" | "LOCAL_BANDWIDTH";

export interface BillingTables {
  /** Written by `post_to_ledger` alone. */
  ledgerPostings: {
    readonly id: string;
    readonly accountId: string;
    readonly position: number;
    readonly businessKey: string;
    readonly kind: LedgerKind;
    readonly amountMinor: number;
    readonly balanceMinor: number;
    readonly meter: Meter | null;
    readonly quantity: string | null;
    readonly periodStart: Date | null;
    readonly provider: string | null;
    readonly providerTxnId: string | null;
    readonly description: string | null;
    readonly createdAt: Date;
    readonly books: readonly Book[];
    readonly amounts: readonly number[];
  };
  wallets: {
    accountId: string;
    balanceMinor: Generated<number>;
    postings: Generated<number>;
    spendMonth: Date | null;
    spendMinor: Generated<number>;
    lowBalanceMinor: number | null;
    rechargeMinor: number | null;
    overageBudgetMinor: Generated<number>;
    autoRenew: Generated<boolean>;
    hasPaid: Generated<boolean>;
  };
  subscriptions: {
    accountId: string;
    plan: string;
    term: Term;
    status: "ACTIVE" | "PAST_DUE" | "GRACE" | "CANCELLED";
    provider: string | null;
    periodStart: Date;
    periodEnd: Date;
    anchorDay: number;
    paidNetMinor: number;
    cancelAtPeriodEnd: Generated<boolean>;
    graceUntil: Date | null;
    suspendedAt: Date | null;
    reminders: Generated<number>;
    version: Generated<number>;
    nextAt: Date | null;
    createdAt: CreatedAt;
  };
  planQuotes: {
    checkoutId: string;
    accountId: string;
    plan: string;
    term: Term;
    creditNetMinor: number;
    subscriptionVersion: number | null;
    quotedAt: Date;
  };
  recharges: {
    id: string;
    accountId: string;
    amountMinor: number;
    status: Generated<"PENDING" | "DONE" | "REFUSED">;
    createdAt: Date;
  };
  usageMonths: { accountId: string; month: string; meter: Meter; amount: number };
  overageMonths: {
    accountId: string;
    month: string;
    netMinor: Generated<number>;
    chargedMinor: Generated<number>;
    invoicedAt: Date | null;
  };
  overageMeters: {
    accountId: string;
    month: string;
    meter: Meter;
    netMinor: Generated<number>;
    toldPct: Generated<number>;
  };
  blockedMeters: { accountId: string; meter: Meter; blockedAt: Date };
}
