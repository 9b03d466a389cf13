/**
 * How late 10,000 cron jobs are queued that are due in the same minute, against the 2 s that are promised; and what 100,000
 * jobs that are not due cost while nothing happens, against the same program without them.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import pg from "pg";
import { startKsar, until } from "../acceptance/ksar.fixture.ts";
import { childrenOf, processesWith } from "../tests/processes.fixture.ts";

const due = 10_000;
const idle = 100_000;
const promisedMs = 2000;
const watchedMs = 30_000;
/** Clock ticks of /proc a second, everywhere on Linux. */
const ticks = 100;

export async function run(): Promise<void> {
  // One at a time: what is measured is the queueing, not ten thousand processes.
  const ksar = await startKsar({ KSAR_MAX_CRON_RUNS: "1" });
  const pool = new pg.Pool({ host: join(ksar.dataDir, "run", "pg"), user: "ksar", database: "ksar", max: 2 });
  try {
    const account = await ksar.newAccount();
    const fields = { name: "Bench", schedule: "* * * * *", command: "sleep 600", timezone: "Africa/Casablanca" };
    const { id } = (await account.must("POST", "/cron", fields)).cronJob;
    const without = await coreShare(ksar.dataDir, ksar.pid);
    // Each with a schedule of its own, as tenants have them.
    const copies = (count: number, schedule: string, nextRunAt: string) =>
      pool.query(
        `insert into cron_jobs (id, account_id, name, schedule, timezone, command, timeout_seconds, enabled,
           next_run_at, planned_from, zone_data)
         select uuidv7(), account_id, name, ${schedule}, timezone, command, 300, true, ${nextRunAt}, planned_from, zone_data
         from cron_jobs, generate_series(1, ${count}) n where id = '${id}'`,
      );
    await copies(idle, "n % 60 || ' 3 1 1 *'", "now() + interval '1 year' + n * interval '1 minute'");
    await pool.query("vacuum analyze cron_jobs");
    const withThem = await coreShare(ksar.dataDir, ksar.pid);
    const percent = (share: number) => `${(share * 100).toFixed(2)} %`;
    console.log(
      `  idle, 100,000 jobs       ${percent(withThem - without)} of a core more than without (${percent(withThem)}, ${percent(without)}); promised: 1 %`,
    );
    const minute = "date_trunc('minute', now()) + interval '1 minute'";
    await copies(due, "'*/' || 1 + n % 59 || ' ' || n % 24 || '-23 * * *'", minute);
    const count = async () =>
      (await pool.query("select count(*)::int from cron_runs where trigger = 'SCHEDULE'")).rows[0].count;
    await until(async () => (await count()) >= due, "every run to be queued", 120);
    const { rows } = await pool.query(
      "select extract(epoch from created_at - scheduled_for) * 1000 as late from cron_runs where trigger = 'SCHEDULE' order by 1",
    );
    const late = rows.map((row) => Number(row.late));
    const at = (share: number) => late[Math.min(late.length - 1, Math.floor(late.length * share))] ?? Number.NaN;
    console.log(
      `  10,000 due at once       queued after p50 ${at(0.5).toFixed(0)} ms, p99 ${at(0.99).toFixed(0)} ms, at most ${at(1).toFixed(0)}: ${(at(0.99) / promisedMs).toFixed(2)} of the promised 2 s`,
    );
  } finally {
    await pool.query("delete from cron_jobs").catch(() => undefined);
    await pool.end();
    await ksar.close();
  }
}

/** What the control plane and PostgreSQL take, of one core. */
async function coreShare(dataDir: string, pid: number): Promise<number> {
  await delay(5000);
  const before = usedBy(dataDir, pid);
  await delay(watchedMs);
  return (usedBy(dataDir, pid) - before) / (watchedMs / 1000);
}

/** Seconds of processor time, with those of children that have ended. */
function usedBy(dataDir: string, pid: number): number {
  const servers = processesWith(join(dataDir, "postgres"));
  const processes = new Set([pid, ...servers, ...servers.flatMap(childrenOf)]);
  let used = 0;
  for (const one of processes) {
    const stat = readFileSync(`/proc/${one}/stat`, "latin1");
    const [user = 0, system = 0, childUser = 0, childSystem = 0] = stat
      .slice(stat.lastIndexOf(")") + 2)
      .split(" ")
      .slice(11, 15)
      .map(Number);
    used += user + system + (one === pid ? 0 : childUser + childSystem);
  }
  return used / ticks;
}

if (import.meta.main) await run();
