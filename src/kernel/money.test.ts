import fc from "fast-check";
import { expect, test } from "vitest";
import { decimalOf, minorOfDecimal, mostPaidMinor, taxOn } from "./money.ts";

const amount = fc.integer({ min: 0, max: mostPaidMinor });

test("what is written is read as the same amount", () => {
  fc.assert(fc.property(amount, (minor) => minorOfDecimal(decimalOf(minor)) === minor));
});

test.each([
  "",
  "-1.00",
  "+1",
  "1,00",
  "1.005",
  "1e3",
  "NaN",
  "Infinity",
  " 1",
  "1 ",
  "0x10",
  "1.",
  ".5",
  "1_000",
  "١٢",
  "1000000000.01",
  "9".repeat(400),
])("%j is no amount", (text) => {
  expect(minorOfDecimal(text)).toBeNull();
});

test.each([
  ["0", 0],
  ["1", 100],
  ["1.5", 150],
  ["0.01", 1],
  ["001.10", 110],
  ["1000000000", 100_000_000_000],
])("%j is %i santimat", (text, minor) => {
  expect(minorOfDecimal(text)).toBe(minor);
});

test("a tax is the nearest whole santimat, half of one rounded up", () => {
  fc.assert(
    fc.property(amount, fc.integer({ min: 0, max: 10_000 }), (minor, rateBp) => {
      const error = BigInt(taxOn(minor, rateBp)) * 10_000n - BigInt(minor) * BigInt(rateBp);
      return error > -5000n && error <= 5000n;
    }),
  );
});

test("what is credited back has the tax of what was charged", () => {
  fc.assert(
    fc.property(
      amount,
      fc.integer({ min: 0, max: 10_000 }),
      (minor, bp) => taxOn(-minor, bp) === -taxOn(minor, bp) || minor * bp === 0,
    ),
  );
});

test.each([
  [25, 2000, 5],
  [3, 2000, 1],
  [2, 2000, 0],
  [1, 5000, 1],
  [12_345, 2000, 2469],
  [100_000_000_000, 10_000, 100_000_000_000],
])("the share of %i at %i is %i", (minor, rateBp, share) => {
  expect(taxOn(minor, rateBp)).toBe(share);
});
