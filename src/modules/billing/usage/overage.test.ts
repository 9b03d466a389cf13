import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import type { TestAccount } from "../../../../tests/api.fixture.ts";
import { newId } from "../../../kernel/ids.ts";
import { checkBooks, must, startTestBilling, type TestBilling } from "../billing.fixture.ts";

let billing: TestBilling;
beforeAll(async () => {
  billing = await startTestBilling();
});
beforeEach(() => billing.set("2026-04-10T12:00:00Z"));
afterAll(async () => {
  await checkBooks(billing.api);
  await billing.close();
});

const run = () => billing.api.controlPlane.billing.overage.run();
const stateOf = (account: TestAccount) => must(account.call("GET", "/billing/overage"));
const meterOf = async (account: TestAccount, meter: string) =>
  (await stateOf(account)).meters.find((one: { meter: string }) => one.meter === meter);
const setBudget = (account: TestAccount, budgetMad: number) =>
  account.call("PUT", "/billing/overage-budget", { budgetMad });
const charges = async (account: TestAccount) =>
  (await must(account.call("GET", "/billing/ledger?limit=100"))).rows.filter(
    (row: { kind: string }) => row.kind === "OVERAGE_CHARGE",
  );

/** As the metering counts it: an hour's row, or more in the same one. */
async function sent({ accountId }: TestAccount, gb: number, hour = billing.now()): Promise<void> {
  await billing.api.query(
    `insert into service_traffic_hours as known values ($1, $1, date_trunc('hour', $2::timestamptz), 1, 0, $3, '{}', '{}')
     on conflict (service_id, hour) do update set bytes_out = known.bytes_out + excluded.bytes_out`,
    [accountId, hour, Math.round(gb * 1e9)],
  );
}

async function built({ accountId }: TestAccount, minutes: number): Promise<void> {
  await billing.api.query("insert into build_usage values ($1, $2, $1, $3, $4)", [
    newId(),
    accountId,
    billing.now(),
    minutes * 60,
  ]);
}

test("usage is added up by the month, with the metering, whatever comes twice into one hour", async () => {
  const account = await billing.newAccount("PRO");
  await sent(account, 100);
  await sent(account, 150.5);
  await sent(account, 7, new Date("2026-03-31T23:00:00Z"));
  await built(account, 12.5);
  expect(await meterOf(account, "BANDWIDTH")).toEqual({
    meter: "BANDWIDTH",
    used: 250.5,
    included: 1000,
    unit: "GB",
    pct: 25.1,
    overageMinor: 0,
    rateMicroSantimat: 50_000_000,
    exhausted: false,
    limitReached: false,
    blocked: false,
    enforcement: "BLOCK",
  });
  expect(await meterOf(account, "BUILD_MINUTES")).toMatchObject({ used: 12.5, unit: "min" });
  expect((await stateOf(account)).meters.map((one: { meter: string }) => one.meter)).not.toContain("LOCAL_BANDWIDTH");
});

test("overage is charged hourly up to the budget, nothing twice, and blocked behind it", async () => {
  const account = await billing.newAccount("PRO");
  await billing.credit(account.accountId, 500);
  await sent(account, 1100); // 100 over: 50.00 net, 60.00 with tax
  await run();
  expect(await charges(account)).toEqual([]); // a budget of 0 is a hard limit
  expect(await meterOf(account, "BANDWIDTH")).toMatchObject({ exhausted: true, limitReached: true, blocked: true });
  expect((await must(setBudget(account, 100))).budgetMinor).toBe(10_000);
  expect(await charges(account)).toMatchObject([
    { amountMinor: -6_000, meter: "BANDWIDTH", quantity: "100.000000", periodStart: "2026-04-01T00:00:00.000Z" },
  ]);
  await Promise.all([run(), run(), run()]);
  expect(await charges(account)).toHaveLength(1);
  expect(await stateOf(account)).toMatchObject({
    enabled: true,
    applies: true,
    eligible: true,
    budgetMinor: 10_000,
    spentMinor: 6_000,
    budgetRemainingMinor: 4_000,
    balanceMinor: 44_000,
    canBuyOverage: true,
  });
  await sent(account, 400); // 250 more MAD, of which 40 are within the budget
  await run();
  const rows = await charges(account);
  const total = rows.reduce((sum: number, row: { amountMinor: number }) => sum + row.amountMinor, 0);
  expect(total).toBe(-10_000);
  expect(await meterOf(account, "BANDWIDTH")).toMatchObject({ limitReached: true, blocked: true });
  expect((await must(account.call("GET", "/account/spend-cap"))).currentSpendMad).toBe(100);
});

test("charges stop at the credit, and at the spend cap", async () => {
  const account = await billing.newAccount("PRO");
  await billing.credit(account.accountId, 10.01);
  await must(setBudget(account, 1000));
  await sent(account, 2000);
  await run();
  const left = (await stateOf(account)).balanceMinor;
  expect(left).toBeGreaterThanOrEqual(0);
  expect(left).toBeLessThanOrEqual(1); // a last santimat that buys nothing with its tax
  const capped = await billing.newAccount("PRO");
  await billing.credit(capped.accountId, 500);
  await must(capped.call("PUT", "/account/spend-cap", { spendCapMad: 30, spendAlertPct: 50 }));
  await must(setBudget(capped, 1000));
  await sent(capped, 2000);
  await run();
  expect(await stateOf(capped)).toMatchObject({ spentMinor: 3_000, canBuyOverage: false });
  expect(billing.told.filter(({ accountId }) => accountId === capped.accountId).map(({ title }) => title)).toContain(
    "50 % of the spend cap is reached",
  );
});

test("the parts of a month add up to its invoice, which is issued once, two days into the next", async () => {
  const account = await billing.newAccount("PRO");
  await billing.credit(account.accountId, 500);
  await must(setBudget(account, 400));
  for (const gb of [1000.01, 0.03, 0.07, 17.333, 0.01]) {
    await sent(account, gb);
    await built(account, 1700);
    await run();
  }
  await sent(account, 5, new Date("2026-04-30T23:30:00Z"));
  billing.set("2026-05-01T06:00:00Z");
  await run();
  expect(billing.invoices.filter(({ accountId }) => accountId === account.accountId)).toEqual([]);
  billing.set("2026-05-03T06:00:00Z");
  await Promise.all([run(), run()]);
  await run();
  const invoices = billing.invoices.filter(({ accountId }) => accountId === account.accountId);
  expect(invoices).toHaveLength(1);
  const lines = invoices[0]?.lines ?? [];
  expect(lines.map(({ meter }) => meter)).toEqual(["BANDWIDTH", "BUILD_MINUTES"]);
  const net = lines.reduce((sum, line) => sum + line.amountMinor, 0);
  const charged = (await charges(account)).reduce(
    (sum: number, row: { amountMinor: number }) => sum - row.amountMinor,
    0,
  );
  expect(net + Math.round(net * 0.2)).toBe(charged);
  expect((await charges(account)).length).toBeGreaterThan(4);
  expect(await stateOf(account)).toMatchObject({ spentMinor: 0 });
});

test("no budget on FREE and SCHOOL; what is no amount is refused", async () => {
  for (const plan of ["FREE", "SCHOOL"]) {
    const refused = await setBudget(await billing.newAccount(plan), 0);
    expect([refused.status, refused.body.error.code], plan).toEqual([403, "plan_restricted"]);
  }
  const account = await billing.newAccount("PRO");
  for (const budgetMad of [-1, 0.001, 1e9, 1e300, null, "100"])
    expect((await setBudget(account, budgetMad as number)).status, String(budgetMad)).toBe(422);
  const raw = await billing.api.call("PUT", "/billing/overage-budget", { key: account.key, raw: '{"budgetMad":NaN}' });
  expect(raw.status).toBe(422);
  expect((await stateOf(account)).budgetMinor).toBe(0);
});

test("used-up build minutes refuse builds with a way out, and a larger plan lets them go on", async () => {
  const account = await billing.newAccount("FREE");
  const { project } = await must(account.call("POST", "/projects", { name: "P" }));
  const { service } = await must(
    account.call("POST", "/services", { projectId: project.id, name: "b", repoUrl: "https://example.com/a" }),
  );
  await built(account, 500);
  const refused = await account.call("POST", `/services/${service.id}/deploy`);
  expect([refused.status, refused.body.error.code]).toEqual([403, "plan_restricted"]);
  expect(refused.body.error.message).toContain("500 min of build minutes");
  await billing.api.query("update accounts set plan = 'DEV' where id = $1", [account.accountId]);
  expect((await account.call("POST", `/services/${service.id}/deploy`)).status).toBe(202);
});

test("80 % and 100 % are told of once; the routes learn of a block, and of its end", async () => {
  const account = await billing.newAccount("FREE");
  const told = () => billing.told.filter(({ accountId }) => accountId === account.accountId).map(({ title }) => title);
  const blocked = () =>
    billing.api.query("select meter from blocked_meters where account_id = $1", [account.accountId]);
  await sent(account, 79);
  await run();
  expect(told()).toEqual([]);
  await sent(account, 2);
  await run();
  await run();
  await sent(account, 19);
  await run();
  await run();
  expect(told()).toEqual(["80 % of the plan's bandwidth are used", "100 % of the plan's bandwidth are used"]);
  expect(await blocked()).toEqual([{ meter: "BANDWIDTH" }]);
  billing.set("2026-05-01T01:00:00Z");
  await run();
  expect(await blocked()).toEqual([]);
});

test("an operator who bills nobody charges and refuses nothing", async () => {
  const free = await startTestBilling({ isBilling: false });
  try {
    const account = await free.newAccount("FREE");
    await free.api.query("insert into usage_months values ($1, $2, 'BUILD_MINUTES', 1000000000000)", [
      account.accountId,
      "2026-01-01",
    ]);
    const { project } = await must(account.call("POST", "/projects", { name: "P" }));
    const body = { projectId: project.id, repoUrl: "https://example.com/a", memoryMb: 65_536, instances: 20 };
    for (let n = 0; n < 3; n += 1) await must(account.call("POST", "/services", { ...body, name: `s${n}` }));
    const state = await must(account.call("GET", "/billing/overage"));
    expect(state).toMatchObject({ enabled: false, applies: false, eligible: false });
    expect(state.meters.every((one: { blocked: boolean; enforcement: string }) => !one.blocked)).toBe(true);
    const { data } = await must(account.call("GET", "/services"));
    expect((await account.call("POST", `/services/${data[0].id}/deploy`)).status).toBe(202);
  } finally {
    await free.close();
  }
});
