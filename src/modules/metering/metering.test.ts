import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { startTestApi, type TestAccount, type TestApi } from "../../../tests/api.fixture.ts";
import { Spool } from "../../edge/metering/spool.ts";
import type { ServiceTraffic } from "../../edge/metering/traffic.ts";
import { systemClock } from "../../kernel/clock.ts";
import { newId } from "../../kernel/ids.ts";
import { createDatabase, createPool, type Database } from "../../platform/database/database.ts";
import { LockSession } from "../../platform/database/lock-session.ts";
import { createLogger } from "../../platform/log.ts";
import { MeteringCollector, type MeteringCollectorOptions } from "./metering.collector.ts";

let api: TestApi;
let account: TestAccount;
let projectId: string;
let serviceId: string;
let database: Database;
let locks: LockSession;
let spool: Spool;
const folder = mkdtempSync(join(tmpdir(), "ksar-metering-"));
const log = createLogger("test", "silent");

beforeAll(async () => {
  api = await startTestApi();
  account = await api.newAccount();
  projectId = (await account.call("POST", "/projects", { name: "Metered" })).body.project.id;
  database = createDatabase(createPool(api.database.connection, () => undefined));
  locks = await LockSession.open(api.database.connection);
});
afterAll(async () => {
  await locks.close();
  await database.destroy();
  await api.close();
  rmSync(folder, { recursive: true });
});

beforeEach(async () => {
  serviceId = await newService();
  spool = new Spool({ folder: join(folder, serviceId), clock: systemClock, log });
  await spool.prepare(null);
});

async function newService(): Promise<string> {
  const source = { projectId, name: "app", repoUrl: "https://example.com/a.git" };
  return (await account.call("POST", "/services", source)).body.service.id;
}

/** Of one window, in the spool. */
async function spooled(windowStart: string, ...services: readonly Partial<ServiceTraffic>[]): Promise<string> {
  const id = newId();
  const whole = services.map((service) => ({
    serviceId,
    requests: 1,
    bytesIn: 10,
    bytesOut: 100,
    statuses: [0, 1, 0, 0, 0],
    latencies: [0, 1],
    ...service,
  }));
  await spool.write({ id, windowStart, services: whole });
  return id;
}

function collector(change: Partial<MeteringCollectorOptions> = {}): MeteringCollector {
  const edge = {
    trafficBatches: (limit: number) => spool.oldest(limit),
    acknowledgeTraffic: (ids: readonly string[]) => spool.acknowledge(ids),
  };
  return new MeteringCollector({ database, edge, locks, clock: systemClock, logger: log, ...change });
}

async function windows(of = serviceId) {
  return database.selectFrom("serviceTraffic").selectAll().where("serviceId", "=", of).orderBy("windowStart").execute();
}

async function hours(of = serviceId) {
  return database.selectFrom("serviceTrafficHours").selectAll().where("serviceId", "=", of).orderBy("hour").execute();
}

const now = Math.floor(Date.now() / 3_600_000) * 3_600_000;
const at = (seconds: number) => new Date(now + seconds * 1_000).toISOString();

test("windows are added up by service, by window and by hour", async () => {
  const other = await newService();
  await spooled(at(0), { requests: 2, latencies: [1, 0, 4] }, { serviceId: other, statuses: [1, 0, 0, 0, 7] });
  await spooled(at(0), { requests: 3, latencies: [1] }); // two edges, while one takes over from the other
  await spooled(at(10), { bytesOut: 5_000_000_000 });
  await spooled(at(3_600), {});
  await collector().collect();
  expect(await spool.oldest(10)).toEqual([]);
  expect(await windows()).toMatchObject([
    {
      accountId: account.accountId,
      requests: 5,
      bytesIn: 20,
      bytesOut: 200,
      statuses: [0, 2, 0, 0, 0],
      latencies: [2, 0, 4],
    },
    { windowStart: new Date(at(10)), requests: 1, bytesOut: 5_000_000_000 },
    { windowStart: new Date(at(3_600)) },
  ]);
  expect(await hours()).toMatchObject([
    { hour: new Date(now), requests: 6, bytesOut: 5_000_000_200, statuses: [0, 3, 0, 0, 0], latencies: [2, 1, 4] },
    { hour: new Date(at(3_600)), requests: 1 },
  ]);
  expect(await windows(other)).toMatchObject([{ requests: 1, statuses: [1, 0, 0, 0, 7] }]);
});

test("a batch that comes again after a crash before its acknowledgement is acknowledged and not counted", async () => {
  await spooled(at(0), {});
  const killed = collector({
    edge: {
      trafficBatches: (limit) => spool.oldest(limit),
      acknowledgeTraffic: () => Promise.reject(new Error("killed")),
    },
  });
  await expect(killed.collect()).rejects.toThrow("killed");
  expect(await windows()).toMatchObject([{ requests: 1 }]);
  await spooled(at(0), { requests: 4 });
  await collector().collect();
  expect(await windows()).toMatchObject([{ requests: 5 }]);
  expect(await hours()).toMatchObject([{ requests: 5 }]);
  expect(await spool.oldest(10)).toEqual([]);
});

test("a crash in the middle of the transaction leaves nothing counted and everything in the spool", async () => {
  const id = await spooled(at(0), {}, { latencies: ["no number"] as unknown as number[] });
  await expect(collector().collect()).rejects.toThrow();
  expect(await windows()).toEqual([]);
  expect(await database.selectFrom("meteringBatches").selectAll().where("id", "=", id).execute()).toEqual([]);
  expect(await spool.oldest(10)).toHaveLength(1);
});

test("of two collectors one collects; without the lock each batch would still count once", async () => {
  for (let n = 0; n < 60; n += 1) await spooled(at(10 * n), {});
  const second = await LockSession.open(api.database.connection);
  const unlocked = { withLock: async (_: string, work: () => Promise<void>) => work().then(() => true) };
  try {
    await Promise.all([collector().collect(), collector({ locks: second }).collect()]);
    expect(await hours()).toMatchObject([{ requests: 60 }]);
    for (let n = 0; n < 60; n += 1) await spooled(at(10 * n), {});
    await Promise.all([collector({ locks: unlocked }).collect(), collector({ locks: unlocked }).collect()]);
  } finally {
    await second.close();
  }
  expect(await hours()).toMatchObject([{ requests: 120 }]);
  expect(await windows()).toHaveLength(60);
});

test("the traffic of a deleted service is its account's; that of nobody's does not hold up the others", async () => {
  const deleted = await newService();
  expect((await account.call("DELETE", `/services/${deleted}`)).status).toBe(200);
  await spooled(at(0), { serviceId: deleted }, { serviceId: newId() }, { serviceId: "no id" }, {});
  await collector().collect();
  expect(await windows(deleted)).toMatchObject([{ accountId: account.accountId, requests: 1 }]);
  expect(await windows()).toHaveLength(1);
  expect(await spool.oldest(10)).toEqual([]);
});

test("what is old is forgotten: windows after two days, hours after 400", async () => {
  await spooled(at(-3 * 86_400), {});
  await spooled(at(-399 * 86_400), {});
  await spooled(at(-401 * 86_400), {});
  await spooled(at(0), {});
  await collector().collect();
  expect(await windows()).toHaveLength(1);
  expect(await hours()).toHaveLength(3);
  const later = { now: () => new Date(Date.now() + 9 * 86_400_000) };
  await collector({ clock: later }).collect();
  expect(await windows()).toEqual([]);
  expect(await database.selectFrom("meteringBatches").selectAll().execute()).toEqual([]);
});
