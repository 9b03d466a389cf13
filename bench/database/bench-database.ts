/** A migrated PostgreSQL of its own for a benchmark, durable as a Ksar's is, with services in it, and what it costs. */
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type pg from "pg";
import { migrationsDir } from "../../src/main/program.ts";
import { createDatabase, createPool, type Database } from "../../src/platform/database/database.ts";
import { migrate } from "../../src/platform/database/migrate.ts";
import { embeddedConnection, startEmbeddedPostgres } from "../../src/platform/postgres/embedded-postgres.ts";

export interface BenchDatabase {
  readonly database: Database;
  readonly pool: pg.Pool;
  /** CPU seconds that the server's processes have used so far. */
  cpuSeconds(): number;
  close(): Promise<void>;
}

export async function startDatabase(): Promise<BenchDatabase> {
  const folder = mkdtempSync(join(tmpdir(), "ksar-bench-"));
  // PostgreSQL's own user has to pass through for root.
  chmodSync(folder, 0o711);
  const directory = join(folder, "postgres");
  const server = await startEmbeddedPostgres({
    directory,
    socketDirectory: join(folder, "pg"),
    logFile: join(folder, "log", "postgres.log"),
    durable: true,
  });
  const pool = createPool(embeddedConnection(join(folder, "pg"), "ksar"), () => undefined);
  const client = await pool.connect();
  await migrate(client, migrationsDir);
  client.release();
  const main = Number(readFileSync(join(directory, "postmaster.pid"), "utf8").split("\n")[0]);
  return {
    database: createDatabase(pool),
    pool,
    cpuSeconds: () => serverCpu(main),
    async close() {
      await pool.end();
      await server.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Released services of 100 accounts, `count` in all; their ids. */
export async function fillServices(pool: pg.Pool, count: number): Promise<readonly string[]> {
  await pool.query(`
    insert into accounts (id, name, slug) select gen_random_uuid(), 'Bench', 'bench-' || n from generate_series(1, 100) n;
    insert into projects (id, account_id, name, slug) select gen_random_uuid(), id, 'Bench', 'bench' from accounts;
    insert into services (id, account_id, project_id, name, slug, type, repo_url, branch, branch_is_default)
      select gen_random_uuid(), p.account_id, p.id, 's', 's-' || n || p.id, 'WEB', 'https://example.com/a.git', 'main', true
      from (select *, row_number() over () as place from projects) p, generate_series(1, ${count}::int) n
      where n % 100 = p.place - 1;
    insert into deployments (id, account_id, service_id, status, trigger, branch, artifact_id, settings, build_plan)
      select id, account_id, id, 'LIVE', 'API', 'main', id, '{}', '{"start": "node ."}' from services;
    update services set current_deployment_id = id, status = 'RUNNING'`);
  await pool.query("vacuum analyze");
  return (await pool.query("select id from services")).rows.map(({ id }) => id);
}

function serverCpu(main: number): number {
  let ticks = 0;
  for (const name of readdirSync("/proc")) {
    if (!/^\d+$/.test(name)) continue;
    try {
      const text = readFileSync(`/proc/${name}/stat`, "latin1");
      const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
      // Own time of each, and of those that have ended: the server has waited for them.
      if (Number(name) === main) ticks += sum(fields.slice(11, 15));
      else if (Number(fields[1]) === main) ticks += sum(fields.slice(11, 13));
    } catch {
      // It has ended.
    }
  }
  return ticks / 100;
}

function sum(fields: readonly string[]): number {
  return fields.reduce((all, field) => all + Number(field), 0);
}

export function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}
