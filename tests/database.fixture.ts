import { randomBytes } from "node:crypto";
import pg from "pg";
import { inject } from "vitest";
import { embeddedConnection } from "../src/platform/postgres/embedded-postgres.ts";

export interface TestDatabase {
  readonly connection: pg.PoolConfig;
  drop(): Promise<void>;
}

/** A database of its own for a test: a clone of the migrated template. */
export async function createTestDatabase(): Promise<TestDatabase> {
  const socketDir = inject("postgresSocketDir");
  const name = `test_${randomBytes(6).toString("hex")}`;
  await administer(socketDir, `create database ${name} template ksar strategy file_copy`);
  return {
    connection: embeddedConnection(socketDir, name),
    drop: () => administer(socketDir, `drop database ${name} with (force)`),
  };
}

async function administer(socketDir: string, statement: string): Promise<void> {
  const client = new pg.Client(embeddedConnection(socketDir, "postgres"));
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}
