/** What migrations/0003_people.sql makes of accounts that were there before. */
import { copyFileSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createTestDatabase, type TestDatabase } from "../../../tests/database.fixture.ts";
import { newId } from "../../kernel/ids.ts";
import { migrate } from "../../platform/database/migrate.ts";
import { hashPassword, verifyPassword } from "../../platform/password.ts";

const migrations = join(import.meta.dirname, "..", "..", "..", "migrations");
let database: TestDatabase;
let client: pg.Client;
let directory: string;

beforeEach(async () => {
  database = await createTestDatabase();
  directory = mkdtempSync(join(tmpdir(), "ksar-migrations-"));
  client = new pg.Client(database.connection);
  await client.connect();
  await client.query("drop schema public cascade; create schema public");
});
afterEach(async () => {
  await client.end();
  await database.drop();
  rmSync(directory, { recursive: true });
});

test("people keep their passwords, and addresses are looked up in lower case", async () => {
  const files = readdirSync(migrations).sort();
  const people = files.findIndex((file) => file.endsWith("_people.sql"));
  for (const file of files.slice(0, people)) copyFileSync(join(migrations, file), join(directory, file));
  await migrate(client, directory);
  const [id, hash] = [newId(), await hashPassword("correct horse")];
  const insert = "insert into users (id, email, name, password_hash) values ($1, 'Old@Example.com', 'Old', $2)";
  await client.query(insert, [id, hash]);

  await migrate(client, migrations);
  const { rows } = await client.query("select * from credentials");
  expect(rows).toMatchObject([{ user_id: id, provider_id: "credential", subject: id, password: hash }]);
  expect(await verifyPassword(rows[0].password, "correct horse")).toBe(true);
  expect(await verifyPassword(rows[0].password, "wrong password")).toBe(false);
  const { rows: users } = await client.query("select * from users");
  expect(users).toMatchObject([{ email: "old@example.com", two_factor_enabled: false }]);
  expect(users[0]).not.toHaveProperty("password_hash");
});
