/**
 * A message to a channel of the type WEBHOOK: a POST of JSON, signed as outgoing webhooks are where there is a secret.
 * `text` and `content` are what Slack, Mattermost and Discord show of what is POSTed to their incoming webhooks.
 */

import type { Brand } from "../../kernel/brand.ts";
import { webhookHeaders } from "../../kernel/webhook-signature.ts";
import { type GuardedFetch, type GuardedResponse, OutgoingRequestError } from "../../platform/guarded-fetch.ts";
import { delivered, failed, type Outcome } from "./outcome.ts";
import type { ClaimedMessage } from "./sending.repo.ts";

/** Discord takes no more. */
const longestContent = 2000;
const longestExcerpt = 200;
/** A receiver may put us off so far. */
const longestWaitMs = 3_600_000;

export class WebhookSender {
  readonly #fetch: GuardedFetch;
  readonly #brand: Brand;

  constructor(fetch: GuardedFetch, brand: Brand) {
    this.#fetch = fetch;
    this.#brand = brand;
  }

  /** Rejects when the signal aborts, which leaves open whether it was received. */
  async send(
    message: ClaimedMessage,
    to: { readonly url: string; readonly secret: string | null },
    now: Date,
    signal: AbortSignal,
  ): Promise<Outcome> {
    const body = webhookBody(message);
    const headers = webhookHeaders(this.#brand, { id: message.id, event: message.event, body, sentAt: now }, to.secret);
    try {
      return judge(await this.#fetch.fetch({ url: to.url, method: "POST", headers, body, signal }), now);
    } catch (error) {
      if (error instanceof OutgoingRequestError) return failed(error.message, { again: error.reason !== "REFUSED" });
      throw error;
    }
  }
}

/** As docs/user-guide.md describes it. */
export function webhookBody({ event, title, text, url, createdAt }: ClaimedMessage): string {
  const all = [title, text, url].filter((part) => part !== null && part !== "").join("\n\n");
  return JSON.stringify({
    event,
    title,
    message: text,
    url,
    timestamp: createdAt.toISOString(),
    text: all,
    content: all.length <= longestContent ? all : `${all.slice(0, longestContent - 1).toWellFormed()}…`,
    // Discord: a name in the text that reads @everyone calls nobody.
    allowed_mentions: { parse: [] },
  });
}

function judge({ status, headers, body }: GuardedResponse, now: Date): Outcome {
  if (status >= 200 && status < 300) return delivered(status);
  if (status === 410) {
    return failed("The receiver answered 410: it is gone for good. The channel is turned off.", {
      statusCode: status,
      again: false,
      gone: true,
    });
  }
  const moved = status >= 300 && status < 400 ? " Redirects are not followed: give the final address." : "";
  const said = excerptOf(body);
  return failed(`The receiver answered ${status}.${moved}${said === "" ? "" : ` It said: ${said}`}`, {
    statusCode: status,
    notBefore: notBeforeOf(headers["retry-after"], now),
  });
}

/** The beginning of what the receiver said, on one line. */
function excerptOf(body: Buffer): string {
  const text = body.subarray(0, longestExcerpt * 4).toString("utf8");
  return text
    .replace(/[\p{Cc}\s]+/gu, " ")
    .trim()
    .slice(0, longestExcerpt)
    .toWellFormed();
}

/** `Retry-After`: seconds, or a date (RFC 9110, 10.2.3). */
function notBeforeOf(value: string | undefined, now: Date): Date | null {
  if (value === undefined) return null;
  const time = /^\d{1,9}$/.test(value) ? now.getTime() + Number(value) * 1000 : Date.parse(value);
  return Number.isNaN(time) ? null : new Date(Math.min(time, now.getTime() + longestWaitMs));
}
