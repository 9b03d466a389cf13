/** When a delivery is tried again, and how long what was done is remembered. */
const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;
const day = 24 * hour;

/** After the first attempt, the second, …; after the last of these it is given up. */
export const retryDelaysMs = [5 * second, 30 * second, 2 * minute, 10 * minute, hour, 6 * hour, 24 * hour] as const;

/** A tenth earlier or later, so that what failed together does not come back together. */
const jitter = 0.1;
/** What a receiver asks for by `Retry-After` is granted up to this. */
export const longestRetryAfterMs = day;

/** With nothing but failures for this long, a webhook is disabled. */
export const failingTooLongMs = 5 * day;

/** null: given up. `attempts` have been made; `random` is in [0, 1). */
export function nextAttemptAt(
  attempts: number,
  now: Date,
  random: number,
  retryAfter: string | undefined = undefined,
): Date | null {
  const delay = retryDelaysMs[attempts - 1];
  if (delay === undefined) return null;
  const jittered = delay * (1 - jitter + 2 * jitter * random);
  return new Date(now.getTime() + Math.max(jittered, retryAfterMs(retryAfter, now)));
}

/** RFC 9110, 10.2.3: seconds, or a date. 0 for anything else. */
function retryAfterMs(header: string | undefined, now: Date): number {
  if (header === undefined) return 0;
  const asked = /^\d{1,9}$/.test(header) ? Number(header) * second : Date.parse(header) - now.getTime();
  return Number.isFinite(asked) ? Math.min(Math.max(asked, 0), longestRetryAfterMs) : 0;
}
