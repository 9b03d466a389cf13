/**
 * Version ranges as package.json writes them (node-semver's grammar), over released versions alone: `>=18 <21`, `^20.1`,
 * `18.x || 20`, `16 - 18`, `*`. Since no pre-release is ever chosen, each alternative is one interval of versions.
 */

type Version = readonly [major: number, minor: number, patch: number];

interface Interval {
  readonly from: Version;
  /** Exclusive; null: without an end. */
  readonly below: Version | null;
}

export type VersionRange = readonly Interval[];

const zero: Version = [0, 0, 0];
const partial = String.raw`[v=]*(\d+|[xX*])?(?:\.(\d+|[xX*]))?(?:\.(\d+|[xX*]))?(-[\w.-]+)?(?:\+[\w.-]+)?`;
const comparator = new RegExp(`^(<=?|>=?|=|~>?|\\^)?${partial}$`);
const hyphen = new RegExp(`^${partial}\\s+-\\s+${partial}$`);
/** Longer ones are written to be slow, not to be read. */
const longest = 256;

/** null for what is no range. */
export function parseRange(text: string): VersionRange | null {
  if (text.length > longest) return null;
  const intervals = text.split("||").map((alternative) => parseAlternative(alternative.trim()));
  return intervals.every((interval) => interval !== null) ? intervals : null;
}

/** false for pre-releases and for what is no version, too. */
export function satisfies(version: string, range: VersionRange): boolean {
  const exact = parseVersion(version);
  return exact !== null && range.some((interval) => contains(interval, exact));
}

/** The newest of the versions that satisfies the range; null when none does. */
export function newestIn(range: VersionRange, versions: readonly string[]): string | null {
  let newest: { readonly text: string; readonly version: Version } | null = null;
  for (const text of versions) {
    const version = parseVersion(text);
    if (version === null || !satisfies(text, range)) continue;
    if (newest === null || compare(version, newest.version) > 0) newest = { text, version };
  }
  return newest?.text ?? null;
}

function parseVersion(text: string): Version | null {
  const match = /^(\d{1,9})\.(\d{1,9})\.(\d{1,9})$/.exec(text);
  return match === null ? null : [Number(match[1]), Number(match[2]), Number(match[3])];
}

function parseAlternative(text: string): Interval | null {
  const bounds = hyphen.exec(text);
  if (bounds !== null) {
    return { from: lowest(bounds.slice(1, 5)), below: following(bounds.slice(5, 9)) };
  }
  let whole: Interval = { from: zero, below: null };
  for (const word of text.replace(/([<>=~^])\s+/g, "$1").split(/\s+/)) {
    const match = comparator.exec(word);
    if (match === null) return null;
    const { from, below } = intervalOf(match[1] ?? "=", match.slice(2, 6));
    whole = {
      from: compare(from, whole.from) > 0 ? from : whole.from,
      below: below === null || (whole.below !== null && compare(whole.below, below) < 0) ? whole.below : below,
    };
  }
  return whole;
}

/** `parts` are major, minor, patch and pre-release as they were written, each undefined where left out. */
function intervalOf(operator: string, parts: readonly (string | undefined)[]): Interval {
  const from = lowest(parts);
  const next = following(parts);
  switch (operator) {
    case ">=":
      return { from, below: null };
    case ">":
      return next === null ? { from: zero, below: zero } : { from: next, below: null };
    case "<":
      return { from: zero, below: from };
    case "<=":
      return { from: zero, below: next };
    case "=":
      return { from, below: next };
    case "^":
      return { from, below: following(parts.slice(0, given(parts).findIndex((number) => number > 0) + 1 || 3)) };
    default:
      return { from, below: following(parts.slice(0, 2)) };
  }
}

/** The numbers up to the first that is left out or `x`. */
function given(parts: readonly (string | undefined)[]): readonly number[] {
  const end = parts.slice(0, 3).findIndex((part) => part === undefined || !/^\d+$/.test(part));
  return parts.slice(0, end === -1 ? 3 : end).map(Number);
}

function lowest(parts: readonly (string | undefined)[]): Version {
  const [major = 0, minor = 0, patch = 0] = given(parts);
  return [major, minor, patch];
}

/** The first version behind all that are written so: 20 → 21.0.0, 20.1 → 20.2.0. null when every one is. */
function following(parts: readonly (string | undefined)[]): Version | null {
  // A pre-release comes before the release of its numbers.
  if (parts[3] !== undefined) return lowest(parts);
  const [major, minor, patch] = given(parts);
  if (major === undefined) return null;
  if (minor === undefined) return [major + 1, 0, 0];
  return patch === undefined ? [major, minor + 1, 0] : [major, minor, patch + 1];
}

function contains({ from, below }: Interval, version: Version): boolean {
  return compare(version, from) >= 0 && (below === null || compare(version, below) < 0);
}

function compare(one: Version, other: Version): number {
  return one[0] - other[0] || one[1] - other[1] || one[2] - other[2];
}
