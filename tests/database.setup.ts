/** One PostgreSQL for the whole test run, its template database migrated once; each test clones that. */
import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestProject } from "vitest/node";
import { createPool } from "../src/platform/database/database.ts";
import { migrate } from "../src/platform/database/migrate.ts";
import { startEmbeddedPostgres } from "../src/platform/postgres/embedded-postgres.ts";
import { migrateQueue } from "../src/platform/queue.ts";

declare module "vitest" {
  interface ProvidedContext {
    postgresSocketDir: string;
  }
}

export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const directory = mkdtempSync(join(tmpdir(), "ksar-test-"));
  // PostgreSQL's own user has to pass through when the tests run as root.
  chmodSync(directory, 0o711);
  const postgres = await startEmbeddedPostgres({
    directory: join(directory, "postgres"),
    socketDirectory: join(directory, "socket"),
    logFile: join(directory, "log", "postgres.log"),
    durable: false,
  });
  const pool = createPool({ ...postgres.connection, max: 2 }, () => undefined);
  const client = await pool.connect();
  await migrate(client, join(import.meta.dirname, "..", "migrations"));
  client.release();
  await migrateQueue(pool);
  await pool.end();
  project.provide("postgresSocketDir", join(directory, "socket"));
  return async () => {
    await postgres.stop();
    rmSync(directory, { recursive: true, force: true });
  };
}
