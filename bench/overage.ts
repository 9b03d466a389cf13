/**
 * The hourly run over 10,000 accounts with a service each, of which a tenth is charged, on Ksar's own durable database;
 * against as many postings of one's own, one after the other, each in a transaction of its own. CPU is of this process
 * and of the database's together: on a shared machine it says more than the clock.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type pg from "pg";
import { startKsar } from "../acceptance/ksar.fixture.ts";
import { systemClock } from "../src/kernel/clock.ts";
import { type BillingPorts, createBilling } from "../src/main/billing.ts";
import { readCatalogue } from "../src/modules/billing/catalogue/catalogue.ts";
import { createDatabase, createPool } from "../src/platform/database/database.ts";
import { createLogger } from "../src/platform/log.ts";

const services = 10_000;
const charges = services / 10;

/** Invoices and notices are not measured here. */
const elsewhere: BillingPorts = {
  openCheckout: async () => ({ id: "", url: "" }),
  gateway: { name: "none", canChargeSavedCard: false, chargeSavedCard: async () => null },
  issueInvoice: async () => undefined,
  notify: async () => undefined,
};

export async function run(): Promise<void> {
  const ksar = await startKsar();
  const dataDir = ksar.dataDir;
  const pool = createPool(
    { host: join(dataDir, "run", "pg"), user: "ksar", database: "ksar", max: 4 },
    () => undefined,
  );
  try {
    const accounts = await newAccounts(pool);
    const { overage } = createBilling({
      database: createDatabase(pool),
      clock: systemClock,
      logger: createLogger("bench", "silent"),
      catalogue: readCatalogue(null),
      isBilling: true,
      requestReconcile: async () => undefined,
      record: async () => undefined,
      publicUrl: () => "",
      ports: elsewhere,
    });
    const one = await measure(dataDir, () => postOneByOne(pool, accounts.slice(0, charges)));
    const counted = await measure(dataDir, () => count(pool, accounts));
    const first = await measure(dataDir, () => overage.run());
    const second = await measure(dataDir, () => overage.run());
    const {
      rows: [posted],
    } = await pool.query("select count(*)::int as n from ledger_postings where kind = 'OVERAGE_CHARGE'");
    if (posted?.n !== charges) throw new Error(`${posted?.n} charges were posted, and should have been ${charges}`);
    say(`${charges} postings one by one`, one, one);
    say(`counting ${services} services`, counted, one);
    say(`run with ${charges} charges`, first, one);
    say("run with none", second, one);
  } finally {
    await pool.end();
    await ksar.close();
  }
}

interface Cost {
  readonly seconds: number;
  readonly cpu: number;
}

function say(what: string, cost: Cost, reference: Cost): void {
  const times = (of: number, to: number) => (of / to).toFixed(2);
  console.log(
    `  ${what.padEnd(28)}${cost.seconds.toFixed(2)} s (${times(cost.seconds, reference.seconds)} ×), CPU ${cost.cpu.toFixed(2)} s (${times(cost.cpu, reference.cpu)} ×)`,
  );
}

async function measure(dataDir: string, work: () => Promise<unknown>): Promise<Cost> {
  const began = performance.now();
  const [own, theirs] = [process.cpuUsage(), databaseCpu(dataDir)];
  await work();
  const { user, system } = process.cpuUsage(own);
  return {
    seconds: (performance.now() - began) / 1000,
    cpu: (user + system) / 1e6 + databaseCpu(dataDir) - theirs,
  };
}

/** Of the server and its sessions, in seconds (of 100 ticks); Linux alone, elsewhere 0. */
function databaseCpu(dataDir: string): number {
  let server = "";
  try {
    server = readFileSync(join(dataDir, "postgres", "postmaster.pid"), "utf8").split("\n")[0] ?? "";
  } catch {
    return 0;
  }
  let ticks = 0;
  for (const pid of readdirSync("/proc").filter((name) => /^\d+$/.test(name))) {
    try {
      const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]?.split(" ") ?? [];
      if (pid === server || fields[1] === server) ticks += Number(fields[11]) + Number(fields[12]);
    } catch {
      // It has ended meanwhile.
    }
  }
  return ticks / 100;
}

async function newAccounts(pool: pg.Pool): Promise<readonly string[]> {
  const { rows } = await pool.query(
    `insert into accounts (id, name, slug, plan) select uuidv7(), 'bench', 'bench-' || gen_random_uuid(), 'PRO'
     from generate_series(1, $1::int) returning id`,
    [services],
  );
  const accounts = rows.map((row) => row.id);
  await pool.query(
    `select post_to_ledger(gen_random_uuid(), id, 'seed/' || id, 'TOPUP', 100000, '{CREDIT,PAYMENTS}', '{100000,-100000}',
       null, null, null, 'operator', 'seed', 'Seed', now()) from unnest($1::uuid[]) as id`,
    [accounts],
  );
  await pool.query("update wallets set overage_budget_minor = 50000 where account_id = any($1)", [accounts]);
  return accounts;
}

async function postOneByOne(pool: pg.Pool, accounts: readonly string[]): Promise<void> {
  for (const accountId of accounts) {
    await pool.query(
      `select post_to_ledger(gen_random_uuid(), $1::uuid, 'bench/' || $1::uuid, 'ADJUSTMENT', 100, '{CREDIT,CORRECTIONS}', '{100,-100}',
         null, null, null, null, null, 'Bench', now())`,
      [accountId],
    );
  }
}

/** An hour of everybody's traffic. */
async function count(pool: pg.Pool, accounts: readonly string[]): Promise<void> {
  await pool.query(
    `insert into service_traffic_hours
     select id, gen_random_uuid(), date_trunc('hour', now()), 10, 1000, case when n % 10 = 0 then 2e12 else 1e9 end, '{}', '{}'
     from unnest($1::uuid[]) with ordinality as one (id, n)`,
    [accounts],
  );
}

if (import.meta.main) await run();
