/**
 * What measuring 1,000 services every 10 s costs, as a share of one core: the agent's look at as many control groups,
 * the collector, and PostgreSQL's part, hours and forgetting included; then what a day's series costs to read.
 * The groups are real and empty: the kernel tells of them as of full ones.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { UsageSample } from "../src/engines/engine.ts";
import { Cgroups, findHierarchies } from "../src/engines/local/agent/sandbox/cgroups.ts";
import { UsageSampler } from "../src/engines/local/agent/usage/usage-sampler.ts";
import { systemClock } from "../src/kernel/clock.ts";
import { MetricsCollector } from "../src/modules/metrics/metrics.collector.ts";
import { MetricsService } from "../src/modules/metrics/metrics.service.ts";
import { createLogger } from "../src/platform/log.ts";
import { fillServices, median, startDatabase } from "./database/bench-database.ts";

const services = 1_000;
const windowSeconds = 10;
const looks = 10;
const windows = 60;

const logger = createLogger("bench", "error");

function cpuSeconds(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
}

/** CPU seconds of one look, by control groups or, where none can be made, by the process table. */
async function look(ids: readonly string[]): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), "ksar-bench-groups-"));
  const groups = new Cgroups(findHierarchies(process.getuid?.() === 0), "ksar-bench", join(folder, "cgroups.json"));
  const limits = { memoryBytes: 2 ** 28, processes: 100, cpuCores: 1, cpuWeight: 1 };
  const identity = { pid: process.pid, startedAt: "now" };
  try {
    for (const id of ids) groups.make(id, limits);
    const sampler = new UsageSampler({
      instances: () => ids.map((id) => ({ run: id, serviceId: id, isUp: true, process: identity })),
      usageOf: (run) => groups.usage(run),
      clock: systemClock,
      logger,
    });
    await sampler.sample();
    const began = cpuSeconds();
    for (let n = 0; n < looks; n++) await sampler.sample();
    return (cpuSeconds() - began) / looks;
  } finally {
    groups.keepOnly(new Set());
    rmSync(folder, { recursive: true });
  }
}

export async function run(): Promise<void> {
  const { pool, database, cpuSeconds: serverSeconds, close } = await startDatabase();
  try {
    const ids = await fillServices(pool, services);
    const share = (seconds: number) => `${((100 * seconds) / windowSeconds).toFixed(2)} %`;
    const agent = await look(ids);
    let now = Math.floor(Date.now() / 1e4) * 1e4;
    let waiting: UsageSample[] = [];
    const collector = new MetricsCollector({
      database,
      engine: { readUsage: async (counted) => (counted.length > 0 ? [] : waiting) },
      locks: { withLock: async (_name, work) => work().then(() => true) },
      clock: { now: () => new Date(now) },
      logger,
    });
    const collect = async () => {
      const used = ids.map((serviceId, n) => ({ serviceId, instancesUp: 1, cpuCores: n / 1000, memoryMb: n }));
      waiting = [{ windowStart: new Date(now).toISOString(), services: used }];
      now += 1000 * windowSeconds;
      await collector.collect();
    };
    for (let n = 0; n < 5; n++) await collect();
    const [own, server] = [cpuSeconds(), serverSeconds()];
    for (let n = 0; n < windows; n++) await collect();
    const [ownShare, serverShare] = [(cpuSeconds() - own) / windows, (serverSeconds() - server) / windows];
    const { rows } = await pool.query("select count(*) as count from service_samples");
    if (rows[0].count !== services * (windows + 5)) throw new Error(`${rows[0].count} rows were written`);
    console.log(`  ${services} services every ${windowSeconds} s, of one core (at most 5 % in all):`);
    console.log(`    agent ${share(agent)}, collector ${share(ownShare)}, PostgreSQL ${share(serverShare)}`);
    console.log(`    in all ${share(agent + ownShare + serverShare)}`);
    await series(now, ids[0] ?? "");
  } finally {
    await close();
  }

  async function series(until: number, id: string): Promise<void> {
    const { rows } = await pool.query("select account_id from services where id = $1", [id]);
    const accountId: string = rows[0].account_id;
    await pool.query(
      `insert into service_samples select $1, $2::timestamptz - n * interval '10 s', 0.5, 100, 1, 1 from generate_series(1, 8600) n
       on conflict do nothing`,
      [id, new Date(until)],
    );
    await pool.query(
      `insert into service_traffic select $1, $2, $3::timestamptz - n * interval '10 s', 100, 1, 1, '{0,100}',
         array_fill(1, array[60]) from generate_series(1, 8600) n`,
      [accountId, id, new Date(until)],
    );
    await pool.query("vacuum analyze service_samples, service_traffic");
    const row = async () => ({ type: "WEB", createdAt: new Date(0) });
    // All that it asks of a service and of a caller.
    const metrics = new MetricsService(database, { row } as never, { now: () => new Date(until) });
    const timed = async (hours: number) => {
      const times: number[] = [];
      for (let n = 0; n < 7; n++) {
        const began = performance.now();
        await metrics.ofService({ accountId } as never, id, { since: new Date(until - hours * 3.6e6).toISOString() });
        times.push(performance.now() - began);
      }
      return median(times);
    };
    const [one, day] = [await timed(1), await timed(23.8)];
    console.log(
      `    series of an hour ${one.toFixed(0)} ms, of a day (8,600 windows) ${day.toFixed(0)} ms: ${(day / one).toFixed(1)} ×`,
    );
  }
}

if (import.meta.main) await run();
