import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { checkCatalogue, priceOf, readCatalogue, sellsTerms } from "./catalogue.ts";

const folder = mkdtempSync(join(tmpdir(), "ksar-catalogue-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
// biome-ignore lint/suspicious/noExplicitAny: the test breaks what the type forbids
type Broken = any;

test("the shipped catalogue is a right one; longer terms cost less a month, larger plans include more", () => {
  const catalogue = checkCatalogue(readCatalogue(null), "the shipped catalogue");
  const sold = ["DEV", "PRO", "TEAM", "AGENCY"] as const;
  for (const [n, plan] of sold.entries()) {
    const [month = 0, quarter = 0, year = 0] = (["MONTHLY", "QUARTERLY", "ANNUAL"] as const).map((term) =>
      priceOf(catalogue, plan, term),
    );
    expect(quarter).toBeLessThan((month ?? 0) * 3);
    expect(year).toBeLessThan((quarter ?? 0) * 4);
    const before = catalogue.plans[sold[n - 1] ?? "FREE"].allowances.BANDWIDTH.included ?? 0;
    expect(catalogue.plans[plan].allowances.BANDWIDTH.included).toBeGreaterThan(before);
  }
  expect(sellsTerms(catalogue)).toBe(true);
  expect(priceOf(catalogue, "FREE", "MONTHLY")).toBeNull();
  expect(priceOf(catalogue, "NO_SUCH_PLAN", "MONTHLY")).toBeNull();
});

test.each<[string, (catalogue: Broken) => void, string]>([
  ["a price as text", (c) => (c.plans.PRO.pricesMad.MONTHLY = "149"), '"plans.PRO.pricesMad.MONTHLY" must be number'],
  ["a price below zero", (c) => (c.plans.PRO.pricesMad.ANNUAL = -1), '"plans.PRO.pricesMad.ANNUAL" must be > 0'],
  ["three decimals", (c) => (c.plans.DEV.pricesMad.MONTHLY = 4.999), "at most two decimals"],
  ["a missing plan", (c) => delete c.plans.TEAM, '"plans" lacks TEAM'],
  ["a missing limit", (c) => delete c.plans.TEAM.limits.services, '"plans.TEAM.limits" lacks services'],
  ["an unknown field", (c) => (c.plans.TEAM.limits.ponies = 1), '"plans.TEAM.limits.ponies" is not known'],
  ["a tax beyond 100 %", (c) => (c.taxRateBp = 10_001), '"taxRateBp" must be <= 10000'],
  ["a fraction of a service", (c) => (c.plans.PRO.limits.services = 1.5), '"plans.PRO.limits.services"'],
  ["an unknown enforcement", (c) => (c.plans.PRO.allowances.BANDWIDTH.enforcement = "MAYBE"), "BANDWIDTH.enforcement"],
  ["overage on FREE", (c) => (c.plans.FREE.overage = true), '"plans.FREE.overage" should be false'],
  ["a price for FREE", (c) => (c.plans.FREE.pricesMad = { MONTHLY: 1 }), '"plans.FREE.pricesMad" should be null'],
  ["bounds that cross", (c) => (c.topUp.minimumMad = 60_000), '"topUp.minimumMad" is above'],
  ["another currency", (c) => (c.currency = "EUR"), '"currency"'],
])("%s is refused with the field's name", (_what, change, sentence) => {
  const catalogue: Broken = structuredClone(readCatalogue(null));
  change(catalogue);
  expect(() => checkCatalogue(catalogue, "mine.json")).toThrow(sentence);
  expect(() => checkCatalogue(catalogue, "mine.json")).toThrow("In mine.json");
});

test("the operator's file replaces it; one that is missing or no JSON is named", () => {
  const file = join(folder, "mine.json");
  writeFileSync(file, JSON.stringify({ ...readCatalogue(null), taxRateBp: 700 }));
  expect(readCatalogue(file).taxRateBp).toBe(700);
  writeFileSync(file, "{");
  expect(() => readCatalogue(file)).toThrow(file);
  expect(() => readCatalogue(join(folder, "none.json"))).toThrow("none.json");
});
