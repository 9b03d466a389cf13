/**
 * How deliveries are signed, in two ways at once: `sha256=` and the HMAC of the raw body in hexadecimal, as most platforms do,
 * and Standard Webhooks (standardwebhooks.com), whose signature covers id and time too, so that a receiver can refuse
 * what is sent again by somebody else.
 */
import { createHmac, randomBytes } from "node:crypto";
import type { Brand } from "./brand.ts";

/** As Standard Webhooks has it: `whsec_` and base64. Its whole text is the key of the first signature. */
const secretPrefix = "whsec_";
/** As many as SHA-256 takes in; more would not make it harder to guess. */
const secretBytes = 32;

export function newWebhookSecret(): string {
  return secretPrefix + randomBytes(secretBytes).toString("base64");
}

export interface SignedMessage {
  /** The same at every attempt. */
  readonly id: string;
  /** Dotted, such as `service.created`. */
  readonly event: string;
  /** Byte for byte as it is sent. */
  readonly body: string;
  /** Of this attempt. */
  readonly sentAt: Date;
}

/** Without a secret, the same headers but for the signatures. */
export function webhookHeaders(
  brand: Brand,
  { id, event, body, sentAt }: SignedMessage,
  secret: string | null,
): Readonly<Record<string, string>> {
  const timestamp = Math.floor(sentAt.getTime() / 1000);
  return {
    "content-type": "application/json",
    [`${brand.headerPrefix}-event`]: event,
    [`${brand.headerPrefix}-delivery`]: id,
    "webhook-id": id,
    "webhook-timestamp": String(timestamp),
    ...(secret === null
      ? {}
      : {
          [`${brand.headerPrefix}-signature`]: hexSignature(secret, body),
          "webhook-signature": standardSignature(secret, { id, timestamp, body }),
        }),
  };
}

export function hexSignature(secret: string, body: string): string {
  return `sha256=${createHmac("sha256", secret).update(body).digest("hex")}`;
}

/** `timestamp` in seconds. A secret without the prefix is a text that a tenant chose: its bytes are the key. */
export function standardSignature(
  secret: string,
  { id, timestamp, body }: { readonly id: string; readonly timestamp: number; readonly body: string },
): string {
  const key = secret.startsWith(secretPrefix) ? Buffer.from(secret.slice(secretPrefix.length), "base64") : secret;
  return `v1,${createHmac("sha256", key).update(`${id}.${timestamp}.${body}`).digest("base64")}`;
}
