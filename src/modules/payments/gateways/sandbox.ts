/**
 * The sandbox: a provider that takes no money. Its page is the checkout's own, with buttons to pay, fail or turn away; it
 * then calls back as a real provider does, with a signed body over the same route, so that what a real callback goes
 * through is gone through here. Everybody who can open a checkout can "pay" it: for trying Ksar, never for earning.
 *
 * The signature is Stripe's form: `t=<unix seconds>,v1=<HMAC-SHA256 of "t.body", hex>`, good for five minutes.
 */
import { createHmac, timingSafeEqual } from "node:crypto";
import type { Clock } from "../../../kernel/clock.ts";
import { invalidBody } from "../../../kernel/errors.ts";
import { statusOfError } from "../../../operation/error-response.ts";
import type { CallbackAnswer, Checkout, Means, Outcome, PaymentGateway, RawCallback } from "../gateway.ts";
import { ended, type Notification, notGenuine, paid } from "../notification.ts";
import { plainAnswer } from "./plain-answer.ts";

const toleranceSeconds = 300;
export const sandboxSignatureHeader = "x-sandbox-signature";

export const sandboxOutcomes = ["pay", "fail", "abandon"] as const;
export type SandboxOutcome = (typeof sandboxOutcomes)[number];

export class SandboxGateway implements PaymentGateway {
  readonly name = "sandbox";
  readonly canChargeSavedCard = false;
  readonly lifetimeMs = 24 * 3600 * 1000;
  readonly #key: string;
  readonly #clock: Clock;

  constructor(options: { readonly key: string; readonly clock: Clock }) {
    this.#key = options.key;
    this.#clock = options.clock;
  }

  async means(): Promise<Means> {
    return { kind: "buttons" };
  }

  /** What the provider would send once the person has pressed a button. */
  callbackOf(checkout: Checkout, outcome: SandboxOutcome): { headers: Record<string, string>; body: string } {
    const now = this.#clock.now();
    const body = JSON.stringify({
      event: outcome === "pay" ? "payment.succeeded" : outcome === "fail" ? "payment.failed" : "payment.abandoned",
      checkoutId: checkout.id,
      // The same whenever it is pressed: a payment happens once.
      transactionId: `sbx_${checkout.id}`,
      amountMinor: checkout.amountMinor,
      currency: "MAD",
      at: now.toISOString(),
    });
    return { headers: { "content-type": "application/json", [sandboxSignatureHeader]: this.#sign(body, now) }, body };
  }

  async readCallback({ headers, body }: RawCallback): Promise<Notification | null> {
    const text = body.toString();
    this.#verify(text, headers[sandboxSignatureHeader]);
    const told = fieldsOf(text);
    switch (told.event) {
      case "payment.succeeded":
        return paid({
          checkoutId: told.checkoutId,
          providerTxnId: told.transactionId,
          amountMinor: told.amountMinor,
          currency: told.currency,
          paidAt: new Date(typeof told.at === "string" ? told.at : Number.NaN),
        });
      case "payment.failed":
        return ended("FAILED", told.checkoutId, "refused in the sandbox");
      case "payment.abandoned":
        return ended("ABANDONED", told.checkoutId, null);
      default:
        return null;
    }
  }

  answerCallback(outcome: Outcome | Error): CallbackAnswer {
    return plainAnswer(outcome, statusOfError);
  }

  #sign(body: string, at: Date): string {
    const seconds = Math.floor(at.getTime() / 1000);
    return `t=${seconds},v1=${this.#hmac(seconds, body).toString("hex")}`;
  }

  #hmac(seconds: number, body: string): Buffer {
    return createHmac("sha256", this.#key).update(`${seconds}.${body}`).digest();
  }

  #verify(body: string, header: string | string[] | undefined): void {
    const match = /^t=(\d{1,12}),v1=([0-9a-f]{64})$/.exec(typeof header === "string" ? header : "");
    if (match === null) throw notGenuine("no signature");
    const seconds = Number(match[1]);
    if (!timingSafeEqual(Buffer.from(match[2] ?? "", "hex"), this.#hmac(seconds, body)))
      throw notGenuine("wrong signature");
    if (Math.abs(this.#clock.now().getTime() / 1000 - seconds) > toleranceSeconds)
      throw notGenuine("the signature is not of now");
  }
}

function fieldsOf(text: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as Record<string, unknown>; // fields are unknown still
  } catch {
    // Said below.
  }
  throw invalidBody("", "should be a JSON object");
}
