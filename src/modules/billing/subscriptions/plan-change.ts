/**
 * What becomes of a move to another plan: a pure function of what was paid and when. All amounts without tax.
 *
 *   extend   the plan and term that run already: one more term behind the present one
 *   settle   paid time that is worth more than is asked for, or a cheaper plan of the same term: nobody pays, what is
 *            left of the value is turned into time of the new plan
 *   buy      the price of the new term, less what is left of the present one
 */
import { daysBetween, lastsUntil, remainingValue, type Term } from "../../../kernel/billing-period.ts";

export interface PaidPeriod {
  readonly plan: string;
  readonly term: Term;
  readonly periodStart: Date;
  readonly periodEnd: Date;
  readonly paidNetMinor: number;
}

export interface Wanted {
  readonly plan: string;
  readonly term: Term;
  readonly priceNetMinor: number;
  /** What the present plan costs for the wanted term; null: it is not sold for it. */
  readonly presentPriceNetMinor: number | null;
}

export type PlanChange =
  | { readonly kind: "extend" }
  | { readonly kind: "settle"; readonly periodEnd: Date; readonly carriedDays: number; readonly valueNetMinor: number }
  | { readonly kind: "buy"; readonly creditNetMinor: number };

/** `present` is null where nothing runs that was paid for. */
export function planChange(present: PaidPeriod | null, wanted: Wanted, now: Date): PlanChange {
  if (present === null || present.periodEnd <= now) return { kind: "buy", creditNetMinor: 0 };
  if (present.plan === wanted.plan && present.term === wanted.term) return { kind: "extend" };
  const value = remainingValue(present.paidNetMinor, present.periodStart, present.periodEnd, now);
  const isCheaper =
    present.term === wanted.term &&
    wanted.presentPriceNetMinor !== null &&
    wanted.priceNetMinor < wanted.presentPriceNetMinor;
  if (value > 0 && (isCheaper || value >= wanted.priceNetMinor)) {
    const periodEnd = lastsUntil(value, wanted.priceNetMinor, now, wanted.term);
    // A value of less than a millisecond's worth buys nothing.
    if (periodEnd > now)
      return { kind: "settle", periodEnd, carriedDays: daysBetween(now, periodEnd), valueNetMinor: value };
  }
  return { kind: "buy", creditNetMinor: Math.min(value, wanted.priceNetMinor) };
}
