/**
 * Money through the real program: the operator's commands, a broken catalogue, kill -9 in the middle of a billing run, and
 * traffic that uses an allowance up: counted while the other tests run, then refused, bought, and served again.
 */
import { randomBytes } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type GitServer, startGitServer } from "../tests/git-server.fixture.ts";
import { type Account, type Json, type Ksar, startKsar, until } from "./ksar.fixture.ts";

let ksar: Ksar;
let git: GitServer;
let agency: Account;
let site: Json;
const folder = mkdtempSync(join(tmpdir(), "ksar-catalogue-"));
const catalogueFile = join(folder, "catalogue.json");
const catalogue = JSON.parse(
  readFileSync(join(import.meta.dirname, "../src/modules/billing/catalogue/catalogue.json"), "utf8"),
);
// A residency tier that includes a megabyte; the next one costs 10 MAD.
catalogue.plans.AGENCY.allowances.LOCAL_BANDWIDTH = { included: 0.001, enforcement: "BLOCK" };
catalogue.overage.ratesMicroSantimat.LOCAL_BANDWIDTH = 1_000_000_000_000;

beforeAll(async () => {
  writeFileSync(catalogueFile, JSON.stringify(catalogue));
  [ksar, git] = await Promise.all([startKsar({ KSAR_CATALOG: catalogueFile }), startGitServer()]);
});
afterAll(async () => {
  await Promise.all([ksar?.close(), git?.close()]);
  rmSync(folder, { recursive: true, force: true });
});

/** The embedded database, as an operator may look into it. */
async function query(text: string, ...values: readonly unknown[]): Promise<Json[]> {
  const client = new pg.Client({ host: join(ksar.dataDir, "run", "pg"), user: "ksar", database: "ksar" });
  await client.connect();
  try {
    return (await client.query(text, [...values])).rows;
  } finally {
    await client.end();
  }
}

const credit = (account: Account, mad: string, reference: string, ...more: string[]) =>
  ksar.cli(
    ...["admin", "credit", "add", "--account", account.accountId, "--amount-mad", mad, "--reference", reference],
    ...more,
    "--json",
  );
const walletOf = (account: Account) => account.must("GET", "/billing/wallet");

test("traffic on a residency tier, for the edge to count", async () => {
  agency = await ksar.newAccount();
  const given = await ksar.cli(
    "admin",
    "plan",
    "set",
    "--account",
    agency.accountId,
    "--plan",
    "AGENCY",
    "--term",
    "MONTHLY",
  );
  expect(given.code).toBe(0);
  const big = randomBytes(300_000).toString("hex");
  const repository = await git.addRepository("site", { "index.html": "<h1>site</h1>", "big.txt": big });
  site = await agency.newService({ name: "site", repoUrl: repository.url, type: "STATIC" });
  expect((await agency.deploy(site.id)).status).toBe("LIVE");
  for (let n = 0; n < 3; n += 1)
    expect((await ksar.visit(site.url, { path: "/big.txt" })).text).toHaveLength(big.length);
});

test("ksar admin credit add: once for a reference, corrections down to zero, mistakes named", async () => {
  const account = await ksar.newAccount();
  for (let n = 0; n < 2; n += 1) {
    const added = await credit(account, "250.50", "transfer 7");
    expect([added.code, JSON.parse(added.stdout)]).toMatchObject([0, { added: n === 0, balanceMinor: 25_050 }]);
  }
  expect(await walletOf(account)).toMatchObject({ balanceMinor: 25_050, status: "HEALTHY" });
  expect((await credit(account, "-250", "typo", "--kind", "ADJUSTMENT")).code).toBe(0);
  expect(await walletOf(account)).toMatchObject({ balanceMinor: 50, status: "LOW" });
  const refused = await credit(account, "1.234", "decimals");
  expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining('--amount-mad is "1.234"')]);
  expect((await account.must("GET", "/billing/ledger")).rows).toHaveLength(2);
  const { items } = await account.must("GET", "/audit?action=credit.add");
  expect(items).toHaveLength(2);
});

test("ksar admin plan set gives a plan and its limits at once", async () => {
  const account = await ksar.newAccount();
  const set = (...more: string[]) =>
    ksar.cli("admin", "plan", "set", "--account", account.accountId, ...more, "--json");
  expect((await set("--plan", "PRO", "--term", "ANNUAL")).code).toBe(0);
  expect((await account.must("GET", "/billing/subscription")).subscription).toMatchObject({
    plan: "PRO",
    status: "ACTIVE",
    term: "ANNUAL",
  });
  expect(await account.must("PUT", "/billing/overage-budget", { budgetMad: 50 })).toEqual({ budgetMinor: 5000 });
  expect((await account.must("GET", "/account")).account.plan).toBe("PRO");
});

test("kill -9 in the middle of a billing run: everybody is renewed once, nobody twice", async () => {
  const count = 200;
  await query(
    `with made as (
       insert into accounts (id, name, slug, plan) select gen_random_uuid(), 'Run', 'run-' || n, 'DEV' from generate_series(1, $1::int) n returning id
     )
     insert into subscriptions (account_id, plan, term, status, period_start, period_end, anchor_day, paid_net_minor, reminders, next_at, created_at)
     select id, 'DEV', 'MONTHLY', 'ACTIVE', now() - interval '40 days', now() - interval '10 minutes', 1, 4900, 2, null, now() from made`,
    count,
  );
  await query(
    `select post_to_ledger(gen_random_uuid(), account_id, 'seed/' || account_id, 'TOPUP', 10000, '{CREDIT,PAYMENTS}', '{10000,-10000}',
       null, null, null, 'operator', 'seed', 'Seed', now()) from subscriptions join accounts on accounts.id = account_id where name = 'Run'`,
  );
  await query("update wallets set auto_renew = true where account_id in (select id from accounts where name = 'Run')");
  await query(
    "update subscriptions set next_at = now() where account_id in (select id from accounts where name = 'Run')",
  );
  const renewed = async () =>
    (await query("select count(*)::int as n from ledger_postings where business_key like 'renewal/%'"))[0].n;
  await until(async () => (await renewed()) > 20, "the run", 60);
  await ksar.kill("SIGKILL");
  await ksar.restart();
  await until(async () => (await renewed()) >= count, "the rest of the run", 60);
  const rows = await query(
    `select count(*)::int as accounts, min(balance_minor)::int as least, max(balance_minor)::int as most, max(postings)::int as postings
     from wallets join accounts on accounts.id = account_id where name = 'Run'`,
  );
  expect(rows).toEqual([{ accounts: count, least: 10_000 - 5_880, most: 10_000 - 5_880, postings: 2 }]);
  expect(await query("select 1 from ledger_legs group by posting_id having sum(amount_minor) <> 0")).toEqual([]);
});

test("traffic past the allowance is refused, bought with a budget and credit, and served again", async () => {
  const visit = () => ksar.visit(site.url);
  const local = async () => {
    const { meters } = await agency.must("GET", "/billing/overage");
    return meters.find(({ meter }: Json) => meter === "LOCAL_BANDWIDTH");
  };
  // Asked of the API: every visit is use.
  await until(async () => (await local()).blocked, "the allowance to be used up", 60);
  const refused = await until(async () => {
    const page = await visit();
    return page.status === 509 && page;
  }, "the edge to refuse");
  expect(refused.text).toContain("limit");
  const { meters } = await agency.must("GET", "/billing/overage");
  expect(meters[0]).toMatchObject({ meter: "BANDWIDTH", used: 0 });
  expect(await local()).toMatchObject({ used: 0.002, exhausted: true, blocked: true, enforcement: "BLOCK" });

  const { url } = await agency.must("POST", "/billing/topup", { amountMad: 100 });
  await (await fetch(url, { method: "POST", body: new URLSearchParams({ outcome: "pay" }) })).text();
  expect((await walletOf(agency)).balanceMinor).toBe(10_000);
  expect((await visit()).status).toBe(509); // credit alone buys nothing
  await agency.must("PUT", "/billing/overage-budget", { budgetMad: 60 });
  await until(async () => (await visit()).status === 200, "the edge to serve again");
  const [charge] = (await agency.must("GET", "/billing/ledger")).rows;
  expect(charge).toMatchObject({ kind: "OVERAGE_CHARGE", meter: "LOCAL_BANDWIDTH" });
  // 800 kB, and what heads and the refusals took: 8 MAD and a little, with tax.
  expect(charge.amountMinor).toBeLessThanOrEqual(-960);
  expect(charge.amountMinor).toBeGreaterThan(-1_100);
  expect(await local()).toMatchObject({ exhausted: true, blocked: false, limitReached: false });
  expect((await agency.must("GET", "/billing/overage")).spentMinor).toBe(-charge.amountMinor);
});

test("a broken catalogue stops the start with the field's name; a right one is in force", async () => {
  const account = await ksar.newAccount();
  await ksar.kill("SIGTERM");
  writeFileSync(catalogueFile, JSON.stringify({ ...catalogue, taxRateBp: "20 %" }));
  const refused = await ksar.cli("up", "--json");
  expect([refused.code, refused.stderr]).toEqual([
    1,
    expect.stringContaining(`In ${catalogueFile}, "taxRateBp" must be integer`),
  ]);
  catalogue.plans.FREE.allowances.BANDWIDTH.included = 7;
  writeFileSync(catalogueFile, JSON.stringify(catalogue));
  await ksar.restart();
  const { meters } = await account.must("GET", "/billing/overage");
  expect(meters[0]).toMatchObject({ meter: "BANDWIDTH", included: 7 });
});
