import fc from "fast-check";
import { expect, test } from "vitest";
import { longestRetryAfterMs, nextAttemptAt, retryDelaysMs } from "./retry-schedule.ts";

const now = new Date("2026-11-21T12:00:00Z");
const random = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });

test("seven retries: after 5 s, 30 s, 2 min, 10 min, 1 h, 6 h, 24 h, each within a tenth; then given up", () => {
  expect(retryDelaysMs.map((ms) => ms / 1000)).toEqual([5, 30, 120, 600, 3600, 21_600, 86_400]);
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 20 }), random, (attempts, luck) => {
      const next = nextAttemptAt(attempts, now, luck);
      const delay = retryDelaysMs[attempts - 1];
      if (delay === undefined) expect(next).toBeNull();
      else expect(Math.abs((next?.getTime() ?? 0) - now.getTime() - delay)).toBeLessThanOrEqual(delay / 10 + 1);
    }),
  );
});

test("Retry-After lengthens the wait, never shortens it, and never past a day", () => {
  const wait = (header: string, attempts = 1) =>
    (nextAttemptAt(attempts, now, 0.5, header)?.getTime() ?? 0) - now.getTime();
  expect(wait("60")).toBe(60_000);
  expect(wait("Sat, 21 Nov 2026 12:02:00 GMT")).toBe(120_000);
  expect(wait("1")).toBe(5000);
  expect(wait("0", 4)).toBe(600_000);
  expect(wait("99999999")).toBe(longestRetryAfterMs);
  expect(wait("Sat, 21 Nov 2099 12:00:00 GMT")).toBe(longestRetryAfterMs);
  expect(wait("Sat, 21 Nov 1999 12:00:00 GMT")).toBe(5000);
  expect(nextAttemptAt(8, now, 0.5, "60")).toBeNull();
  fc.assert(
    fc.property(fc.string(), random, (header, luck) => {
      const next = nextAttemptAt(1, now, luck, header)?.getTime() ?? 0;
      expect(next - now.getTime()).toBeGreaterThanOrEqual(4500);
      expect(next - now.getTime()).toBeLessThanOrEqual(longestRetryAfterMs);
    }),
  );
});
