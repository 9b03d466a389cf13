/** Payments, invoices, and to whom they are made out. */
import type { Generated, JSONColumnType } from "kysely";

type Gateway = "sandbox" | "manual" | "cmi" | "stripe";

export interface PaymentsTables {
  billingIdentities: {
    accountId: string;
    email: string | null;
    name: string | null;
    address: string | null;
    ice: string | null;
    taxId: string | null;
    rc: string | null;
    updatedAt: Date;
  };
  checkouts: {
    id: string;
    accountId: string;
    purpose: "TOPUP" | "PLAN";
    plan: string | null;
    term: string | null;
    amountMinor: number;
    description: string;
    gateway: Gateway;
    tokenHash: Buffer;
    reference: string;
    status: Generated<"OPEN" | "PAID" | "FAILED" | "EXPIRED" | "ABANDONED">;
    reason: string | null;
    providerRef: string | null;
    providerUrl: string | null;
    providerTxnId: string | null;
    createdAt: Date;
    expiresAt: Date;
    polledAt: Date | null;
    paidAt: Date | null;
  };
  savedCards: {
    accountId: string;
    gateway: Gateway;
    customerRef: string;
    cardRef: string | null;
    updatedAt: Date;
  };
  cardCharges: {
    gateway: Gateway;
    key: string;
    accountId: string;
    amountMinor: number;
    status: Generated<"PENDING" | "PAID" | "REFUSED">;
    reason: string | null;
    providerTxnId: string | null;
    createdAt: Date;
  };
  refunds: {
    id: string;
    accountId: string;
    paymentId: string;
    provider: string;
    providerTxnId: string;
    amountMinor: number;
    reference: string;
    status: "PENDING" | "DONE" | "REFUSED";
    byHand: boolean;
    providerRef: string | null;
    reason: string | null;
    createdAt: Date;
  };
  invoiceCounters: {
    series: "F" | "A";
    year: number;
    last: number;
    lastIssuedAt: Date;
  };
  invoices: {
    id: string;
    accountId: string;
    kind: "INVOICE" | "CREDIT_NOTE";
    correctsId: string | null;
    status: "DRAFT" | "OPEN" | "PAID" | "VOID";
    number: string | null;
    plan: string | null;
    term: string | null;
    provider: string | null;
    providerTxnId: string | null;
    periodStart: Date | null;
    servicePeriodStart: Date | null;
    servicePeriodEnd: Date | null;
    subtotalMinor: number;
    taxRateBp: number;
    taxMinor: number;
    totalMinor: number;
    seller: JSONColumnType<Seller> | null;
    buyer: JSONColumnType<Buyer> | null;
    createdAt: Date;
    issuedAt: Date | null;
    paidAt: Date | null;
    voidedAt: Date | null;
    /** Of a credit note: the operator's. */
    reference: string | null;
  };
  invoiceLines: {
    invoiceId: string;
    position: number;
    meter: string | null;
    description: string;
    quantity: string;
    unitPriceMinor: string;
    amountMinor: number;
  };
}

/** Who issues invoices, with what the law asks for: ICE, IF (`taxId`), RC, taxe professionnelle. */
export interface Seller {
  readonly name: string;
  readonly address: string | null;
  readonly ice: string | null;
  readonly taxId: string | null;
  readonly rc: string | null;
  readonly taxePro: string | null;
  readonly email?: string;
}

/** To whom an invoice is made out. */
export interface Buyer {
  readonly name: string;
  readonly email: string | null;
  readonly address: string | null;
  readonly ice: string | null;
  readonly taxId: string | null;
  readonly rc: string | null;
}
