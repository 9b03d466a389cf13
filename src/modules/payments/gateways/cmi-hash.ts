/**
 * The hash of the Moroccan card gateway (Centre Monétique Interbancaire), version 3: over the values of all parameters
 * but `HASH` and `encoding`, in the natural order of their names whatever their case, each with `\` and `|` escaped and
 * followed by `|`, and the store key at the end; SHA-512, in base64.
 */
import { createHash, timingSafeEqual } from "node:crypto";

export function cmiHash(parameters: Readonly<Record<string, string>>, storeKey: string): string {
  const values = Object.entries(parameters)
    .filter(([name]) => !["hash", "encoding"].includes(name.toLowerCase()))
    .sort(([a], [b]) => naturalOrder(a.toUpperCase(), b.toUpperCase()))
    .map(([, value]) => escaped(value));
  return createHash("sha512")
    .update([...values, escaped(storeKey)].join("|"))
    .digest("base64");
}

/** In the same time whatever the hash is. */
export function isCmiHash(given: string, parameters: Readonly<Record<string, string>>, storeKey: string): boolean {
  const right = Buffer.from(cmiHash(parameters, storeKey));
  const offered = Buffer.from(given);
  return offered.length === right.length && timingSafeEqual(offered, right);
}

function escaped(value: string): string {
  return value.replaceAll("\\", "\\\\").replaceAll("|", "\\|");
}

/** As PHP's `natcasesort`, which CMI's own kit uses: numbers within names count as numbers (`line2` before `line10`). */
function naturalOrder(a: string, b: string): number {
  const [left, right] = [a, b].map((text) => text.match(/\d+|\D/g) ?? []);
  for (let i = 0; i < Math.max(left?.length ?? 0, right?.length ?? 0); i++) {
    const [one, other] = [left?.[i], right?.[i]];
    if (one === undefined || other === undefined) return one === undefined ? -1 : 1;
    if (one === other) continue;
    const bothNumbers = /\d/.test(one) && /\d/.test(other);
    const difference = bothNumbers ? Number(one) - Number(other) : 0;
    if (difference !== 0) return difference;
    return one < other ? -1 : 1;
  }
  return 0;
}
