/** Which intervals a span of time is shown in: a pure choice, bounded whatever is asked for. */

/** Windows of 10 s are shown for so long, hours after that. */
export const windowsShownMs = 24 * 60 * 60_000;
/** What is asked for at once; hours are kept for 30 days, and a month has one more. */
export const longestSpanMs = 31 * 24 * 60 * 60_000;
export const mostPoints = 1500;
/** Without a wish: enough for the width of a chart. */
const usualPoints = 400;

/** Seconds; each divides a day, so that intervals begin at whole hours and days (UTC). */
const steps = [10, 30, 60, 300, 600, 1800, 3600, 7200, 21_600, 43_200, 86_400] as const;
const hour = 3600;

export interface Resolution {
  /** Whole multiples of the step, in milliseconds since 1970. */
  readonly since: number;
  readonly until: number;
  readonly stepSeconds: number;
  /** From hours, and not from windows. */
  readonly hourly: boolean;
}

/** `since` is before `until`, by `longestSpanMs` at most; `wish` in seconds. */
export function resolutionOf(since: number, until: number, now: number, wish: number | null): Resolution {
  const hourly = since < now - windowsShownMs;
  const most = wish === null ? usualPoints : mostPoints;
  const least = Math.max(wish ?? 0, hourly ? hour : 0);
  const stepSeconds =
    steps.find((step) => step >= least && pointsOf(since, until, step) <= most) ?? steps[steps.length - 1] ?? hour;
  const ms = stepSeconds * 1000;
  return { since: Math.floor(since / ms) * ms, until: Math.ceil(until / ms) * ms, stepSeconds, hourly };
}

function pointsOf(since: number, until: number, step: number): number {
  return Math.ceil(until / (step * 1000)) - Math.floor(since / (step * 1000));
}
