/**
 * When a cron job is due: a five-field expression (minute, hour, day of month, month, day of week) or a nickname such as
 * `@hourly`, in an IANA time zone.
 *
 * Where clocks are changed this follows Vixie cron, as Debian's does. A job whose minute and hour are numbers, lists or
 * ranges has fixed times: one that a day leaves out runs at the next minute that exists, one that a day has twice runs the
 * first time. A job with `*` or a step in its minute or hour is an interval: it goes on through the repeated hour, and
 * does nothing in the hour that is left out.
 *
 * croner does the arithmetic. Its version is pinned, because its older ones differ exactly here; the tests own the vectors.
 */
import { Cron } from "croner";

/** What is wrong with an expression or a zone, as the rest of a sentence about it. */
export class CronExpressionError extends Error {
  override readonly name = "CronExpressionError";
  readonly part: "schedule" | "timezone";

  constructor(part: "schedule" | "timezone", message: string, options?: ErrorOptions) {
    super(message, options);
    this.part = part;
  }
}

const nicknames: ReadonlySet<string> = new Set([
  "@yearly",
  "@annually",
  "@monthly",
  "@weekly",
  "@daily",
  "@midnight",
  "@hourly",
]);

/** The version of the time-zone data that due times are worked out with. */
export const zoneData = process.versions.tz ?? process.versions.icu ?? "unknown";

export class CronSchedule {
  readonly #cron: Cron;
  /** Jobs of one schedule are due at the same time, and all ask the same. */
  #asked: { readonly after: number; readonly next: Date | null } | null = null;

  /** Throws `CronExpressionError`. */
  constructor(expression: string, timezone: string) {
    checkZone(timezone);
    this.#cron = parse(expression, timezone);
  }

  /** The first due time after the instant; null when there is none. */
  next(after: Date): Date | null {
    if (this.#asked?.after !== after.getTime())
      this.#asked = { after: after.getTime(), next: this.#cron.nextRun(after) };
    return this.#asked.next;
  }

  /** The last due time at or before the instant; null when there was none. */
  latest(at: Date): Date | null {
    // croner's is strictly before.
    return this.#cron.previousRuns(1, new Date(at.getTime() + 1))[0] ?? null;
  }
}

/** To ask `Intl` takes half a millisecond. */
const canonicalZones: ReadonlySet<string> = new Set(["UTC", ...Intl.supportedValuesOf("timeZone")]);

function checkZone(timezone: string): void {
  if (canonicalZones.has(timezone)) return;
  try {
    // Offsets such as +01:00 would pass, and never know of a clock that is changed.
    if (/^[A-Za-z]/.test(timezone) && new Intl.DateTimeFormat("en", { timeZone: timezone })) return;
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
  }
  throw new CronExpressionError("timezone", "is not the name of a time zone, such as Africa/Casablanca or UTC");
}

function parse(expression: string, timezone: string): Cron {
  const fields = expression.trim().split(/\s+/);
  const isNickname = expression.trim().startsWith("@");
  if (isNickname && !nicknames.has(expression.trim().toLowerCase()))
    throw new CronExpressionError("schedule", `knows no such word; there are ${[...nicknames].join(", ")}`);
  if (!isNickname && fields.length !== 5) {
    const found = expression.trim() === "" ? "is empty" : `has ${fields.length} field${fields.length === 1 ? "" : "s"}`;
    const seconds = fields.length === 6 ? ", and seconds are not among them" : "";
    throw new CronExpressionError(
      "schedule",
      `${found}: it takes five${seconds}: minute, hour, day of month, month, day of week`,
    );
  }
  try {
    return new Cron(fields.join(" "), { timezone, mode: "5-part", fixedTimeRule: "no-wildcard", paused: true });
  } catch (error) {
    const reason = error instanceof Error ? error.message.replace(/^\w+: /, "").replace(/\.$/, "") : "cannot be read";
    throw new CronExpressionError("schedule", `is not a cron expression: ${reason}`, { cause: error });
  }
}
