import { sql } from "kysely";
import type pg from "pg";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createTestDatabase, type TestDatabase } from "../../tests/database.fixture.ts";
import { createDatabase, createPool, type Database } from "./database/database.ts";
import { LockSession } from "./database/lock-session.ts";
import { createLogger } from "./log.ts";
import { addJob, startWorker, type TaskHandler } from "./queue.ts";

let test_: TestDatabase;
let pool: pg.Pool;
let database: Database;
let locks: LockSession;

beforeEach(async () => {
  test_ = await createTestDatabase();
  pool = createPool({ ...test_.connection, max: 5 }, () => undefined);
  database = createDatabase(pool);
  locks = await LockSession.open(test_.connection);
});
afterEach(async () => {
  await locks.close();
  await pool.end();
  await test_.drop();
});

function work(handle: TaskHandler, own = locks) {
  return startWorker({
    pool,
    database,
    locks: own,
    tasks: { ring: handle },
    concurrency: 2,
    logger: createLogger("test", "silent"),
  });
}

test("a job comes with the transaction that added it, or not at all", async () => {
  const rung: string[] = [];
  const runner = await work(async ({ id = "" }) => void rung.push(id));
  await expect(
    database.transaction().execute(async (transaction) => {
      await addJob(transaction, "ring", { id: "rolled back" });
      throw new Error("rolled back");
    }),
  ).rejects.toThrow("rolled back");
  await database.transaction().execute((transaction) => addJob(transaction, "ring", { id: "committed" }));
  await expect.poll(() => rung).toEqual(["committed"]);
  await runner.stop();
});

test("of several waiting jobs with one key the newest stays", async () => {
  for (const id of ["a", "b", "c"]) await addJob(database, "ring", { id }, { key: "same" });
  const rung: string[] = [];
  const runner = await work(async ({ id = "" }) => void rung.push(id));
  await expect.poll(() => rung).toEqual(["c"]);
  await runner.stop();
});

test("the jobs of a worker that died are free at the next start, those of a living one are not", async () => {
  const dead = await LockSession.open(test_.connection);
  await addJob(database, "ring", { id: "of the dead" });
  await sql`update graphile_worker._private_jobs set locked_at = now(), locked_by = 'pool-dead'`.execute(database);
  const living = await LockSession.open(test_.connection);
  await living.acquire("queue/pool-living");
  await addJob(database, "ring", { id: "of the living" });
  await sql`update graphile_worker._private_jobs set locked_at = now(), locked_by = 'pool-living' where locked_by is null`.execute(
    database,
  );
  await dead.close();
  const rung: string[] = [];
  const runner = await work(async ({ id = "" }) => void rung.push(id));
  await expect.poll(() => rung).toEqual(["of the dead"]);
  const { rows } = await sql<{ lockedBy: string }>`select locked_by from graphile_worker._private_jobs`.execute(
    database,
  );
  expect(rows).toEqual([{ lockedBy: "pool-living" }]);
  await runner.stop();
  await living.close();
});
