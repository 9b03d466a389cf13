/**
 * Latencies are counted in buckets whose bounds grow by a fifth, so that whoever adds up any windows still reads a
 * percentile to within a tenth: the geometric middle of a bucket is 9.6 % from its bounds.
 *
 * A latency is the time from a request's head to the head of its answer. It says how the service does; how long the body
 * takes says more about the visitor's line.
 */

const smallestMs = 0.25;
const growth = 1.2;
const bounds = 73;

/** Upper bounds in milliseconds, inclusive, 0.25 ms to 125 s; one bucket more holds what is above the last. */
export const latencyBoundsMs: readonly number[] = Array.from(
  { length: bounds },
  (_, index) => smallestMs * growth ** index,
);
export const latencyBuckets = bounds + 1;

const logOfGrowth = Math.log(growth);

export function latencyBucket(ms: number): number {
  if (!(ms > smallestMs)) return 0;
  return Math.min(Math.ceil(Math.log(ms / smallestMs) / logOfGrowth), bounds);
}

/** The latency that a share of `quantile` (0 to 1) does not exceed; null when nothing was measured. */
export function latencyAt(buckets: readonly number[], quantile: number): number | null {
  const total = buckets.reduce((sum, count) => sum + count, 0);
  if (total === 0) return null;
  const wanted = Math.max(1, Math.ceil(total * quantile));
  let seen = 0;
  const index = buckets.findIndex((count) => {
    seen += count;
    return seen >= wanted;
  });
  return smallestMs * growth ** (index - 0.5);
}

/** The same distribution over `total` measurements. */
export function scaleLatencies(buckets: readonly number[], total: number): readonly number[] {
  const measured = buckets.reduce((sum, count) => sum + count, 0);
  let seen = 0;
  let given = 0;
  return buckets.map((count) => {
    seen += count;
    // Of the running sum, so that the roundings add up to `total`.
    const due = Math.round((seen * total) / measured) - given;
    given += due;
    return due;
  });
}
