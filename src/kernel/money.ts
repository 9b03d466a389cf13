/**
 * Money is whole santimat (1/100 MAD), the "minor" of the API. Products are made in BigInt, where nothing overflows and
 * nothing is lost, and rounded once, half up.
 */

/** Ten billion MAD: no amount of this platform comes near. Anything beyond is a mistake or an attack. */
export const mostMinor = 1_000_000_000_000;

/** null for what is not an amount: NaN, an infinity, more than two decimals, or too large. */
export function minorOfMad(mad: number): number | null {
  const minor = Math.round(mad * 100);
  return Number.isFinite(mad) && Math.abs(minor) <= mostMinor && minor / 100 === mad ? minor : null;
}

export function madOfMinor(minor: number): number {
  return minor / 100;
}

/** More than any one payment is. */
export const mostPaidMinor = 100_000_000_000;

/** `123.45`, as payment providers and forms write it. */
export function decimalOf(minor: number): string {
  const digits = String(Math.abs(minor)).padStart(3, "0");
  return `${minor < 0 ? "-" : ""}${digits.slice(0, -2)}.${digits.slice(-2)}`;
}

/** Of a decimal number with at most two places, such as `123.45`; null for anything else, above all for what rounds. */
export function minorOfDecimal(text: string): number | null {
  const match = /^(\d{1,12})(?:\.(\d{1,2}))?$/.exec(text);
  if (match === null) return null;
  const minor = Number(match[1]) * 100 + Number((match[2] ?? "").padEnd(2, "0"));
  return minor <= mostPaidMinor ? minor : null;
}

/** For people: `1234.50 MAD`. */
export function formatMad(minor: number): string {
  return `${decimalOf(minor)} MAD`;
}

/** `a / b`, half away from zero. */
export function divideHalfUp(a: bigint, b: bigint): bigint {
  const sign = a < 0n !== b < 0n ? -1n : 1n;
  const [n, d] = [a < 0n ? -a : a, b < 0n ? -b : b];
  return sign * ((2n * n + d) / (2n * d));
}

/** Basis points: 2000 are 20 %. */
export function taxOn(netMinor: number, rateBp: number): number {
  return Number(divideHalfUp(BigInt(netMinor) * BigInt(rateBp), 10_000n));
}

/** The tax on a part of a sum, behind the parts before it: so that the parts' taxes add up to the sum's. */
export function taxOnPart(partNet: number, beforeNet: number, beforeTax: number, rateBp: number): number {
  return Math.max(0, taxOn(beforeNet + partNet, rateBp) - beforeTax);
}

export function withTax(netMinor: number, rateBp: number): number {
  return netMinor + taxOn(netMinor, rateBp);
}

/**
 * The most that can be sold with `room` to pay from, on top of what was sold before: tax is that of the sum, so that the
 * parts of a month add up to its invoice to the santimat.
 */
export function mostNetWithin(room: number, soldNetMinor: number, rateBp: number): number {
  const before = withTax(soldNetMinor, rateBp);
  let net = Math.floor((room * 10_000) / (10_000 + rateBp)) + 2;
  while (net > 0 && withTax(soldNetMinor + net, rateBp) - before > room) net -= 1;
  return Math.max(0, net);
}
