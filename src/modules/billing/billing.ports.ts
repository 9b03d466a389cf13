/** What billing takes from other areas; `main` hands it in. */
import type { Term } from "../../kernel/billing-period.ts";
import type { Json } from "../../kernel/json.ts";
import type { Executor } from "../../platform/database/database.ts";

export interface CheckoutRequest {
  readonly accountId: string;
  readonly purpose: "TOPUP" | "PLAN";
  /** With tax: what the person pays. */
  readonly amountMinor: number;
  readonly description: string;
  readonly plan: { readonly plan: string; readonly term: Term } | null;
}

/** A page where a person pays. Nothing is charged by asking for one. */
export type OpenCheckout = (
  transaction: Executor,
  request: CheckoutRequest,
) => Promise<{ readonly id: string; readonly url: string }>;

export interface PaidCheckout {
  readonly checkoutId: string;
  readonly accountId: string;
  readonly purpose: "TOPUP" | "PLAN";
  readonly amountMinor: number;
  readonly plan: { readonly plan: string; readonly term: string } | null;
  readonly provider: string;
  readonly providerTxnId: string;
  readonly paidAt: Date;
}

export interface Gateway {
  readonly name: string;
  readonly canChargeSavedCard: boolean;
  /** The same key charges once. null: the card was refused, or there is none. Throws when the outcome is not known. */
  readonly chargeSavedCard: (
    accountId: string,
    amountMinor: number,
    key: string,
  ) => Promise<{ readonly providerTxnId: string } | null>;
}

export interface InvoiceRequest {
  readonly accountId: string;
  readonly plan: string | null;
  readonly term: string | null;
  readonly provider: string | null;
  readonly providerTxnId: string | null;
  readonly periodStart: Date | null;
  readonly servicePeriodStart: Date | null;
  readonly servicePeriodEnd: Date | null;
  /** Without tax. */
  readonly lines: readonly {
    readonly meter: string | null;
    readonly description: string;
    readonly quantity: number;
    readonly unitPriceMinor: number;
    readonly amountMinor: number;
  }[];
  readonly taxRateBp: number;
}

/** Paid, numbered, immutable. */
export type IssueInvoice = (transaction: Executor, request: InvoiceRequest) => Promise<unknown>;

export interface Notification {
  readonly accountId: string;
  readonly event: "LIMIT_WARNING" | "BILLING_PAST_DUE" | "BILLING_RENEWAL_DUE";
  readonly title: string;
  readonly text: string;
  readonly url: string;
  /** Every channel that wants the event. */
  readonly channelId: null;
  /** What is told twice under one key is told once. */
  readonly key?: string;
}

/** What the platform did about an account's money by itself, for the audit log and the activity feed. */
export type RecordDeed = (
  transaction: Executor,
  deed: { readonly accountId: string; readonly action: string; readonly metadata: { readonly [name: string]: Json } },
) => Promise<void>;

export type Notify = (transaction: Executor, notification: Notification) => Promise<void>;
