import { afterAll, beforeAll, expect, test } from "vitest";
import type { TestAccount } from "../../../../tests/api.fixture.ts";
import { terms } from "../../../kernel/billing-period.ts";
import { must, startTestBilling, type TestBilling } from "../billing.fixture.ts";
import type { PlanOffer } from "../billing.schema.ts";

let billing: TestBilling;
beforeAll(async () => {
  billing = await startTestBilling();
});
afterAll(() => billing.close());

const plansOf = async (account: TestAccount): Promise<PlanOffer[]> =>
  (await must(account.call("GET", "/billing/plans"))).data;

test("the price list: every plan of the catalogue with prices, allowances and limits", async () => {
  const plans = await plansOf(await billing.newAccount());
  expect(plans.map(({ plan, offered, isCurrent }) => [plan, offered, isCurrent])).toEqual([
    ["FREE", true, true],
    ["DEV", true, false],
    ["PRO", true, false],
    ["TEAM", true, false],
    ["AGENCY", true, false],
    ["SCHOOL", false, false],
  ]);
  expect(plans.find(({ plan }) => plan === "PRO")).toEqual({
    plan: "PRO",
    isCurrent: false,
    offered: true,
    allowsOverage: true,
    isResidencyTier: false,
    prices: (
      [
        ["MONTHLY", 149, 178.8],
        ["QUARTERLY", 425, 510],
        ["ANNUAL", 1490, 1788],
      ] as const
    ).map(([term, priceMad, priceWithTaxMad]) => ({
      ...{ term, priceMad, priceWithTaxMad },
      change: { switched: false, carriedDays: 0, priceMad: priceWithTaxMad, currentPeriodEnd: null },
    })),
    allowances: [
      { meter: "BANDWIDTH", included: 1000, unit: "GB", rateMicroSantimat: 50_000_000, enforcement: "BLOCK" },
      { meter: "BUILD_MINUTES", included: 5000, unit: "min", rateMicroSantimat: 10_000_000, enforcement: "BLOCK" },
      { meter: "OBJECT_STORAGE", included: 100, unit: "GB-month", rateMicroSantimat: 25_000_000, enforcement: "BLOCK" },
    ],
    limits: billing.catalogue.plans.PRO.limits,
  });
  const [free, , , , agency, school] = plans;
  expect([free?.prices, school?.prices, agency?.isResidencyTier, agency?.limits.services]).toEqual([
    [],
    [],
    true,
    null,
  ]);
});

test("what it says of a choice is what the choice does", async () => {
  billing.set("2026-04-01T00:00:00Z");
  for (const plan of ["DEV", "PRO", "TEAM", "AGENCY"]) {
    for (const term of terms) {
      billing.set("2026-04-01T00:00:00Z");
      const account = await billing.newAccount();
      await billing.pay((await must(account.call("POST", "/billing/plan", { plan: "TEAM" }))).url);
      billing.set("2026-04-11T07:00:00Z");
      const offer = (await plansOf(account)).find((one) => one.plan === plan);
      const { url, ...answer } = await must(account.call("POST", "/billing/plan", { plan, term }));
      expect(offer?.prices.find((one) => one.term === term)?.change, `${plan} ${term}`).toEqual(answer);
      expect(url === null, `${plan} ${term}`).toBe(answer.switched);
    }
  }
});

test("asking changes nothing, and takes the scope of billing", async () => {
  const account = await billing.newAccount();
  await plansOf(account);
  expect(await billing.api.query("select 1 from checkouts where account_id = $1", [account.accountId])).toEqual([]);
  expect((await must(account.call("GET", "/billing/subscription"))).subscription).toBeNull();
  expect((await billing.api.call("GET", "/billing/plans")).status).toBe(401);
});
