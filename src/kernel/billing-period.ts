/**
 * Billing periods: whole months of the calendar, in UTC. A period begins on its anchor day, or on the month's last where
 * the month has no such day: from 31 January it goes to 28 (29) February, and from there to 31 March.
 */
export const terms = ["MONTHLY", "QUARTERLY", "ANNUAL"] as const;
export type Term = (typeof terms)[number];

export const monthsOf: Readonly<Record<Term, number>> = { MONTHLY: 1, QUARTERLY: 3, ANNUAL: 12 };

export const dayMs = 24 * 60 * 60_000;

/** The same time of day, that many months later, on the anchor day or the month's last. */
export function addMonths(from: Date, months: number, anchorDay: number = from.getUTCDate()): Date {
  const to = new Date(from);
  to.setUTCDate(1);
  to.setUTCMonth(to.getUTCMonth() + months);
  const lastDay = new Date(Date.UTC(to.getUTCFullYear(), to.getUTCMonth() + 1, 0)).getUTCDate();
  to.setUTCDate(Math.min(anchorDay, lastDay));
  return to;
}

export function periodEnd(start: Date, term: Term, anchorDay: number = start.getUTCDate()): Date {
  return addMonths(start, monthsOf[term], anchorDay);
}

/** What is left at `now` of what was paid for a period, by the millisecond, rounded down. */
export function remainingValue(paidMinor: number, start: Date, end: Date, now: Date): number {
  const length = end.getTime() - start.getTime();
  const left = Math.min(length, Math.max(0, end.getTime() - now.getTime()));
  return length <= 0 ? 0 : Number((BigInt(paidMinor) * BigInt(left)) / BigInt(length));
}

/** In months: whatever would last longer is not a price but a mistake in the catalogue. */
const longestMonths = 1200;

/** Until when a value lasts at that price a term: whole periods first, then the share of the next; rounded down. */
export function lastsUntil(valueMinor: number, priceMinor: number, start: Date, term: Term): Date {
  if (priceMinor <= 0) throw new Error("a plan without a price lasts for ever");
  const periods = Math.floor(valueMinor / priceMinor);
  if (periods * monthsOf[term] >= longestMonths) return addMonths(start, longestMonths);
  const anchor = start.getUTCDate();
  const whole = addMonths(start, periods * monthsOf[term], anchor);
  const next = addMonths(start, (periods + 1) * monthsOf[term], anchor);
  const rest = BigInt(valueMinor - periods * priceMinor);
  const share = (rest * BigInt(next.getTime() - whole.getTime())) / BigInt(priceMinor);
  return new Date(whole.getTime() + Number(share));
}

/** What a time costs at that price a term: the other way round, rounded down. */
export function priceOfTime(start: Date, until: Date, priceMinor: number, term: Term): number {
  const anchor = start.getUTCDate();
  let periods = 0;
  while (addMonths(start, (periods + 1) * monthsOf[term], anchor) <= until) periods += 1;
  const whole = addMonths(start, periods * monthsOf[term], anchor).getTime();
  const next = addMonths(start, (periods + 1) * monthsOf[term], anchor).getTime();
  const rest = Math.max(0, until.getTime() - whole);
  return periods * priceMinor + Number((BigInt(priceMinor) * BigInt(rest)) / BigInt(next - whole));
}

/** Days with two decimals, rounded down. */
export function daysBetween(from: Date, to: Date): number {
  return Math.floor(((to.getTime() - from.getTime()) / dayMs) * 100) / 100;
}

/** The first moment of the calendar month. */
export function monthStart(at: Date): Date {
  return new Date(Date.UTC(at.getUTCFullYear(), at.getUTCMonth(), 1));
}

/** `2026-11-01`: how a month is written in a column. */
export function monthName(at: Date): string {
  return monthStart(at).toISOString().slice(0, 10);
}
