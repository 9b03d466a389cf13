import fc from "fast-check";
import { expect, test } from "vitest";
import {
  addMonths,
  lastsUntil,
  monthsOf,
  periodEnd,
  priceOfTime,
  remainingValue,
  type Term,
  terms,
} from "./billing-period.ts";
import { minorOfMad, mostMinor, mostNetWithin, withTax } from "./money.ts";

const moment = fc.date({ min: new Date("2000-01-01"), max: new Date("2099-12-31"), noInvalidDate: true });
const term = fc.constantFrom<Term>(...terms);
const price = fc.integer({ min: 1, max: 10_000_000 });

test("a period ends in the right month, on the anchor day or the month's last, at the same time of day", () => {
  fc.assert(
    fc.property(moment, term, fc.integer({ min: 1, max: 31 }), (start, of, anchorDay) => {
      const end = periodEnd(start, of, anchorDay);
      const months = end.getUTCFullYear() * 12 + end.getUTCMonth() - start.getUTCFullYear() * 12 - start.getUTCMonth();
      expect(months).toBe(monthsOf[of]);
      const lastDay = new Date(Date.UTC(end.getUTCFullYear(), end.getUTCMonth() + 1, 0)).getUTCDate();
      expect(end.getUTCDate()).toBe(Math.min(anchorDay, lastDay));
      expect(end.getTime() % 86_400_000).toBe(start.getTime() % 86_400_000);
    }),
  );
});

test("twelve months one by one are a year, from every day", () => {
  fc.assert(
    fc.property(moment, (start) => {
      let at = start;
      for (let n = 0; n < 12; n += 1) at = addMonths(at, 1, start.getUTCDate());
      expect(at).toEqual(periodEnd(start, "ANNUAL"));
    }),
  );
});

test("what is left is never more than was paid, never grows, and is nothing at the end", () => {
  fc.assert(
    fc.property(moment, term, price, fc.double({ min: 0, max: 2, noNaN: true }), (start, of, paid, share) => {
      const end = periodEnd(start, of);
      const now = new Date(start.getTime() + share * (end.getTime() - start.getTime()));
      const left = remainingValue(paid, start, end, now);
      expect(left).toBeGreaterThanOrEqual(0);
      expect(left).toBeLessThanOrEqual(paid);
      expect(remainingValue(paid, start, end, new Date(now.getTime() + 1000))).toBeLessThanOrEqual(left);
      expect(remainingValue(paid, start, end, end)).toBe(0);
    }),
  );
});

test("time bought for a value costs no more than that value, and a whole price buys a whole period", () => {
  fc.assert(
    fc.property(moment, term, price, fc.integer({ min: 0, max: 50_000_000 }), (start, of, cost, value) => {
      const until = lastsUntil(value, cost, start, of);
      expect(priceOfTime(start, until, cost, of)).toBeLessThanOrEqual(value);
      expect(lastsUntil(value + 1, cost, start, of) >= until).toBe(true);
      expect(lastsUntil(cost, cost, start, of)).toEqual(periodEnd(start, of));
    }),
    { numRuns: 50 },
  );
});

test("an amount has two decimals at most and is finite", () => {
  for (const [mad, minor] of [
    [0.29, 29],
    [1.1, 110],
    [-3.07, -307],
    [1e10, mostMinor],
  ] as const)
    expect(minorOfMad(mad)).toBe(minor);
  for (const mad of [0.001, 1.005, 1e10 + 0.01, 1e300, Number.NaN, Infinity, -Infinity])
    expect(minorOfMad(mad)).toBeNull();
  fc.assert(fc.property(fc.integer({ min: -1e9, max: 1e9 }), (minor) => minorOfMad(minor / 100) === minor));
});

test("the most that a room pays for fits into it, and one more does not", () => {
  const room = fc.integer({ min: 0, max: 1_000_000 });
  fc.assert(
    fc.property(room, room, fc.integer({ min: 0, max: 10_000 }), (space, sold, rateBp) => {
      const cost = (net: number) => withTax(sold + net, rateBp) - withTax(sold, rateBp);
      const net = mostNetWithin(space, sold, rateBp);
      expect(cost(net)).toBeLessThanOrEqual(space);
      expect(cost(net + 1)).toBeGreaterThan(space);
    }),
  );
});
