/**
 * The ledger, on Ksar's own durable database: postings a second against bare inserts of the same rows (no double entry, no
 * wallet, no checks), with as many clients; the same on one wallet; a page of the statement at 1,000,000 rows against
 * 1,000.
 */
import { randomUUID } from "node:crypto";
import { join } from "node:path";
import pg from "pg";
import { type Account, startKsar } from "../acceptance/ksar.fixture.ts";

const clients = 32;
const seconds = 4;
const requests = 300;

export async function run(): Promise<void> {
  const ksar = await startKsar({ KSAR_RATE_LIMIT: "100000000" });
  const connection = { host: join(ksar.dataDir, "run", "pg"), user: "ksar", database: "ksar" };
  const pool = new pg.Pool({ ...connection, max: clients });
  try {
    const account = await ksar.newAccount();
    const accounts = await newAccounts(pool, 500);
    await pool.query(`create table bare_postings (like ledger_postings including defaults including indexes)`);
    const one = () => accounts[Math.floor(Math.random() * accounts.length)] ?? account.accountId;
    await rateOf(pool, bare, one, 1);
    const bareRate = await rateOf(pool, bare, one);
    const posted = await rateOf(pool, post, one);
    const hot = await rateOf(pool, post, () => account.accountId);
    await pool.query("create table bare_row (id int primary key, n bigint); insert into bare_row values (1, 0)");
    const bareHot = await rateOf(pool, bareUpdate, one);
    const share = (rate: number) => (rate / bareRate).toFixed(2);
    console.log(`  bare inserts             ${Math.round(bareRate)}/s, ${clients} clients`);
    console.log(`  postings, 500 wallets    ${Math.round(posted)}/s: ${share(posted)} of bare inserts`);
    console.log(`  bare updates of one row  ${Math.round(bareHot)}/s`);
    console.log(
      `  postings, one wallet     ${Math.round(hot)}/s: ${(hot / bareHot).toFixed(2)} of bare updates of one row`,
    );
    await statements(pool, await ksar.newAccount(), await ksar.newAccount());
  } finally {
    await pool.end();
    await ksar.close();
  }
}

async function newAccounts(pool: pg.Pool, count: number): Promise<readonly string[]> {
  const { rows } = await pool.query(
    `insert into accounts (id, name, slug, plan) select uuidv7(), 'bench', 'bench-' || gen_random_uuid(), 'PRO'
     from generate_series(1, $1::int) returning id`,
    [count],
  );
  return rows.map((row) => row.id);
}

type Insert = (pool: pg.Pool, accountId: string) => Promise<unknown>;

const post: Insert = (pool, accountId) =>
  pool.query({
    name: "post",
    text: `select outcome from post_to_ledger($1, $2, $3, 'TOPUP', 100, '{CREDIT,PAYMENTS}', '{100,-100}',
      null, null, null, 'bench', $3, 'Bench', now())`,
    values: [randomUUID(), accountId, `bench/${randomUUID()}`],
  });

const bare: Insert = (pool, accountId) =>
  pool.query({
    name: "bare",
    text: `insert into bare_postings values ($1, $2, $4, $3, 'TOPUP', 100, 100, null, null, null, 'bench', $3, 'Bench', now(),
      '{CREDIT,PAYMENTS}', '{100,-100}')`,
    values: [randomUUID(), accountId, `bench/${randomUUID()}`, Math.floor(Math.random() * 2 ** 50)],
  });

/** What one row bears: its lock is held until the commit is on the disk. */
const bareUpdate: Insert = (pool) => pool.query({ name: "row", text: "update bare_row set n = n + 1 where id = 1" });

async function rateOf(pool: pg.Pool, insert: Insert, account: () => string, forSeconds = seconds): Promise<number> {
  const began = performance.now();
  const end = began + forSeconds * 1000;
  let done = 0;
  const client = async () => {
    while (performance.now() < end) {
      await insert(pool, account());
      done += 1;
    }
  };
  await Promise.all(Array.from({ length: clients }, client));
  return (done * 1000) / (performance.now() - began);
}

async function statements(pool: pg.Pool, small: Account, large: Account): Promise<void> {
  for (const [account, rows] of [
    [small, 1_000],
    [large, 1_000_000],
  ] as const)
    await fill(pool, account.accountId, rows);
  await pool.query("vacuum analyze ledger_postings");
  const times: number[][] = [[], []];
  for (let n = 0; n < requests; n++) {
    for (const [index, account] of [small, large].entries()) {
      const began = performance.now();
      await account.must("GET", "/billing/ledger");
      if (n >= requests / 10) times[index]?.push(performance.now() - began);
    }
  }
  const [one = 0, other = 0] = times.map((list) => list.toSorted((a, b) => a - b)[Math.floor(list.length * 0.99)] ?? 0);
  console.log(
    `  statement page           p99 ${other.toFixed(2)} ms at 1,000,000 rows, ${one.toFixed(2)} at 1,000: ${(other / one).toFixed(2)}`,
  );
}

async function fill(pool: pg.Pool, accountId: string, rows: number): Promise<void> {
  await pool.query(
    `insert into ledger_postings select uuidv7(), $1::uuid, n, $1::text || '/' || n, 'TOPUP', 1, n, null, null, null, null, null, 'Filled', now(), '{CREDIT,PAYMENTS}', array[1, -1]
     from generate_series(1, $2::int) n`,
    [accountId, rows],
  );
}

if (import.meta.main) await run();
