import { sql } from "kysely";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createTestDatabase, type TestDatabase } from "../../../tests/database.fixture.ts";
import { createDatabase, createPool, type Database } from "./database.ts";
import { statement } from "./statement.ts";

let testDatabase: TestDatabase;
let database: Database;

beforeAll(async () => {
  testDatabase = await createTestDatabase();
  database = createDatabase(createPool({ ...testDatabase.connection, max: 1 }, () => undefined));
});

afterAll(async () => {
  await database.destroy();
  await testDatabase.drop();
});

const listAccounts = statement(
  (executor, { id, plan, count }: { id: string | null; plan: string | undefined; count: number }) => {
    let query = executor.selectFrom("accounts").select(["slug", "require2fa"]);
    if (id) query = query.where("id", ">", id);
    if (plan) query = query.where("plan", "=", plan);
    return query.orderBy("id").limit(count);
  },
);

async function prepared(): Promise<readonly string[]> {
  const { rows } = await sql<{ statement: string }>`select statement from pg_prepared_statements`.execute(database);
  return rows.map((row) => row.statement);
}

const id = (n: number) => `00000000-0000-7000-8000-00000000000${n}`;

test("a statement that comes often is prepared, and answers as before", async () => {
  const row = { id: id(1), name: "A", slug: "a" };
  await database.insertInto("accounts").values(row).execute();
  const ask = () => database.selectFrom("accounts").select("slug").where("id", "=", id(1)).execute();
  for (let n = 0; n < 10; n++) expect(await ask()).toEqual([{ slug: "a" }]);
  expect(await prepared()).not.toContainEqual(expect.stringContaining('select "slug"'));
  for (let n = 0; n < 3; n++) expect(await ask()).toEqual([{ slug: "a" }]);
  expect(await prepared()).toContainEqual(expect.stringContaining('select "slug"'));
});

test("an altered table breaks a prepared statement once", async () => {
  await sql`create table altered (a int)`.execute(database);
  const ask = () => sql`select * from altered where a = ${1}`.execute(database);
  for (let n = 0; n < 12; n++) await ask();
  await sql`alter table altered add column b int`.execute(database);
  await expect(ask()).rejects.toThrow("cached plan");
  expect((await ask()).rows).toEqual([]);
});

test("a statement is run with the values given, those that are absent left out", async () => {
  const more = [2, 3, 4].map((n) => ({ id: id(n), name: "B", slug: `b${n}`, plan: n === 3 ? "PRO" : "FREE" }));
  await database.insertInto("accounts").values(more).execute();
  const slugs = async (values: Parameters<typeof listAccounts>[1]) =>
    (await listAccounts(database, values)).map((row) => row.slug);
  expect(await slugs({ id: null, plan: undefined, count: 2 })).toEqual(["a", "b2"]);
  expect(await slugs({ id: id(1), plan: undefined, count: 10 })).toEqual(["b2", "b3", "b4"]);
  expect(await slugs({ id: id(2), plan: "FREE", count: 10 })).toEqual(["b4"]);
  expect(await slugs({ id: id(1), plan: "PRO", count: 10 })).toEqual(["b3"]);
  expect(await slugs({ id: null, plan: undefined, count: 1 })).toEqual(["a"]);
  expect(await listAccounts(database, { id: null, plan: undefined, count: 1 })).toEqual([
    { slug: "a", require2fa: false },
  ]);
});

test("a statement that changes a value while it is built, or drops it, is refused", async () => {
  const changing = statement((executor, { count }: { count: number }) =>
    executor
      .selectFrom("accounts")
      .select("id")
      .limit(Number(String(count).length)),
  );
  await expect(changing(database, { count: 3 })).rejects.toThrow("count");
});
