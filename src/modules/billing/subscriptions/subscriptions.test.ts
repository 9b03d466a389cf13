import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import type { TestAccount } from "../../../../tests/api.fixture.ts";
import { checkBooks, must, startTestBilling, type TestBilling } from "../billing.fixture.ts";

let billing: TestBilling;
beforeAll(async () => {
  billing = await startTestBilling();
});
beforeEach(() => billing.set("2026-01-15T10:00:00Z"));
afterAll(async () => {
  await checkBooks(billing.api);
  await billing.close();
});

const subscriptionOf = async (account: TestAccount) =>
  (await must(account.call("GET", "/billing/subscription"))).subscription;
const choose = (account: TestAccount, plan: string, term?: string) =>
  must(account.call("POST", "/billing/plan", { plan, ...(term === undefined ? {} : { term }) }));
const buy = async (account: TestAccount, plan: string, term?: string) => {
  const { url } = await choose(account, plan, term);
  await billing.pay(url);
};
const balanceOf = async (account: TestAccount) => (await must(account.call("GET", "/billing/wallet"))).balanceMinor;
const planOf = async ({ accountId }: TestAccount) =>
  (
    await billing.api.query("select plan, suspended_at is not null as suspended from accounts where id = $1", [
      accountId,
    ])
  )[0];
const toldOf = ({ accountId }: TestAccount) =>
  billing.told.filter((one) => one.accountId === accountId).map(({ event }) => event);
const invoicesOf = ({ accountId }: TestAccount) => billing.invoices.filter((one) => one.accountId === accountId);

test("a plan is bought at a checkout: nothing before it is paid, then the plan, an invoice and a statement that adds up", async () => {
  const account = await billing.newAccount();
  expect(await must(account.call("GET", "/billing/subscription"))).toEqual({
    subscription: null,
    hasCustomer: false,
    termsEnabled: true,
  });
  const chosen = await choose(account, "PRO");
  expect(chosen).toEqual({
    url: expect.stringContaining("https://pay.example.com/"),
    carriedDays: 0,
    switched: false,
    currentPeriodEnd: null,
    priceMad: 178.8,
  });
  expect(await subscriptionOf(account)).toBeNull();
  await billing.pay(chosen.url);
  await billing.pay(chosen.url); // a repeated notification
  expect(await must(account.call("GET", "/billing/subscription"))).toEqual({
    subscription: {
      plan: "PRO",
      status: "ACTIVE",
      provider: "test",
      term: "MONTHLY",
      autoRenew: false,
      currentPeriodEnd: "2026-02-15T10:00:00.000Z",
      cancelAtPeriodEnd: false,
      graceUntil: null,
    },
    hasCustomer: true,
    termsEnabled: true,
  });
  expect(await planOf(account)).toEqual({ plan: "PRO", suspended: false });
  const { rows } = await must(account.call("GET", "/billing/ledger"));
  expect(rows.map((row: { kind: string; amountMinor: number }) => [row.kind, row.amountMinor])).toEqual([
    ["PLAN_CHARGE", -17_880],
    ["TOPUP", 17_880],
  ]);
  expect(invoicesOf(account)).toMatchObject([
    { plan: "PRO", term: "MONTHLY", taxRateBp: 2000, lines: [{ amountMinor: 14_900, quantity: 1 }] },
  ]);
  const sides = await billing.api.query(
    "select book, sum(amount_minor)::int as total from ledger_legs where account_id = $1 group by book order by book",
    [account.accountId],
  );
  expect(sides).toEqual([
    { book: "CREDIT", total: 0 },
    { book: "PAYMENTS", total: -17_880 },
    { book: "PLAN_SALES", total: 14_900 },
    { book: "TAX", total: 2_980 },
  ]);
});

test("a dearer plan: what is left of the present one is taken off, in the checkout, the statement and the invoice", async () => {
  const account = await billing.newAccount();
  billing.set("2026-04-01T00:00:00Z");
  await buy(account, "DEV");
  billing.set("2026-04-16T00:00:00Z");
  const chosen = await choose(account, "PRO");
  expect(chosen).toMatchObject({ switched: false, priceMad: 149.4, currentPeriodEnd: "2026-05-01T00:00:00.000Z" });
  expect((await subscriptionOf(account)).plan).toBe("DEV");
  billing.set("2026-04-16T20:00:00Z"); // the offer holds for a day
  await billing.pay(chosen.url);
  expect(await subscriptionOf(account)).toMatchObject({ plan: "PRO", currentPeriodEnd: "2026-05-16T20:00:00.000Z" });
  expect(await balanceOf(account)).toBe(0);
  const { lines, taxRateBp } = invoicesOf(account).at(-1) ?? { lines: [], taxRateBp: 0 };
  const net = lines.reduce((sum, line) => sum + line.amountMinor, 0);
  expect([net, taxRateBp]).toEqual([12_450, 2000]);
});

test("an offer that is paid late, or after the plan was used up, buys at the value of that moment or stays as credit", async () => {
  const account = await billing.newAccount();
  billing.set("2026-04-01T00:00:00Z");
  await buy(account, "DEV");
  const { url } = await choose(account, "PRO"); // DEV's whole value is taken off
  billing.set("2026-04-29T00:00:00Z");
  await billing.pay(url);
  expect((await subscriptionOf(account)).plan).toBe("DEV");
  expect(await balanceOf(account)).toBe(12_000);
  expect(toldOf(account)).toContain("LIMIT_WARNING");
});

test("a cheaper plan of the same term: in force at once, no money, the value becomes days", async () => {
  const account = await billing.newAccount();
  billing.set("2026-04-01T00:00:00Z");
  await buy(account, "PRO");
  billing.set("2026-04-16T00:00:00Z");
  const rows = (await must(account.call("GET", "/billing/ledger"))).rows.length;
  const chosen = await choose(account, "DEV");
  expect(chosen).toMatchObject({ url: null, switched: true, carriedDays: 46.13, priceMad: null });
  expect(await subscriptionOf(account)).toMatchObject({ plan: "DEV", currentPeriodEnd: chosen.currentPeriodEnd });
  expect(await planOf(account)).toMatchObject({ plan: "DEV" });
  expect((await must(account.call("GET", "/billing/ledger"))).rows).toHaveLength(rows);
  // Back and forth never makes more of it.
  const { paid_net_minor: paid } = (
    await billing.api.query("select paid_net_minor from subscriptions where account_id = $1", [account.accountId])
  )[0];
  expect(paid).toBe(7450);
});

test("the same plan again adds a period behind the present one, on the anchor day", async () => {
  const account = await billing.newAccount();
  billing.set("2026-01-31T10:00:00Z");
  await buy(account, "PRO");
  expect((await subscriptionOf(account)).currentPeriodEnd).toBe("2026-02-28T10:00:00.000Z");
  await buy(account, "PRO");
  expect((await subscriptionOf(account)).currentPeriodEnd).toBe("2026-03-31T10:00:00.000Z");
});

test("FREE cancels at the period's end, SCHOOL is not for sale, unsold terms are refused", async () => {
  const account = await billing.newAccount();
  const school = await account.call("POST", "/billing/plan", { plan: "SCHOOL" });
  expect([school.status, school.body.error.code]).toEqual([403, "plan_restricted"]);
  await buy(account, "PRO");
  expect(await choose(account, "FREE")).toEqual({
    url: null,
    carriedDays: 0,
    switched: false,
    currentPeriodEnd: "2026-02-15T10:00:00.000Z",
    priceMad: 0,
  });
  expect((await subscriptionOf(account)).cancelAtPeriodEnd).toBe(true);
  billing.set("2026-02-15T10:00:01Z");
  await billing.run(account.accountId);
  expect(await planOf(account)).toEqual({ plan: "FREE", suspended: false });
  expect((await subscriptionOf(account)).status).toBe("CANCELLED");
});

test("cancel takes effect at the period's end and can be undone", async () => {
  const account = await billing.newAccount();
  const cancel = (wanted: boolean) => must(account.call("POST", "/billing/cancel", { cancel: wanted }));
  expect(await cancel(true)).toEqual({ cancelAtPeriodEnd: false, currentPeriodEnd: null });
  await buy(account, "PRO");
  const end = "2026-02-15T10:00:00.000Z";
  expect(await cancel(true)).toEqual({ cancelAtPeriodEnd: true, currentPeriodEnd: end });
  expect(await cancel(false)).toEqual({ cancelAtPeriodEnd: false, currentPeriodEnd: end });
  await cancel(true);
  billing.set("2026-02-20T00:00:00Z");
  await billing.run(account.accountId);
  expect(await planOf(account)).toMatchObject({ plan: "FREE" });
});

test("auto-renew buys the next period from credit, once, however often the run is repeated", async () => {
  const account = await billing.newAccount();
  await buy(account, "PRO");
  expect(await must(account.call("POST", "/billing/auto-renew", { enabled: true }))).toEqual({ autoRenew: true });
  await billing.credit(account.accountId, 200);
  billing.set("2026-02-15T10:00:00Z");
  await Promise.all(Array.from({ length: 5 }, () => billing.run(account.accountId)));
  expect(await balanceOf(account)).toBe(20_000 - 17_880);
  expect((await subscriptionOf(account)).currentPeriodEnd).toBe("2026-03-15T10:00:00.000Z");
  expect(invoicesOf(account)).toHaveLength(2);
});

test("the spend cap keeps auto-renew from spending", async () => {
  const account = await billing.newAccount();
  await buy(account, "PRO");
  await must(account.call("POST", "/billing/auto-renew", { enabled: true }));
  await billing.credit(account.accountId, 200);
  await must(account.call("PUT", "/account/spend-cap", { spendCapMad: 100, spendAlertPct: 50 }));
  billing.set("2026-02-15T10:00:00Z");
  await billing.run(account.accountId);
  expect(await subscriptionOf(account)).toMatchObject({ status: "PAST_DUE" });
  expect(await balanceOf(account)).toBe(20_000);
  expect((await must(account.call("GET", "/account/spend-cap"))).currentSpendMad).toBe(0);
});

test("unpaid: past due, grace, suspended with its services, and back by credit; grace is paid for, suspension is not", async () => {
  const account = await billing.newAccount();
  const { project } = await must(account.call("POST", "/projects", { name: "P" }));
  const { service } = await must(
    account.call("POST", "/services", { projectId: project.id, name: "s", repoUrl: "https://example.com/a" }),
  );
  await buy(account, "PRO");
  await must(account.call("POST", "/billing/auto-renew", { enabled: true }));
  const states: unknown[] = [];
  for (const day of ["02-08", "02-14T11:00", "02-15T10:00", "02-18T10:00", "02-25T10:00", "03-25T10:00"]) {
    billing.set(`2026-${day}${day.includes("T") ? ":00Z" : "T10:00:00Z"}`);
    await billing.run(account.accountId);
    const { status, graceUntil } = await subscriptionOf(account);
    states.push([status, graceUntil, (await planOf(account)).suspended]);
  }
  const until = "2026-02-25T10:00:00.000Z";
  expect(states).toEqual([
    ["ACTIVE", null, false],
    ["ACTIVE", null, false],
    ["PAST_DUE", until, false],
    ["GRACE", until, false],
    ["GRACE", until, true],
    ["GRACE", until, true],
  ]);
  expect(toldOf(account)).toEqual([
    ...["LIMIT_WARNING", "BILLING_RENEWAL_DUE", "BILLING_RENEWAL_DUE"], // the credit of the payment was spent at once
    ...["BILLING_PAST_DUE", "BILLING_PAST_DUE", "BILLING_PAST_DUE"],
  ]);
  // What is known of a key is believed for half a second.
  const stop = async () => (await account.call("POST", `/services/${service.id}/stop`)).body.error?.code;
  await expect.poll(stop).toBe("account_suspended");
  expect((await account.call("GET", `/services/${service.id}`)).status).toBe(200);
  const rung = await billing.api.query("select 1 from graphile_worker.jobs where key = $1", [
    `runtime.reconcile/${service.id}`,
  ]);
  expect(rung).toHaveLength(1);
  await billing.credit(account.accountId, 178.8);
  await billing.run(account.accountId);
  expect(await planOf(account)).toEqual({ plan: "PRO", suspended: false });
  // Ten days of grace lie in the new period, the 28 of suspension do not.
  expect(await subscriptionOf(account)).toMatchObject({
    status: "ACTIVE",
    graceUntil: null,
    currentPeriodEnd: "2026-04-15T10:00:00.000Z",
  });
});

test("past due is settled by a checkout too, and the period begins where the last one ended", async () => {
  const account = await billing.newAccount();
  await buy(account, "PRO");
  billing.set("2026-02-17T10:00:00Z");
  await billing.run(account.accountId);
  expect((await subscriptionOf(account)).status).toBe("PAST_DUE");
  await buy(account, "PRO");
  expect(await subscriptionOf(account)).toMatchObject({
    status: "ACTIVE",
    currentPeriodEnd: "2026-03-15T10:00:00.000Z",
  });
  billing.set("2026-03-17T10:00:00Z");
  await billing.run(account.accountId);
  expect(await choose(account, "FREE")).toMatchObject({ switched: true, currentPeriodEnd: null });
  expect(await planOf(account)).toEqual({ plan: "FREE", suspended: false });
});

test("the operator gives a plan for a term, until a day, and takes it back", async () => {
  const account = await billing.newAccount();
  const { database, billing: services } = billing.api.controlPlane;
  const give = (plan: string, term: string, until: string | null = null) =>
    database.transaction().execute((transaction) =>
      services.subscriptions.give(transaction, account.accountId, {
        plan,
        term,
        until: until === null ? null : new Date(until),
      }),
    );
  await give("SCHOOL", "ANNUAL");
  expect(await subscriptionOf(account)).toMatchObject({
    plan: "SCHOOL",
    provider: "operator",
    currentPeriodEnd: "2027-01-15T10:00:00.000Z",
  });
  await give("PRO", "MONTHLY", "2026-03-01");
  expect(await subscriptionOf(account)).toMatchObject({ plan: "PRO", currentPeriodEnd: "2026-03-01T00:00:00.000Z" });
  expect(await choose(account, "DEV")).toMatchObject({ switched: true, url: null });
  await give("FREE", "MONTHLY");
  expect(await subscriptionOf(account)).toBeNull();
  for (const [plan, term, until] of [
    ["GOLD", "MONTHLY", null],
    ["PRO", "WEEKLY", null],
    ["PRO", "MONTHLY", "2020-01-01"],
    ["PRO", "MONTHLY", "nonsense"],
  ] as const)
    await expect(give(plan, term, until), plan + term + until).rejects.toMatchObject({ code: "validation_failed" });
});

test("a plan given when the account was made has no end", async () => {
  const account = await billing.newAccount("TEAM");
  expect(await subscriptionOf(account)).toEqual({
    plan: "TEAM",
    status: "ACTIVE",
    provider: "operator",
    term: null,
    autoRenew: false,
    currentPeriodEnd: null,
    cancelAtPeriodEnd: false,
    graceUntil: null,
  });
});

test("a run that dies before its commit leaves nothing, and the next one does it whole", async () => {
  const account = await billing.newAccount();
  await buy(account, "PRO");
  await must(account.call("POST", "/billing/auto-renew", { enabled: true }));
  await billing.credit(account.accountId, 500);
  billing.set("2026-02-15T10:00:00Z");
  const { database, billing: services } = billing.api.controlPlane;
  const killed = database.transaction().execute(async (transaction) => {
    await services.renewals.advanceWithin(transaction, account.accountId);
    throw new Error("killed");
  });
  await expect(killed).rejects.toThrow("killed");
  expect(await balanceOf(account)).toBe(50_000);
  await billing.run(account.accountId);
  expect(await balanceOf(account)).toBe(50_000 - 17_880);
});
