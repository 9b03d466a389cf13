/** Traffic on a residency tier (the shipped catalogue's is AGENCY), and moves between it and other plans. */
import fc from "fast-check";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import type { TestAccount } from "../../../../tests/api.fixture.ts";
import { checkBooks, must, startTestBilling, type TestBilling } from "../billing.fixture.ts";
import { readCatalogue, residencyTiers } from "../catalogue/catalogue.ts";
import { rate } from "./rating.ts";

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
const move = ({ accountId }: TestAccount, plan: string) =>
  billing.api.query("update accounts set plan = $2 where id = $1", [accountId, plan]);
const sent = ({ accountId }: TestAccount, gb: number) =>
  billing.api.query(
    `insert into service_traffic_hours as known values ($1, $1, date_trunc('hour', $2::timestamptz), 1, 0, $3, '{}', '{}')
     on conflict (service_id, hour) do update set bytes_out = known.bytes_out + excluded.bytes_out`,
    [accountId, billing.now(), Math.round(gb * 1e9)],
  );
const stateOf = (account: TestAccount) => must(account.call("GET", "/billing/overage"));
const usedOf = async (account: TestAccount): Promise<Record<string, number>> =>
  Object.fromEntries(
    (await stateOf(account)).meters.map(({ meter, used }: { meter: string; used: number }) => [meter, used]),
  );
const charges = async (account: TestAccount) =>
  (await must(account.call("GET", "/billing/ledger?limit=100"))).rows
    .filter(({ kind }: { kind: string }) => kind === "OVERAGE_CHARGE")
    .map(({ meter, amountMinor }: { meter: string; amountMinor: number }) => [meter, amountMinor]);

test("on a residency tier traffic is local bandwidth, with an allowance and a rate of its own; elsewhere there is no such meter", async () => {
  expect(residencyTiers(billing.catalogue)).toEqual(["AGENCY"]);
  const [here, elsewhere] = [await billing.newAccount("AGENCY"), await billing.newAccount("TEAM")];
  for (const account of [here, elsewhere]) {
    await billing.credit(account.accountId, 1000);
    await must(account.call("PUT", "/billing/overage-budget", { budgetMad: 500 }));
    await sent(account, 5000);
    await sent(account, 5100);
  }
  await run();
  expect(await usedOf(here)).toMatchObject({ BANDWIDTH: 0, LOCAL_BANDWIDTH: 10_100 });
  expect((await stateOf(here)).meters.at(-1)).toEqual({
    meter: "LOCAL_BANDWIDTH",
    used: 10_100,
    included: 10_000,
    unit: "GB",
    pct: 101,
    overageMinor: 9_600, // 100 GB at 0.80 MAD, and tax
    rateMicroSantimat: 80_000_000,
    exhausted: true,
    limitReached: false,
    blocked: false,
    enforcement: "WARN",
  });
  expect(await charges(here)).toEqual([["LOCAL_BANDWIDTH", -9_600]]);
  expect(billing.told.filter(({ accountId }) => accountId === here.accountId).map(({ title }) => title)).toContain(
    "100 % of the plan's local bandwidth are used",
  );
  expect(Object.keys(await usedOf(elsewhere))).not.toContain("LOCAL_BANDWIDTH");
  expect((await charges(elsewhere)).map(([meter]: [string]) => meter)).toEqual(["BANDWIDTH"]);
});

test("moving on and off the tier: each byte is counted once, and what was charged is not charged again", async () => {
  const account = await billing.newAccount("PRO");
  await billing.credit(account.accountId, 10_000);
  await must(account.call("PUT", "/billing/overage-budget", { budgetMad: 8000 }));
  await sent(account, 900);
  await move(account, "AGENCY");
  await sent(account, 10_200); // into the same hour's row: only what is new is local
  expect(await usedOf(account)).toMatchObject({ BANDWIDTH: 900, LOCAL_BANDWIDTH: 10_200 });
  await run();
  expect(await charges(account)).toEqual([["LOCAL_BANDWIDTH", -19_200]]);
  await move(account, "PRO");
  // Nothing is lost: off the tier all of it is bandwidth, of which 1,000 GB are included. 10,100 × 0.50 − 160 charged.
  expect(await usedOf(account)).toMatchObject({ BANDWIDTH: 11_100 });
  await run();
  await run();
  const after = await charges(account);
  expect(after).toEqual([
    ["BANDWIDTH", expect.any(Number)],
    ["LOCAL_BANDWIDTH", -19_200],
  ]);
  expect(after[0][1]).toBe(-((505_000 - 16_000) * 120) / 100);
  // Back again there is less to pay for than was paid.
  await move(account, "AGENCY");
  await run();
  expect(await charges(account)).toEqual(after);
  await sent(account, 1);
  await run();
  expect(await charges(account)).toEqual(after);
});

test("whatever the moves: all bytes are counted, and charged is the most that the month has cost, never a sum of plans", async () => {
  const step = fc.record({
    plan: fc.constantFrom("DEV", "PRO", "AGENCY", "AGENCY"),
    gb: fc.integer({ min: 0, max: 6_000 }),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 2, maxLength: 7 }), async (steps) => {
      const account = await billing.newAccount("PRO");
      await billing.credit(account.accountId, 1_000_000);
      await must(account.call("PUT", "/billing/overage-budget", { budgetMad: 1_000_000 }));
      let [bandwidth, local, most] = [0, 0, 0];
      for (const { plan, gb } of steps) {
        await move(account, plan);
        await sent(account, gb);
        await Promise.all([run(), run()]);
        const isLocal = plan === "AGENCY";
        if (isLocal) local += gb;
        else bandwidth += gb;
        const { BANDWIDTH, LOCAL_BANDWIDTH } = readCatalogue(null).plans[plan].allowances;
        const over = (used: number, included: number) => Math.max(0, used - included) * 1e9;
        const cost = isLocal
          ? rate("BANDWIDTH", over(bandwidth, BANDWIDTH.included ?? 0), 50_000_000) +
            rate("LOCAL_BANDWIDTH", over(local, LOCAL_BANDWIDTH?.included ?? 0), 80_000_000)
          : rate("BANDWIDTH", over(bandwidth + local, BANDWIDTH.included ?? 0), 50_000_000);
        most = Math.max(most, cost);
        const [row] = await billing.api.query(
          `select coalesce((select sum(amount)::bigint from usage_months where account_id = $1), 0) as bytes,
             coalesce((select net_minor from overage_months where account_id = $1), 0) as net,
             coalesce((select sum(net_minor)::bigint from overage_meters where account_id = $1), 0) as parts`,
          [account.accountId],
        );
        expect(row).toEqual({ bytes: (bandwidth + local) * 1e9, net: most, parts: most });
      }
    }),
    { numRuns: 8 },
  );
});

test("between two runs a line that is come to is dealt with, and each santimat is not", async () => {
  const { overage } = billing.api.controlPlane.billing;
  const [free, paying] = [await billing.newAccount("FREE"), await billing.newAccount("PRO")];
  const look = () => overage.look([free.accountId, paying.accountId]);
  const blocked = ({ accountId }: TestAccount) =>
    billing.api.query("select meter from blocked_meters where account_id = $1", [accountId]);
  await billing.credit(paying.accountId, 100);
  await must(paying.call("PUT", "/billing/overage-budget", { budgetMad: 60 }));
  await sent(free, 99);
  await sent(paying, 1000);
  await look();
  expect([await blocked(free), await charges(paying)]).toEqual([[], []]);
  await sent(free, 1);
  await sent(paying, 5);
  await look();
  expect([await blocked(free), await charges(paying)]).toEqual([[{ meter: "BANDWIDTH" }], []]);
  await sent(paying, 200);
  await look();
  // The budget is spent: charged at once, up to it, and blocked behind it.
  expect([await blocked(paying), await charges(paying)]).toEqual([[{ meter: "BANDWIDTH" }], [["BANDWIDTH", -6_000]]]);
});

test("one account that can't be charged holds up no other", async () => {
  const [broken, fine] = [await billing.newAccount("PRO"), await billing.newAccount("PRO")];
  for (const account of [broken, fine]) {
    await billing.credit(account.accountId, 100);
    await must(account.call("PUT", "/billing/overage-budget", { budgetMad: 50 }));
    await sent(account, 1010);
  }
  const { query } = billing.api;
  await query(`create function refuse_one() returns trigger language plpgsql as $$ begin
    if new.account_id = '${broken.accountId}' then raise 'broken'; end if; return new; end $$`);
  await query("create trigger refuse_one before insert on ledger_postings for each row execute function refuse_one()");
  await expect(run()).rejects.toThrow("1 accounts could not be charged");
  await query("drop trigger refuse_one on ledger_postings");
  expect([await charges(broken), await charges(fine)]).toEqual([[], [["BANDWIDTH", -600]]]);
  await run();
  expect(await charges(broken)).toEqual([["BANDWIDTH", -600]]);
});
