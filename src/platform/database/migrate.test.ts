import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createTestDatabase, type TestDatabase } from "../../../tests/database.fixture.ts";
import { migrate } from "./migrate.ts";

let database: TestDatabase;
let directory: string;
let client: pg.Client;

beforeEach(async () => {
  database = await createTestDatabase();
  directory = mkdtempSync(join(tmpdir(), "ksar-migrations-"));
  client = new pg.Client(database.connection);
  await client.connect();
  // The clone has Ksar's own migrations; these tests bring theirs.
  await client.query("drop table schema_migrations");
});
afterEach(async () => {
  await client.end();
  await database.drop();
  rmSync(directory, { recursive: true });
});

const write = (name: string, sql: string) => writeFileSync(join(directory, name), sql);

test("each file is applied once, in order", async () => {
  write("0001_first.sql", "create table one (n int)");
  write("0002_second.sql", "insert into one values (1)");
  expect(await migrate(client, directory)).toEqual(["0001_first.sql", "0002_second.sql"]);
  expect(await migrate(client, directory)).toEqual([]);
  expect((await client.query("select * from one")).rowCount).toBe(1);
});

test("starters at the same time apply it once", async () => {
  write("0001_first.sql", "create table one (n int); insert into one values (1)");
  const clients = await Promise.all(
    [1, 2, 3].map(async () => {
      const other = new pg.Client(database.connection);
      await other.connect();
      return other;
    }),
  );
  await Promise.all(clients.map((other) => migrate(other, directory)));
  await Promise.all(clients.map((other) => other.end()));
  expect((await client.query("select * from one")).rowCount).toBe(1);
});

test("a file that fails leaves nothing of itself", async () => {
  write("0001_first.sql", "create table one (n int); select nonsense");
  await expect(migrate(client, directory)).rejects.toThrow(/0001_first\.sql failed: column "nonsense"/);
  expect((await client.query("select to_regclass('one') as found")).rows[0].found).toBeNull();
});

test("a changed file, a newer database and a wrong name are refused", async () => {
  write("0001_first.sql", "select 1");
  await migrate(client, directory);
  write("0001_first.sql", "select 2");
  await expect(migrate(client, directory)).rejects.toThrow(/0001_first\.sql was changed/);
  write("0001_first.sql", "select 1");
  await client.query("insert into schema_migrations (version, name, checksum) values (2, 'later', 'x')");
  await expect(migrate(client, directory)).rejects.toThrow(/newer Ksar/);
  write("0003_gap.sql", "select 1");
  await expect(migrate(client, directory)).rejects.toThrow(/should be called 0002_/);
});
