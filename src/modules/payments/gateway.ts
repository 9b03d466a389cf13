/**
 * The port of payment gateways: what one does for Ksar, whoever it is. Four stand behind it (`gateways/`): `sandbox`
 * (no money, for trying), `manual` (bank transfers that the operator confirms), `cmi` (Moroccan cards), `stripe`.
 *
 * The one named by `KSAR_PAYMENT_GATEWAY` opens checkouts. Those that have credentials go on being listened to, so that
 * what was opened before a change of gateway is still settled; `sandbox` is listened to only while it is the chosen one.
 */
import type { IncomingHttpHeaders } from "node:http";
import type { Language } from "../../kernel/language.ts";
import type { Notification } from "./notification.ts";

export const gatewayNames = ["sandbox", "manual", "cmi", "stripe"] as const;
export type GatewayName = (typeof gatewayNames)[number];

/** What a gateway, and the page of the checkout, know of it. */
export interface Checkout {
  readonly id: string;
  readonly accountId: string;
  readonly amountMinor: number;
  readonly description: string;
  /** For people: on the page, and on bank transfers. */
  readonly reference: string;
  readonly createdAt: Date;
  readonly expiresAt: Date;
  /** What the provider calls it, once it was asked. */
  readonly providerRef: string | null;
  readonly providerUrl: string | null;
}

export interface Visit {
  readonly language: Language;
  /** The checkout's own page, without a query: where the provider sends the person back to. */
  readonly pageUrl: string;
}

/** What the person at an open checkout is given to pay by. */
export type Means =
  /** Buttons of the checkout's own page; each posts its `outcome`. */
  | { readonly kind: "buttons" }
  /** A form that the person's browser posts to the provider. */
  | {
      readonly kind: "form";
      readonly action: string;
      /** Where the form leads, redirects included: browsers hold each of them against the page's policy. */
      readonly origins: readonly string[];
      readonly fields: Readonly<Record<string, string>>;
    }
  /** The provider's page. */
  | { readonly kind: "redirect"; readonly url: string }
  | { readonly kind: "transfer"; readonly bank: BankAccount };

export interface BankAccount {
  readonly holder: string;
  readonly bank: string;
  /** 24 digits. */
  readonly rib: string;
  readonly swift: string | null;
}

/** A callback as it came: verified over exactly these bytes. */
export interface RawCallback {
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

export interface CallbackAnswer {
  readonly status: number;
  readonly contentType: string;
  readonly body: string;
}

/** What became of a callback, for the gateway to answer in its own words. */
export type Outcome =
  /** The payment is posted, now or before. */
  | "paid"
  /** There was nothing to post: a failure that was noted, an event of no concern. */
  | "noted";

export interface PaymentGateway {
  readonly name: GatewayName;
  readonly canChargeSavedCard: boolean;
  /** How long a new checkout is open. */
  readonly lifetimeMs: number;
  means(checkout: Checkout, visit: Visit): Promise<Means>;
  /** Verifies a callback and reads it; null for one of no concern. Throws `DomainError` for what is not genuine. */
  readCallback?(callback: RawCallback): Promise<Notification | null>;
  answerCallback?(outcome: Outcome | Error): CallbackAnswer;
  /** Asks the provider what became of a checkout; null: nothing yet. `close`: it can't be paid from now on. */
  poll?(checkout: Checkout, close: boolean): Promise<Notification | null>;
  /** Remembers the card that a checkout was paid with, where the person agreed to that. */
  saveCard?(checkout: Checkout, providerTxnId: string): Promise<void>;
  /** Charges the saved card once for that key, however often it is asked; null: there is none, or it was refused. */
  chargeSavedCard?(accountId: string, amountMinor: number, key: string): Promise<{ providerTxnId: string } | null>;
  /** Sends a payment back, once for the refund's id, however often it is asked. Throws when the outcome is not known. */
  refund?(refund: RefundRequest): Promise<{ readonly providerRef: string } | { readonly refused: string }>;
}

export interface RefundRequest {
  readonly id: string;
  readonly providerTxnId: string;
  readonly amountMinor: number;
  readonly createdAt: Date;
}
