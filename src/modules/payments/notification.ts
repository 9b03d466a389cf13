/** What a payment provider tells of a checkout, in our terms; nothing of it is believed before it was verified. */
import { DomainError, invalidBody } from "../../kernel/errors.ts";
import { isUuid } from "../../kernel/ids.ts";
import { mostPaidMinor } from "../../kernel/money.ts";

export type Notification =
  | {
      readonly status: "PAID";
      readonly checkoutId: string;
      readonly providerTxnId: string;
      readonly amountMinor: number;
      readonly paidAt: Date;
    }
  | {
      readonly status: "FAILED" | "ABANDONED" | "EXPIRED";
      readonly checkoutId: string;
      readonly reason: string | null;
    };

/** All payments are in dirhams: their ISO 4217 code, as letters or as a number. */
const currencies: ReadonlySet<unknown> = new Set(["mad", "MAD", "504"]);
const longestTxnId = 200;

/** Refuses what no honest provider would tell: no whole positive amount, another currency, ids that are none. */
export function paid(told: {
  readonly checkoutId: unknown;
  readonly providerTxnId: unknown;
  readonly amountMinor: unknown;
  readonly currency: unknown;
  readonly paidAt: Date;
}): Notification {
  const { providerTxnId, amountMinor, currency, paidAt } = told;
  if (
    typeof amountMinor !== "number" ||
    !Number.isSafeInteger(amountMinor) ||
    amountMinor <= 0 ||
    amountMinor > mostPaidMinor
  )
    throw invalidBody("/amount", "should be a whole number of santimat above zero");
  if (!currencies.has(currency)) throw invalidBody("/currency", "should be the dirham (MAD, 504)");
  if (typeof providerTxnId !== "string" || !/^[\w.:-]+$/.test(providerTxnId) || providerTxnId.length > longestTxnId)
    throw invalidBody("/transaction", "should be the provider's id of the payment");
  if (Number.isNaN(paidAt.getTime())) throw invalidBody("/paidAt", "should be a time");
  return { status: "PAID", checkoutId: checkoutIdOf(told.checkoutId), providerTxnId, amountMinor, paidAt };
}

export function ended(
  status: "FAILED" | "ABANDONED" | "EXPIRED",
  checkoutId: unknown,
  reason: string | null,
): Notification {
  // Providers' messages are theirs: nothing that a log or a page would take for something else.
  const plain = reason?.replaceAll(/\p{Cc}+/gu, " ").slice(0, 200) ?? null;
  return { status, checkoutId: checkoutIdOf(checkoutId), reason: plain };
}

function checkoutIdOf(value: unknown): string {
  if (typeof value !== "string" || !isUuid(value)) throw new DomainError("not_found", "There is no such checkout.");
  return value;
}

/** Of a callback whose signature is missing, wrong or too old. */
export function notGenuine(why: string): DomainError {
  return new DomainError("forbidden", "The callback's signature is not valid.", { internal: why });
}
