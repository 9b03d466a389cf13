/**
 * Stripe, through its own SDK. The page sends the person on to a Checkout session, which is made when they first come;
 * Stripe tells of its end by a signed webhook, and is asked (`poll`) where that does not come. The card is kept for
 * automatic recharges (`setup_future_usage`), which are charged without the person (`off_session`).
 *
 * kill -9 while Stripe is asked: everything is asked with an idempotency key of ours, so asking again gives the first
 * session, or the first charge. Stripe forgets keys after a day or so; a charge that is older is looked for among the
 * customer's before it is made (`saved-cards.service.ts` holds what is known of it).
 */
import { createHash } from "node:crypto";
import Stripe from "stripe";
import type { Clock } from "../../../kernel/clock.ts";
import { DomainError } from "../../../kernel/errors.ts";
import { isUuid } from "../../../kernel/ids.ts";
import { statusOfError } from "../../../operation/error-response.ts";
import type {
  CallbackAnswer,
  Checkout,
  Means,
  Outcome,
  PaymentGateway,
  RawCallback,
  RefundRequest,
  Visit,
} from "../gateway.ts";
import { ended, type Notification, notGenuine, paid } from "../notification.ts";
import type { SavedCards } from "../saved-cards.ts";
import { plainAnswer } from "./plain-answer.ts";

export interface StripeSettings {
  readonly secretKey: string;
  readonly webhookSecret: string;
  /** https://api.stripe.com, or what stands in for it. */
  readonly apiUrl: string;
}

export interface StripeOptions extends StripeSettings {
  readonly clock: Clock;
  readonly cards: SavedCards;
  readonly payer: (accountId: string) => Promise<{ readonly name: string; readonly email: string | null }>;
  readonly rememberSession: (
    checkoutId: string,
    session: { providerRef: string; providerUrl: string },
  ) => Promise<void>;
}

const toleranceSeconds = 300;
/** Somebody waits at the page; what is not known after that is asked again. */
const patienceMs = 10_000;
/** Well inside the 24 h for which Stripe keeps idempotency keys. */
const keyGoodMs = 20 * 3600 * 1000;

export class StripeGateway implements PaymentGateway {
  readonly name = "stripe";
  readonly canChargeSavedCard = true;
  readonly lifetimeMs = 24 * 3600 * 1000;
  readonly #options: StripeOptions;
  readonly #stripe: Stripe;

  constructor(options: StripeOptions) {
    this.#options = options;
    const { hostname, port, protocol } = new URL(options.apiUrl);
    this.#stripe = new Stripe(options.secretKey, {
      host: hostname,
      protocol: protocol === "http:" ? "http" : "https",
      ...(port === "" ? {} : { port }),
      timeout: patienceMs,
      maxNetworkRetries: 1,
      telemetry: false,
    });
  }

  async means(checkout: Checkout, { pageUrl }: Visit): Promise<Means> {
    if (checkout.providerUrl !== null) return { kind: "redirect", url: checkout.providerUrl };
    const { payer, rememberSession } = this.#options;
    const { name, email } = await payer(checkout.accountId);
    const customer = await this.#customer(checkout.accountId, name, email);
    const about = { checkoutId: checkout.id, accountId: checkout.accountId };
    const session = await this.#ask(
      this.#stripe.checkout.sessions.create(
        {
          mode: "payment",
          client_reference_id: checkout.id,
          customer,
          metadata: about,
          line_items: [
            {
              quantity: 1,
              price_data: {
                currency: "mad",
                unit_amount: checkout.amountMinor,
                product_data: { name: checkout.description },
              },
            },
          ],
          payment_intent_data: {
            setup_future_usage: "off_session",
            metadata: about,
            description: checkout.description,
          },
          success_url: `${pageUrl}/return`,
          cancel_url: `${pageUrl}?stay=1`,
          locale: "auto",
        },
        // Whoever comes when: one session. So nothing above differs from one visit to the next.
        { idempotencyKey: `checkout-${checkout.id}` },
      ),
    );
    if (session.url === null) throw unreachable();
    await rememberSession(checkout.id, { providerRef: session.id, providerUrl: session.url });
    return { kind: "redirect", url: session.url };
  }

  async readCallback({ headers, body }: RawCallback): Promise<Notification | null> {
    const event = this.#verified(body, headers["stripe-signature"]);
    switch (event.type) {
      case "checkout.session.completed":
      case "checkout.session.async_payment_succeeded":
      case "checkout.session.async_payment_failed":
      case "checkout.session.expired":
        return this.#read(event.data.object, event.type, new Date(event.created * 1000));
      default:
        return null;
    }
  }

  answerCallback(outcome: Outcome | Error): CallbackAnswer {
    return plainAnswer(outcome, statusOfError);
  }

  async poll(checkout: Checkout, close: boolean): Promise<Notification | null> {
    if (checkout.providerRef === null) return null;
    const { sessions } = this.#stripe.checkout;
    const session = await this.#ask(sessions.retrieve(checkout.providerRef));
    const told = this.#read(session, "poll", this.#options.clock.now());
    if (told !== null || !close || session.status !== "open") return told;
    // From here on nobody can pay it; whoever did meanwhile has made Stripe refuse this, and it is read again.
    const closed = await this.#ask(sessions.expire(checkout.providerRef)).catch(() =>
      this.#ask(sessions.retrieve(checkout.providerRef ?? "")),
    );
    return this.#read(closed, "poll", this.#options.clock.now());
  }

  async saveCard(checkout: Checkout, providerTxnId: string): Promise<void> {
    const intent = await this.#ask(this.#stripe.paymentIntents.retrieve(providerTxnId));
    const [customer, card] = [idOf(intent.customer), idOf(intent.payment_method)];
    if (customer !== null && card !== null) await this.#options.cards.remember(checkout.accountId, customer, card);
  }

  async chargeSavedCard(
    accountId: string,
    amountMinor: number,
    key: string,
  ): Promise<{ providerTxnId: string } | null> {
    const { cards, clock } = this.#options;
    const charge = await cards.begin(accountId, amountMinor, key);
    if (charge.status === "PAID") return { providerTxnId: charge.providerTxnId };
    if (charge.status === "REFUSED") return null;
    const { customerRef: customer, cardRef } = charge;
    const isOld = clock.now().getTime() - charge.createdAt.getTime() > keyGoodMs;
    const before = isOld ? await this.#findCharge(customer, charge.createdAt, key) : null;
    try {
      const intent =
        before ??
        (await this.#stripe.paymentIntents.create(
          {
            amount: amountMinor,
            currency: "mad",
            customer,
            payment_method: cardRef,
            off_session: true,
            confirm: true,
            metadata: { accountId, chargeKey: key },
          },
          { idempotencyKey: `charge-${key}` },
        ));
      if (intent.status === "succeeded") {
        await cards.end(key, { status: "PAID", providerTxnId: intent.id });
        return { providerTxnId: intent.id };
      }
      // Still under way at the bank: asked about again with the same key.
      if (intent.status === "processing") throw unreachable();
      await cards.end(key, { status: "REFUSED", reason: intent.status });
      return null;
    } catch (error) {
      // The bank's no is an answer; anything else says nothing, and is asked again with the same key.
      if (!(error instanceof Stripe.errors.StripeCardError)) throw asUnreachable(error);
      await cards.end(key, { status: "REFUSED", reason: error.decline_code ?? error.code ?? error.message });
      return null;
    }
  }

  async refund(refund: RefundRequest): Promise<{ providerRef: string } | { refused: string }> {
    const { id, providerTxnId, amountMinor, createdAt } = refund;
    const isOld = this.#options.clock.now().getTime() - createdAt.getTime() > keyGoodMs;
    const before = isOld ? await this.#findRefund(providerTxnId, id) : null;
    try {
      const made =
        before ??
        (await this.#stripe.refunds.create(
          { payment_intent: providerTxnId, amount: amountMinor, metadata: { refundId: id } },
          { idempotencyKey: `refund-${id}` },
        ));
      // `pending` is with the bank: Stripe has taken it on.
      if (made.status === "failed" || made.status === "canceled")
        return { refused: made.failure_reason ?? made.status };
      return { providerRef: made.id };
    } catch (error) {
      // Stripe's no, such as a payment that was sent back in its dashboard; anything else says nothing.
      if (!(error instanceof Stripe.errors.StripeInvalidRequestError)) throw asUnreachable(error);
      return { refused: error.code ?? error.message };
    }
  }

  async #findRefund(intent: string, id: string): Promise<Stripe.Refund | null> {
    for await (const refund of this.#stripe.refunds.list({ payment_intent: intent, limit: 100 })) {
      if (refund.metadata?.refundId === id) return refund;
    }
    return null;
  }

  async #customer(accountId: string, name: string, email: string | null): Promise<string> {
    const { cards } = this.#options;
    const known = await cards.customerOf(accountId);
    if (known !== null) return known;
    const customer = await this.#ask(
      this.#stripe.customers.create(
        { name, ...(email === null ? {} : { email }), metadata: { accountId } },
        // Stripe refuses a key that comes with other parameters.
        {
          idempotencyKey: `customer-${createHash("sha256")
            .update(JSON.stringify([accountId, name, email]))
            .digest("hex")}`,
        },
      ),
    );
    return cards.rememberCustomer(accountId, customer.id);
  }

  async #findCharge(customer: string, since: Date, key: string): Promise<Stripe.PaymentIntent | null> {
    const created = { gte: Math.floor(since.getTime() / 1000) - 60 };
    for await (const intent of this.#stripe.paymentIntents.list({ customer, created, limit: 100 })) {
      if (intent.metadata.chargeKey === key) return intent;
    }
    return null;
  }

  #read(session: Stripe.Checkout.Session, how: string, at: Date): Notification | null {
    const id = session.client_reference_id;
    // Other programs may use the same Stripe account.
    if (id === null || !isUuid(id) || session.metadata?.checkoutId !== id) return null;
    if (session.payment_status === "paid") {
      return paid({
        checkoutId: id,
        providerTxnId: idOf(session.payment_intent),
        amountMinor: session.amount_total,
        currency: session.currency,
        paidAt: at,
      });
    }
    if (how === "checkout.session.async_payment_failed") return ended("FAILED", id, "the payment did not go through");
    return session.status === "expired" ? ended("EXPIRED", id, null) : null;
  }

  #verified(body: Buffer, signature: string | string[] | undefined): Stripe.Event {
    try {
      return this.#stripe.webhooks.constructEvent(
        body,
        signature ?? "",
        this.#options.webhookSecret,
        toleranceSeconds,
        undefined,
        this.#options.clock.now().getTime(),
      );
    } catch (error) {
      throw notGenuine(error instanceof Error ? (error.message.split("\n")[0] ?? "") : String(error));
    }
  }

  async #ask<Answer>(request: Promise<Answer>): Promise<Answer> {
    try {
      return await request;
    } catch (error) {
      throw asUnreachable(error);
    }
  }
}

function idOf(reference: string | { readonly id: string } | null): string | null {
  return typeof reference === "string" ? reference : (reference?.id ?? null);
}

/** Stripe's messages may quote a key: they are for the log alone, and the SDK has masked them there. */
function asUnreachable(error: unknown): Error {
  return error instanceof Stripe.errors.StripeError
    ? unreachable(`${error.type}: ${error.message}`)
    : unreachable(String(error));
}

function unreachable(internal = "an answer without what was asked for"): DomainError {
  return new DomainError("unavailable", "The payment provider does not answer at the moment: try again in a minute.", {
    internal,
  });
}
