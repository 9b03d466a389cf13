import pg from "pg";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createTestDatabase, type TestDatabase } from "../../../tests/database.fixture.ts";
import { LockSession } from "./lock-session.ts";

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

function gate(): { open: () => void; passed: Promise<void> } {
  let open = () => {};
  const passed = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { open, passed };
}

test("a lock is held by one, in this process and across processes, and free again afterwards", async () => {
  const [a, b] = await Promise.all([LockSession.open(database.connection), LockSession.open(database.connection)]);
  const { open, passed } = gate();
  const begun = gate();
  const holding = a.withLock("thing", async () => {
    begun.open();
    await passed;
  });
  await begun.passed;
  const other = gate();
  expect(await a.withLock("thing", async () => other.open())).toBe(false);
  expect(await b.withLock("thing", async () => {})).toBe(false);
  expect(await b.withLock("another", async () => {})).toBe(true);
  open();
  expect(await holding).toBe(true);
  expect(await b.withLock("thing", async () => {})).toBe(true);
  await Promise.all([a.close(), b.close()]);
});

test("work that throws frees the lock", async () => {
  const session = await LockSession.open(database.connection);
  await expect(session.withLock("broken", () => Promise.reject(new Error("broken")))).rejects.toThrow("broken");
  expect(await session.withLock("broken", async () => {})).toBe(true);
  await session.close();
});

test("what is notified on a channel is heard, once it is committed, and other channels are not", async () => {
  const session = await LockSession.open(database.connection);
  const admin = new pg.Client(database.connection);
  await admin.connect();
  let heard = 0;
  await session.listen("Some channel", () => {
    heard += 1;
  });
  await admin.query("begin");
  await admin.query(`select pg_notify('Some channel', ''), pg_notify('another', '')`);
  await session.acquire("a query of its own meanwhile");
  expect(heard).toBe(0);
  await admin.query("commit");
  await expect.poll(() => heard).toBe(1);
  await Promise.all([admin.end(), session.close()]);
});

test("a session that the server ends tells its holder, and its locks are free", async () => {
  const [a, b] = await Promise.all([LockSession.open(database.connection), LockSession.open(database.connection)]);
  expect(await a.acquire("kept")).toBe(true);
  const admin = new pg.Client(database.connection);
  await admin.connect();
  const lost = new Promise((resolve) => a.lost.addEventListener("abort", resolve));
  await admin.query(`select pg_terminate_backend(pid) from pg_locks where locktype = 'advisory' and pid <> pg_backend_pid()
    and ((classid::bigint << 32) | objid::bigint) = hashtextextended('kept', 0)`);
  await lost;
  // The holder hears of its end a moment before the server has let go of what it held.
  await expect.poll(() => b.acquire("kept")).toBe(true);
  await expect(a.acquire("again")).rejects.toThrow();
  await Promise.all([admin.end(), b.close()]);
});
