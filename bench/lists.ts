/**
 * What a page of a list costs at 1,000,000 rows against 1,000, first page and one deep inside, with each filter; and how
 * much the process grows while it exports 1,000,000 audit entries. Straight through the pipeline, without a socket.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import pg from "pg";
import { startKsar } from "../acceptance/ksar.fixture.ts";

const few = 1_000;
const many = 1_000_000;
const requests = 400;

export async function run(): Promise<void> {
  const ksar = await startKsar({ KSAR_RATE_LIMIT: "100000000" });
  const pool = new pg.Pool({ host: join(ksar.dataDir, "run", "pg"), user: "ksar", database: "ksar", max: 2 });
  try {
    const [small, large] = [await ksar.newAccount(), await ksar.newAccount()];
    await fill(pool, small.accountId, few);
    await fill(pool, large.accountId, many);
    await pool.query("vacuum analyze audit_entries, activity_events");
    for (const [what, path] of [
      ["audit", "/audit?limit=50"],
      ["audit, by type", "/audit?limit=50&entityType=type-3"],
      ["audit, by action", "/audit?limit=50&action=action-7"],
      ["audit, entity types", "/audit/entity-types"],
      ["activity", "/activity?limit=20"],
    ] as const) {
      for (const deep of what === "audit" || what === "activity" ? [false, true] : [false]) {
        const paths = await Promise.all(
          [small, large].map(async (one) =>
            deep ? path + (await cursorInside(pool, one.accountId, what === "audit")) : path,
          ),
        );
        const times: number[][] = [[], []];
        for (let n = 0; n < requests; n++) {
          for (const [index, account] of [small, large].entries()) {
            const began = performance.now();
            await account.must("GET", paths[index] ?? path);
            if (n >= requests / 10) times[index]?.push(performance.now() - began);
          }
        }
        const [one = 0, other = 0] = times.map(p99);
        const name = `${what}${deep ? ", in the middle" : ""}`;
        console.log(
          `  ${name.padEnd(24)} p99 ${other.toFixed(2)} ms at 1,000,000, ${one.toFixed(2)} at 1,000: ${(other / one).toFixed(2)}`,
        );
      }
    }
    const before = memoryOf(ksar.pid);
    let most = before;
    const watch = setInterval(() => {
      most = Math.max(most, memoryOf(ksar.pid));
    }, 50);
    const response = await fetch(`${ksar.apiUrl}/audit/export?format=csv`, {
      headers: { authorization: `Bearer ${large.apiKey}` },
    });
    let bytes = 0;
    for await (const piece of response.body ?? []) bytes += piece.length;
    clearInterval(watch);
    console.log(`  export of 1,000,000      ${Math.round(bytes / 1e6)} MB; the process grew by ${most - before} MB`);
  } finally {
    await pool.end();
    await ksar.close();
  }
}

async function fill(pool: pg.Pool, accountId: string, rows: number): Promise<void> {
  await pool.query(
    `insert into audit_entries (id, account_id, action, entity_type, entity_id, surface)
     select uuidv7(), $1, 'action-' || n % 40, 'type-' || n % 12, gen_random_uuid(), 'API' from generate_series(1, $2::int) n`,
    [accountId, rows],
  );
  await pool.query(
    `insert into activity_events (id, account_id, action, entity_type, entity_id)
     select uuidv7(), $1, 'action-' || n % 40, 'type-' || n % 12, gen_random_uuid() from generate_series(1, $2::int) n`,
    [accountId, rows],
  );
}

async function cursorInside(pool: pg.Pool, accountId: string, isAudit: boolean): Promise<string> {
  const table = isAudit ? "audit_entries" : "activity_events";
  const { rows } = await pool.query(
    `select id from ${table} where account_id = $1 order by id offset (select count(*) / 2 from ${table} where account_id = $1) limit 1`,
    [accountId],
  );
  const { id } = rows[0];
  return `&cursor=${isAudit ? id : Buffer.from(id).toString("base64url")}`;
}

function p99(times: readonly number[]): number {
  return times.toSorted((a, b) => a - b)[Math.floor(times.length * 0.99)] ?? Number.NaN;
}

/** Resident, in MB. */
function memoryOf(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  return Math.round(Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024);
}

if (import.meta.main) await run();
