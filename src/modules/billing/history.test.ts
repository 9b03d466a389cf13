/** Random histories of an account's money, with repeated notifications, repeated runs and runs that die in the middle. */
import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { TestAccount } from "../../../tests/api.fixture.ts";
import { dayMs } from "../../kernel/billing-period.ts";
import { checkBooks, must, startTestBilling, type TestBilling } from "./billing.fixture.ts";

let billing: TestBilling;
beforeAll(async () => {
  billing = await startTestBilling();
});
afterAll(() => billing.close());

type Event =
  | { readonly kind: "topUp"; readonly mad: number }
  | { readonly kind: "plan"; readonly plan: string; readonly term: string; readonly pays: "at once" | "late" | "never" }
  | { readonly kind: "days"; readonly days: number }
  | { readonly kind: "use"; readonly gb: number }
  | { readonly kind: "budget"; readonly mad: number }
  | { readonly kind: "autoRenew"; readonly enabled: boolean }
  | { readonly kind: "cancel"; readonly cancel: boolean }
  | { readonly kind: "correction"; readonly mad: number }
  | { readonly kind: "runs" }
  | { readonly kind: "killedRun" };

const event: fc.Arbitrary<Event> = fc.oneof(
  fc.record({ kind: fc.constant("topUp" as const), mad: fc.integer({ min: 10, max: 900 }) }),
  fc.record({
    kind: fc.constant("plan" as const),
    plan: fc.constantFrom("FREE", "DEV", "PRO", "TEAM", "AGENCY"),
    term: fc.constantFrom("MONTHLY", "MONTHLY", "QUARTERLY", "ANNUAL"),
    pays: fc.constantFrom("at once" as const, "at once" as const, "late" as const, "never" as const),
  }),
  fc.record({ kind: fc.constant("days" as const), days: fc.double({ min: 0.01, max: 40, noNaN: true }) }),
  fc.record({ kind: fc.constant("use" as const), gb: fc.double({ min: 0, max: 900, noNaN: true }) }),
  fc.record({ kind: fc.constant("budget" as const), mad: fc.integer({ min: 0, max: 500 }) }),
  fc.record({ kind: fc.constant("autoRenew" as const), enabled: fc.boolean() }),
  fc.record({ kind: fc.constant("cancel" as const), cancel: fc.boolean() }),
  fc.record({ kind: fc.constant("correction" as const), mad: fc.integer({ min: -50, max: 50 }) }),
  fc.constant({ kind: "runs" as const }),
  fc.constant({ kind: "killedRun" as const }),
);

let corrections = 0;

async function happen(account: TestAccount, one: Event): Promise<void> {
  const { accountId } = account;
  const { billing: services, database } = billing.api.controlPlane;
  switch (one.kind) {
    case "topUp": {
      const { url } = await must(account.call("POST", "/billing/topup", { amountMad: one.mad }));
      await Promise.all([billing.pay(url), billing.pay(url)]);
      return;
    }
    case "plan": {
      const { url } = await must(account.call("POST", "/billing/plan", { plan: one.plan, term: one.term }));
      if (url === null || one.pays === "never") return;
      if (one.pays === "late") billing.set(new Date(billing.now().getTime() + 3 * dayMs));
      await billing.pay(url);
      await billing.pay(url);
      return;
    }
    case "days":
      return billing.set(new Date(billing.now().getTime() + one.days * dayMs));
    case "use":
      await billing.api.query("select add_usage($1, $2, 'BANDWIDTH', $3)", [
        accountId,
        billing.now(),
        Math.round(one.gb * 1e9),
      ]);
      return;
    case "budget":
      await account.call("PUT", "/billing/overage-budget", { budgetMad: one.mad });
      return;
    case "autoRenew":
      await must(account.call("POST", "/billing/auto-renew", { enabled: one.enabled }));
      return;
    case "cancel":
      await must(account.call("POST", "/billing/cancel", { cancel: one.cancel }));
      return;
    case "correction": {
      corrections += 1;
      const given = {
        accountId,
        amountMinor: one.mad * 100,
        reference: `fix ${corrections}`,
        kind: "ADJUSTMENT" as const,
      };
      // Refused where it is nothing, or would take the credit below zero.
      await services.ledger.addByOperator(given, async () => undefined).catch(() => undefined);
      return;
    }
    case "runs":
      await Promise.all([
        billing.run(accountId),
        billing.run(accountId),
        services.overage.run(),
        services.overage.run(),
      ]);
      return;
    case "killedRun": {
      const killed = database.transaction().execute(async (transaction) => {
        await services.renewals.advanceWithin(transaction, accountId);
        throw new Error("killed");
      });
      await expect(killed).rejects.toThrow("killed");
    }
  }
}

test("whatever happens: the books balance, nothing is below zero, nothing charged twice, no more value than was paid", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(event, { minLength: 5, maxLength: 16 }), async (events) => {
      billing.set("2026-01-31T10:00:00Z");
      const account = await billing.newAccount();
      const { accountId } = account;
      for (const one of events) {
        await happen(account, one);
        const [row] = await billing.api.query(
          `select coalesce((select paid_net_minor from subscriptions where account_id = $1), 0)::bigint as value,
             coalesce((select sum(amount_minor) from ledger_legs where account_id = $1 and book = 'PLAN_SALES'), 0)::bigint as sold`,
          [accountId],
        );
        // What the present period is worth was sold to this account before.
        expect(row.value, JSON.stringify(one)).toBeLessThanOrEqual(row.sold);
      }
      await happen(account, { kind: "runs" });
      const before = await billing.api.query("select count(*)::int as rows from ledger_postings");
      await happen(account, { kind: "runs" });
      expect(await billing.api.query("select count(*)::int as rows from ledger_postings")).toEqual(before);
      const [sums] = await billing.api.query(
        `select coalesce(sum(charged_minor), 0)::bigint as charged,
           (select coalesce(-sum(amount_minor), 0)::bigint from ledger_postings where account_id = $1 and kind = 'OVERAGE_CHARGE') as posted
         from overage_months where account_id = $1`,
        [accountId],
      );
      expect(sums.charged).toBe(sums.posted);
      await checkBooks(billing.api);
    }),
    { numRuns: 4 },
  );
}, 60_000);
