import pg from "pg";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { createTestDatabase, type TestDatabase } from "../../../tests/database.fixture.ts";
import { createPool } from "./database.ts";
import { UnitOfWork } from "./unit-of-work.ts";

const user = "0192f0c8-0000-7000-8000-000000000001";
let testDatabase: TestDatabase;
let pool: pg.Pool;
let units: UnitOfWork;

beforeAll(async () => {
  testDatabase = await createTestDatabase();
  // One connection: whoever took a second one would wait for ever.
  pool = createPool({ ...testDatabase.connection, max: 1, connectionTimeoutMillis: 20_000 }, () => undefined);
  units = new UnitOfWork(pool);
  await pool.query("insert into users (id, email, name) values ($1, 'a@example.com', 'A')", [user]);
});
beforeEach(() => pool.query("delete from used_codes"));
afterAll(async () => {
  await pool.end();
  await testDatabase.drop();
});

const add = (code: string) =>
  units.database.insertInto("usedCodes").values({ userId: user, code, usedAt: new Date() }).execute();
const codes = async () => {
  const rows = await units.database.selectFrom("usedCodes").select("code").orderBy("code").execute();
  return rows.map(({ code }) => code);
};

test("everything of it happens, or nothing", async () => {
  await units.run(async () => {
    expect(await codes()).toEqual([]);
    await Promise.all([add("1"), add("2")]);
    expect(await codes()).toEqual(["1", "2"]);
  });
  await expect(
    units.run(async () => {
      await add("3");
      throw new Error("changed my mind");
    }),
  ).rejects.toThrow("changed my mind");
  expect(await codes()).toEqual(["1", "2"]);
});

test("who goes on after a statement that failed is told that nothing happened", async () => {
  const swallowing = units.run(async () => {
    await add("1");
    await add("1").catch(() => undefined);
  });
  await expect(swallowing).rejects.toThrow("had failed");
  expect(await codes()).toEqual([]);
});

test("before the first statement that writes no connection is held", async () => {
  await units.run(async () => {
    await codes();
    expect([pool.totalCount, pool.idleCount]).toEqual([1, 1]);
    await add("1");
    expect([pool.totalCount, pool.idleCount]).toEqual([1, 0]);
  });
  expect([pool.totalCount, pool.idleCount]).toEqual([1, 1]);
});

test("one that runs beside another sees nothing of it, and what is no part of any is the pool's", async () => {
  let goOn = () => {};
  const held = new Promise<void>((resolve) => {
    goOn = resolve;
  });
  const first = units.run(async () => {
    await add("1");
    await held;
    return codes();
  });
  const second = units.run(async () => {
    await add("2");
    return codes();
  });
  goOn();
  expect(await first).toEqual(["1"]);
  expect(await second).toEqual(["1", "2"]);
  expect(await codes()).toEqual(["1", "2"]);
});

test("a connection that is lost takes the whole with it", async () => {
  const lost = units.run(async () => {
    await add("1");
    const direct = new pg.Client(testDatabase.connection);
    await direct.connect();
    await direct.query(
      "select pg_terminate_backend(pid, 5000) from pg_stat_activity where application_name = 'ksar' and datname = current_database()",
    );
    await direct.end();
    await add("2");
  });
  await expect(lost).rejects.toThrow();
  expect(await codes()).toEqual([]);
});

test("it opens no transaction of its own", async () => {
  await expect(units.database.transaction().execute(async () => undefined)).rejects.toThrow("opens no transaction");
});
