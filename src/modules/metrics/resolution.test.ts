import fc from "fast-check";
import { expect, test } from "vitest";
import { longestSpanMs, mostPoints, resolutionOf, windowsShownMs } from "./resolution.ts";

const now = Date.UTC(2026, 2, 14, 9, 26, 53);
const hours = (count: number) => count * 3_600_000;

test.each([
  [1, null, 10, false],
  [24, null, 300, false],
  [24, 10, 60, false],
  [24 * 7, null, 3600, true],
  [24 * 7, 10, 3600, true],
  [24 * 30, null, 7200, true],
  [24 * 30, 86_400, 86_400, true],
  [1, 11, 30, false],
  [0.01, 86_400, 86_400, false],
])("the last %s h, with the wish %s, in intervals of %s s", (span, wish, stepSeconds, hourly) => {
  expect(resolutionOf(now - hours(span), now, now, wish)).toMatchObject({ stepSeconds, hourly });
});

test("whatever is asked for: bounded, whole, around the span, of what is kept, and as fine as was wished or coarser", () => {
  const span = fc.record({
    age: fc.integer({ min: -hours(24 * 365), max: hours(24 * 365 * 30) }),
    length: fc.integer({ min: 1, max: longestSpanMs }),
    wish: fc.option(fc.integer({ min: 10, max: 86_400 })),
  });
  fc.assert(
    fc.property(span, ({ age, length, wish }) => {
      const since = now - age;
      const { stepSeconds, hourly, ...around } = resolutionOf(since, since + length, now, wish);
      const ms = stepSeconds * 1000;
      expect(around.since % ms || around.until % ms || hours(24) % ms).toBe(0);
      expect(around.since).toBeLessThanOrEqual(since);
      expect(around.since).toBeGreaterThan(since - ms);
      expect(around.until).toBeGreaterThanOrEqual(since + length);
      expect((around.until - around.since) / ms).toBeLessThanOrEqual(mostPoints);
      expect(stepSeconds).toBeGreaterThanOrEqual(wish ?? 10);
      expect(hourly).toBe(since < now - windowsShownMs);
      if (hourly) expect(stepSeconds % 3600).toBe(0);
    }),
  );
});
