/** What the dashboard says of a plan, and what it makes of an invoice's parties. */
import fc from "fast-check";
import { expect, test } from "vitest";
import type { Subscription } from "../dashboard/src/api/billing.ts";
import { billingMessages } from "../dashboard/src/pages/billing/billing.messages.ts";
import { paperAddress } from "../dashboard/src/pages/billing/paper-address.ts";
import { partyOf } from "../dashboard/src/pages/billing/party.ts";
import { consequenceOf, planInForce, whatHappensNext } from "../dashboard/src/pages/billing/plan-in-words.ts";

const running: Subscription = {
  plan: "PRO",
  status: "ACTIVE",
  provider: "sandbox",
  term: "MONTHLY",
  autoRenew: false,
  currentPeriodEnd: "2026-12-21",
  cancelAtPeriodEnd: false,
  graceUntil: null,
};
const given: Subscription = { ...running, term: null, currentPeriodEnd: null, provider: "operator" };
const ended: Subscription = { ...running, status: "CANCELLED" };
const overdue: Subscription = { ...running, status: "PAST_DUE", graceUntil: "2026-12-31" };

const say = (subscription: Subscription | null, today: string) =>
  whatHappensNext(subscription, billingMessages.en.next, (iso) => iso, Date.parse(today));

test.each([
  ["no subscription", null, "The free plan costs nothing"],
  ["given by the operator", given, "It has no end"],
  ["ended", ended, "The plan PRO ended on 2026-12-21."],
  ["running", running, "The period ends on 2026-12-21."],
  ["with auto-renew", { ...running, autoRenew: true }, "On 2026-12-21 the credit buys the next period."],
  ["cancelled", { ...running, autoRenew: true, cancelAtPeriodEnd: true }, "On 2026-12-21 the account goes to the free"],
  ["overdue", overdue, "Everything keeps running until 2026-12-31"],
  ["in grace", { ...overdue, status: "GRACE" as const }, "Everything keeps running until 2026-12-31"],
])("what happens next, in words: %s", (_, subscription, words) => {
  expect(say(subscription, "2026-12-01")).toContain(words);
});

test("when the days of grace are over, the services are said to be stopped", () => {
  expect(say({ ...overdue, status: "GRACE" }, "2027-01-01")).toContain("The services are stopped");
});

test("a plan that has ended is not in force", () => {
  expect([null, ended, running, overdue].map(planInForce)).toEqual(["FREE", "FREE", "PRO", "PRO"]);
});

test("what a choice does is told before it is made", () => {
  const told = (plan: "FREE" | "DEV" | "PRO", term: "MONTHLY" | "ANNUAL", of: Subscription | null, atOnce = false) =>
    consequenceOf(plan, term, of, atOnce);
  for (const none of [null, ended, overdue, given]) expect(told("PRO", "MONTHLY", none)).toBe("toBePaid");
  expect(told("PRO", "MONTHLY", running)).toBe("same");
  expect(told("PRO", "ANNUAL", running)).toBe("toBePaid");
  expect(told("DEV", "MONTHLY", running, true)).toBe("atOnce");
  expect(told("FREE", "MONTHLY", running)).toBe("free");
  expect(told("FREE", "MONTHLY", given)).toBe("freeGiven");
});

test("an invoice's party is whatever text the snapshot has, and never anything else", () => {
  expect(partyOf({ name: "Atlas SARL", ice: "001", address: "", rc: 7 })).toEqual({
    name: "Atlas SARL",
    address: null,
    email: null,
    ice: "001",
    taxId: null,
    rc: null,
  });
  fc.assert(
    fc.property(fc.anything(), (snapshot) => {
      for (const value of Object.values(partyOf(snapshot)))
        expect(value === null || typeof value === "string").toBe(true);
    }),
  );
});

test("papers are asked for in the page's language, where they exist in it", () => {
  expect(paperAddress("https://ksar.example/pay/x", "fr")).toBe("https://ksar.example/pay/x?lang=fr");
  expect(paperAddress("https://ksar.example/pay/x", "ar")).toBe("https://ksar.example/pay/x");
});
