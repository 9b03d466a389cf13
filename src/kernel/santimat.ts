/**
 * Money is a whole number of santimat, the hundredth of a dirham: it is added, compared and stored as that alone, and
 * becomes dirhams only where somebody reads it.
 */

/** More than any one payment is; far inside what a JavaScript number holds exactly. */
export const mostSantimat = 100_000_000_000;

/** Dirhams as JSON numbers have them: 12345 → 123.45. */
export function dirhamsOf(minor: number): number {
  return minor / 100;
}

/** `123.45`, as payment providers and forms write it. */
export function decimalOf(minor: number): string {
  const digits = String(Math.abs(minor)).padStart(3, "0");
  return `${minor < 0 ? "-" : ""}${digits.slice(0, -2)}.${digits.slice(-2)}`;
}

/** Of a decimal number with at most two places, such as `123.45`; null for anything else, above all for what rounds. */
export function santimatOf(text: string): number | null {
  const match = /^(\d{1,12})(?:\.(\d{1,2}))?$/.exec(text);
  if (match === null) return null;
  const minor = Number(match[1]) * 100 + Number((match[2] ?? "").padEnd(2, "0"));
  return minor <= mostSantimat ? minor : null;
}

/** What `rateBp` (hundredths of a percent) of an amount is, half a santimat rounded up (away from zero). */
export function shareOf(minor: number, rateBp: number): number {
  const product = BigInt(minor) * BigInt(rateBp);
  const half = product < 0n ? -5000n : 5000n;
  return Number((product + half) / 10_000n);
}
