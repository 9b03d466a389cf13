/**
 * Numbered SQL files, each applied once, in order, in a transaction of its own. Several starters may call this at the
 * same time: the first applies, the others wait. A database that knows a newer migration than this program is refused.
 */
import { createHash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import type pg from "pg";

/** Any constant of our own: the advisory lock under which migrations run. */
const migrationLock = 4_711_001;

interface Migration {
  readonly version: number;
  readonly name: string;
  readonly sql: string;
  readonly checksum: string;
}

async function readMigrations(directory: string): Promise<Migration[]> {
  const files = (await readdir(directory)).filter((name) => name.endsWith(".sql")).sort();
  return Promise.all(
    files.map(async (file, index) => {
      const match = /^(\d{4})_([a-z0-9_]+)\.sql$/.exec(file);
      if (match === null || Number(match[1]) !== index + 1) {
        throw new Error(`migrations/${file} should be called ${String(index + 1).padStart(4, "0")}_<name>.sql`);
      }
      const sql = await readFile(join(directory, file), "utf8");
      return { version: index + 1, name: file, sql, checksum: createHash("sha256").update(sql).digest("hex") };
    }),
  );
}

/** Returns the names of the files that were applied. */
export async function migrate(client: pg.ClientBase, directory: string): Promise<readonly string[]> {
  const migrations = await readMigrations(directory);
  await client.query("select pg_advisory_lock($1)", [migrationLock]);
  try {
    await client.query(
      `create table if not exists schema_migrations (
         version int primary key, name text not null, checksum text not null, applied_at timestamptz not null default now())`,
    );
    const { rows } = await client.query<{ version: number; checksum: string }>(
      "select version, checksum from schema_migrations order by version",
    );
    const newest = rows.at(-1)?.version ?? 0;
    if (newest > migrations.length) {
      throw new Error(
        `The database is of a newer Ksar (schema ${newest}, this program knows ${migrations.length}): start that one.`,
      );
    }
    for (const row of rows) {
      const migration = migrations[row.version - 1];
      if (migration?.checksum !== row.checksum) {
        throw new Error(
          `${migration?.name} was changed after it had been applied: restore it and add a new file instead.`,
        );
      }
    }
    const pending = migrations.slice(newest);
    for (const migration of pending) await apply(client, migration);
    return pending.map((migration) => migration.name);
  } finally {
    await client.query("select pg_advisory_unlock($1)", [migrationLock]);
  }
}

async function apply(client: pg.ClientBase, migration: Migration): Promise<void> {
  await client.query("begin");
  try {
    await client.query(migration.sql);
    await client.query("insert into schema_migrations (version, name, checksum) values ($1, $2, $3)", [
      migration.version,
      migration.name,
      migration.checksum,
    ]);
    await client.query("commit");
  } catch (error) {
    await client.query("rollback");
    throw new Error(`${migration.name} failed: ${error instanceof Error ? error.message : String(error)}`, {
      cause: error,
    });
  }
}
