/**
 * Moroccan cards through CMI's hosted page ("3D_PAY_HOSTING"). The person's browser posts a hashed form there; CMI asks
 * the bank to hold the money (`PreAuth`) and calls back, server to server, with the result. Only our answer
 * `ACTION=POSTAUTH` takes the money: what we refuse (`FAILURE`) or could not store is not taken.
 *
 * kill -9 after our commit and before that answer reached CMI: its repeated callback is answered `ACTION=POSTAUTH` again.
 * Should it not repeat it, CMI's back office shows the payment as held, and the operator takes it there: see the
 * operator's guide.
 */
import type { Clock } from "../../../kernel/clock.ts";
import { invalidBody } from "../../../kernel/errors.ts";
import { decimalOf, minorOfDecimal } from "../../../kernel/money.ts";
import type { CallbackAnswer, Checkout, Means, Outcome, PaymentGateway, RawCallback, Visit } from "../gateway.ts";
import { ended, type Notification, notGenuine, paid } from "../notification.ts";
import { cmiHash, isCmiHash } from "./cmi-hash.ts";
import { decodeHtml } from "./html-entities.ts";

export interface CmiSettings {
  readonly clientId: string;
  readonly storeKey: string;
  /** CMI's page: the test platform's, or production's. */
  readonly url: string;
}

export interface CmiOptions extends CmiSettings {
  readonly clock: Clock;
  readonly publicUrl: () => string;
  readonly payer: (accountId: string) => Promise<{ readonly name: string; readonly email: string | null }>;
}

export class CmiGateway implements PaymentGateway {
  readonly name = "cmi";
  readonly canChargeSavedCard = false;
  readonly lifetimeMs = 24 * 3600 * 1000;
  readonly #options: CmiOptions;

  constructor(options: CmiOptions) {
    this.#options = options;
  }

  async means(checkout: Checkout, { language, pageUrl }: Visit): Promise<Means> {
    const { clientId, storeKey, url, publicUrl, payer, clock } = this.#options;
    const { name, email } = await payer(checkout.accountId);
    const given: Readonly<Record<string, string>> = {
      clientid: clientId,
      storetype: "3D_PAY_HOSTING",
      TranType: "PreAuth",
      hashAlgorithm: "ver3",
      encoding: "UTF-8",
      oid: checkout.id,
      amount: decimalOf(checkout.amountMinor),
      currency: "504",
      lang: language,
      rnd: String(clock.now().getTime()),
      BillToName: latin(name),
      ...(email === null ? {} : { email }),
      okUrl: `${pageUrl}/return?lang=${language}`,
      failUrl: `${pageUrl}/return?lang=${language}`,
      shopurl: `${pageUrl}?lang=${language}`,
      callbackUrl: `${publicUrl()}/payments/callback/cmi`,
      CallbackResponse: "true",
      AutoRedirect: "true",
      refreshtime: "5",
    };
    const origins = [new URL(url).origin, "https://*.cmi.co.ma"];
    return { kind: "form", action: url, origins, fields: { ...given, HASH: cmiHash(given, storeKey) } };
  }

  async readCallback({ body }: RawCallback): Promise<Notification | null> {
    // Of what comes twice the last counts, for the hash as well: as in CMI's own kit.
    const told = Object.fromEntries(
      [...new URLSearchParams(body.toString())].map(([name, value]) => [name, decodeHtml(value.replace(/\n$/, ""))]),
    );
    if (!isCmiHash(told.HASH ?? "", told, this.#options.storeKey)) throw notGenuine("wrong hash");
    if (told.clientid !== undefined && told.clientid !== this.#options.clientId) throw notGenuine("another client's");
    if (told.ProcReturnCode !== "00") {
      const reason = [told.ProcReturnCode, told.ErrMsg].filter((part) => part !== undefined && part !== "").join(": ");
      return ended("FAILED", told.oid, reason);
    }
    const amountMinor = minorOfDecimal(told.amount ?? "");
    if (amountMinor === null) throw invalidBody("/amount", "should be an amount such as 123.45");
    return paid({
      checkoutId: told.oid,
      providerTxnId: told.TransId,
      amountMinor,
      currency: told.currency,
      paidAt: this.#options.clock.now(),
    });
  }

  /** The three words that CMI knows, always with status 200. */
  answerCallback(outcome: Outcome | Error): CallbackAnswer {
    const body = outcome instanceof Error ? "FAILURE" : outcome === "paid" ? "ACTION=POSTAUTH" : "APPROVED";
    return { status: 200, contentType: "text/plain; charset=utf-8", body };
  }
}

/**
 * Of a name what any bank's system takes: CMI sends it back as HTML, and what it hashes must be what we read. Accents are
 * left out; a name without Latin letters is none.
 */
function latin(name: string): string {
  const plain = name
    .normalize("NFKD")
    .replaceAll(/[^A-Za-z0-9 .,-]+/g, "")
    .replaceAll(/\s+/g, " ")
    .trim();
  return /[A-Za-z0-9]/.test(plain) ? plain.slice(0, 100).trim() : "Client";
}
