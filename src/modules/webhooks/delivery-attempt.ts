/** One attempt at a delivery: a signed POST through the guard, and what to think of its answer. */
import type { Brand } from "../../kernel/brand.ts";
import { webhookHeaders } from "../../kernel/webhook-signature.ts";
import { type GuardedFetch, type GuardedResponse, OutgoingRequestError } from "../../platform/guarded-fetch.ts";

export interface AttemptRequest {
  readonly id: string;
  readonly event: string;
  readonly body: string;
  readonly url: string;
  readonly secret: string;
  readonly sentAt: Date;
}

export interface AttemptOutcome {
  readonly succeeded: boolean;
  readonly statusCode: number | null;
  /** For the webhook's owner; null after a success. */
  readonly error: string | null;
  /** How the answer's body begins. */
  readonly response: string | null;
  readonly retryAfter: string | undefined;
  /** The receiver asks never to be told again. */
  readonly gone: boolean;
}

/** Characters; enough to recognise an error page by. */
const longestExcerpt = 1000;
const longestLocation = 200;

/** Rejects only with what the signal aborts with. */
export async function attempt(
  fetch: GuardedFetch,
  brand: Brand,
  request: AttemptRequest,
  options: { readonly signal: AbortSignal; readonly timeoutMs: number },
): Promise<AttemptOutcome> {
  try {
    const { url, secret, body } = request;
    const headers = webhookHeaders(brand, request, secret);
    return judge(await fetch.fetch({ url, method: "POST", headers, body, ...options }));
  } catch (error) {
    options.signal.throwIfAborted();
    const message = error instanceof OutgoingRequestError ? error.message : unexpected;
    return notSent(message);
  }
}

/** A failure without an answer. */
export function notSent(error: string): AttemptOutcome {
  return { succeeded: false, statusCode: null, error, response: null, retryAfter: undefined, gone: false };
}

const unexpected = "Something went wrong inside Ksar while this was sent. It will be tried again.";

function judge({ status, headers, body }: GuardedResponse): AttemptOutcome {
  const succeeded = status >= 200 && status < 300;
  return {
    succeeded,
    statusCode: status,
    error: succeeded ? null : explain(status, headers.location),
    response: body.length === 0 ? null : storable(body.toString("utf8"), longestExcerpt),
    retryAfter: headers["retry-after"],
    gone: status === 410,
  };
}

function explain(status: number, location: string | undefined): string {
  if (status === 410) return "The endpoint answered 410 (Gone), which asks never to be told again.";
  if (status >= 300 && status < 400) {
    const target = location === undefined ? "" : ` to ${storable(location, longestLocation)}`;
    return `The endpoint redirects (${status})${target}. Redirects are not followed: set the new address.`;
  }
  return `The endpoint answered ${status}. Any status from 200 to 299 is a success.`;
}

/** The beginning, as PostgreSQL can hold it: without NUL, and without half a character at the cut. */
function storable(text: string, length: number): string {
  return text.slice(0, length).replaceAll("\0", "\uFFFD").toWellFormed();
}
