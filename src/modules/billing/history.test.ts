/** Random histories of an account's money, with repeated notifications, repeated runs and runs that die in the middle. */
import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { TestAccount } from "../../../tests/api.fixture.ts";
import { addMonths, dayMs, monthStart } from "../../kernel/billing-period.ts";
import { DomainError } from "../../kernel/errors.ts";
import { newId } from "../../kernel/ids.ts";
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
  /** Of the account's payments, or invoices, one; `part` of it, and what a person asks for twice. */
  | { readonly kind: "refund" | "creditNote"; readonly which: number; readonly part: number | null }
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
  fc.record({
    kind: fc.constantFrom("refund" as const, "creditNote" as const, "creditNote" as const),
    which: fc.nat({ max: 20 }),
    part: fc.option(fc.double({ min: 0.001, max: 1.2, noNaN: true })),
  }),
  fc.constant({ kind: "runs" as const }),
  fc.constant({ kind: "killedRun" as const }),
);

let corrections = 0;

/** Refused where there is nothing, or no credit, to give back; anything else is a mistake of ours. */
const refusable = async (deed: Promise<unknown>) => {
  await deed.catch((error: unknown) => {
    if (!(error instanceof DomainError) || error.code !== "conflict") throw error;
  });
};

async function refund({ accountId }: TestAccount, which: number, part: number | null): Promise<void> {
  const { billing: services, refunds } = billing.api.controlPlane;
  const payments = await billing.api.query(
    "select id from ledger_postings where account_id = $1 and kind = 'TOPUP' order by position",
    [accountId],
  );
  const payment = await services.ledger.findPayment({ id: payments[which % payments.length]?.id ?? newId() }, []);
  if (payment === null) return;
  const amount = part === null ? null : Math.round(payment.amountMinor * part);
  corrections += 1;
  const reference = `refund ${corrections}`;
  await Promise.all([1, 2].map(() => refusable(refunds.refunds.refund(payment, amount, reference))));
}

async function creditNote({ accountId }: TestAccount, which: number, part: number | null): Promise<void> {
  const { billing: services, payments, database } = billing.api.controlPlane;
  const invoices = await billing.api.query(
    "select number, subtotal_minor as net from invoices where account_id = $1 and kind = 'INVOICE' order by number",
    [accountId],
  );
  const invoice = invoices[which % invoices.length];
  if (invoice === undefined) return;
  corrections += 1;
  const asked = {
    reason: "Panne",
    reference: `note ${corrections}`,
    amountMinor: part === null ? null : Math.round(invoice.net * part),
  };
  const credit = (isKilled: boolean) =>
    database.transaction().execute(async (transaction) => {
      await payments.invoices.credit(transaction, invoice.number, asked, (note) =>
        services.corrections.giveBack(transaction, note),
      );
      if (isKilled) throw new DomainError("conflict", "killed");
    });
  await Promise.all([true, false, false].map((isKilled) => refusable(credit(isKilled))));
}

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
    case "refund":
      return refund(account, one.which, one.part);
    case "creditNote":
      return creditNote(account, one.which, one.part);
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
      // Two days into the next month the last one is invoiced: then the invoices are what the books say was sold.
      billing.set(new Date(addMonths(monthStart(billing.now()), 1).getTime() + 3 * dayMs));
      await happen(account, { kind: "runs" });
      await checkPapers(accountId);
      await checkBooks(billing.api);
    }),
    { numRuns: 4 },
  );
}, 90_000);

async function checkPapers(accountId: string): Promise<void> {
  const { query } = billing.api;
  const [papers] = await query(
    `select coalesce((select sum(total_minor) from invoices where account_id = $1), 0)::bigint as papers,
       coalesce((select sum(amount_minor) from ledger_legs where account_id = $1 and book in ('PLAN_SALES', 'OVERAGE_SALES', 'TAX')), 0)::bigint as books,
       coalesce((select least(sum(amount_minor) filter (where book = 'PLAN_SALES'), 0) from ledger_legs where account_id = $1), 0)::bigint as below,
       -- What came in, less what went back.
       coalesce((select -sum(amount_minor) from ledger_legs where account_id = $1 and book = 'PAYMENTS'), 0)::bigint as kept`,
    [accountId],
  );
  expect(papers.papers).toBe(papers.books);
  expect(papers.below).toBe(0);
  expect(papers.kept).toBeGreaterThanOrEqual(0);
  const gaps = await query(
    `select series from (select left(number, 6) as series, count(*)::int as n, max(right(number, 6)::int) as last
     from invoices where number is not null group by 1) as series where n <> last`,
  );
  expect(gaps).toEqual([]);
  const tooMuch = await query(
    `select i.number from invoices i join invoices note on note.corrects_id = i.id
     group by i.id having i.total_minor + sum(note.total_minor) < 0 or i.tax_minor + sum(note.tax_minor) < 0`,
  );
  expect(tooMuch).toEqual([]);
  const tooMuchBack = await query(
    `select p.id from ledger_postings p join refunds r on r.payment_id = p.id and r.status <> 'REFUSED'
     group by p.id having sum(r.amount_minor) > p.amount_minor`,
  );
  expect(tooMuchBack).toEqual([]);
}
