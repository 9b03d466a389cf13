/** How much the real program grows while it exports 1,000,000 audit entries, as CSV and as JSON; at most 64 MB. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import pg from "pg";
import { startKsar } from "../acceptance/ksar.fixture.ts";

const entries = 1_000_000;

export async function run(rows = entries): Promise<void> {
  const ksar = await startKsar({ KSAR_RATE_LIMIT: "100000000" });
  const pool = new pg.Pool({ host: join(ksar.dataDir, "run", "pg"), user: "ksar", database: "ksar", max: 2 });
  try {
    const { accountId, apiKey, must } = await ksar.newAccount();
    await pool.query(
      `insert into audit_entries (id, account_id, action, entity_type, entity_id, actor_name, surface)
       select uuidv7(), $1, 'action-' || n % 40, 'type-' || n % 12, gen_random_uuid(), 'Amina Idrissi', 'API'
       from generate_series(1, $2::int) n`,
      [accountId, rows],
    );
    await pool.query("vacuum analyze audit_entries");
    // What any first requests make it grow by is not the export's.
    for (let n = 0; n < 200; n += 1) await must("GET", "/audit?limit=50");
    for (const format of ["csv", "json"]) {
      const before = memoryOf(ksar.pid);
      let most = before;
      const watch = setInterval(() => {
        most = Math.max(most, memoryOf(ksar.pid));
      }, 50);
      const began = performance.now();
      const response = await fetch(`${ksar.apiUrl}/audit/export?format=${format}`, {
        headers: { authorization: `Bearer ${apiKey}` },
      });
      let bytes = 0;
      for await (const piece of response.body ?? []) bytes += piece.length;
      clearInterval(watch);
      const seconds = (performance.now() - began) / 1000;
      console.log(
        `  ${format.padEnd(4)} ${Math.round(bytes / 1e6)} MB in ${seconds.toFixed(0)} s; the process grew by ${most - before} MB, from ${before} (at most 64)`,
      );
    }
  } finally {
    await pool.end();
    await ksar.close();
  }
}

/** Resident, in MB. */
function memoryOf(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  return Math.round(Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024);
}

if (import.meta.main) await run(Number(process.argv[2] ?? entries));
