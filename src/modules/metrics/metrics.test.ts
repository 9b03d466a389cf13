import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { startTestApi, type TestAccount, type TestApi } from "../../../tests/api.fixture.ts";
import { latencyBucket } from "../../edge/metering/latency.ts";
import type { ServiceUsage, UsageSample } from "../../engines/engine.ts";
import { EngineUnreachableError } from "../../engines/engine.ts";
import { newId } from "../../kernel/ids.ts";
import { createDatabase, createPool, type Database } from "../../platform/database/database.ts";
import { LockSession } from "../../platform/database/lock-session.ts";
import { createLogger } from "../../platform/log.ts";
import { MetricsCollector, type MetricsCollectorOptions } from "./metrics.collector.ts";
import { MetricsService } from "./metrics.service.ts";

let api: TestApi;
let account: TestAccount;
let projectId: string;
let shop: string;
let database: Database;
let locks: LockSession;
/** What the agent has, and nobody has counted. */
let waiting: UsageSample[] = [];
const hourMs = 3_600_000;
/** Some minutes into an hour. */
let now: number;

beforeAll(async () => {
  api = await startTestApi();
  database = createDatabase(createPool(api.database.connection, () => undefined));
  locks = await LockSession.open(api.database.connection);
});
beforeEach(async () => {
  account = await api.newAccount();
  projectId = (await account.call("POST", "/projects", { name: "Measured" })).body.project.id;
  shop = await newService("Shop");
  waiting = [];
  now = Math.floor(Date.now() / hourMs) * hourMs + 20 * 60_000;
});
afterAll(async () => {
  await locks.close();
  await database.destroy();
  await api.close();
});

/** Released, as a deployment leaves it; made ten days ago. */
async function newService(name: string, change = "", plan = '{"start": "node ."}'): Promise<string> {
  const repoUrl = "https://example.com/a.git";
  const { id } = (await account.call("POST", "/services", { projectId, name, repoUrl })).body.service;
  const { deploymentId } = (await account.call("POST", `/services/${id}/deploy`)).body;
  await api.query("update deployments set status = 'LIVE', build_plan = $2 where id = $1", [deploymentId, plan]);
  await api.query(
    `update services set current_deployment_id = $2, created_at = now() - interval '10 days' ${change} where id = $1`,
    [id, deploymentId],
  );
  return id;
}

const at = (seconds: number) => new Date(now + seconds * 1000).toISOString();

/** One in which the shop did what it mostly does, without others. */
function window(seconds: number, ...services: readonly Partial<ServiceUsage>[]): void {
  const whole = (services.length === 0 ? [{}] : services).map((one) => ({
    serviceId: shop,
    instancesUp: 1,
    cpuCores: 0.5,
    memoryMb: 100,
    ...one,
  }));
  waiting.push({ windowStart: at(seconds), services: whole });
}

function collector(change: Partial<MetricsCollectorOptions> = {}): MetricsCollector {
  const engine = {
    readUsage: async (counted: readonly string[]) => {
      waiting = waiting.filter(({ windowStart }) => !counted.includes(windowStart));
      return waiting.slice(0, 20);
    },
  };
  const clock = { now: () => new Date(now) };
  return new MetricsCollector({ database, engine, locks, clock, logger: createLogger("test", "silent"), ...change });
}

async function samples(of = shop) {
  return database.selectFrom("serviceSamples").selectAll().where("serviceId", "=", of).orderBy("windowStart").execute();
}

async function reading(of = shop) {
  return database.selectFrom("serviceReadings").selectAll().where("serviceId", "=", of).executeTakeFirst();
}

test("each window is kept once, and the newest is the reading; a gap stays one", async () => {
  window(-40, { cpuCores: null });
  window(-30);
  window(-10, { cpuCores: 0.25, memoryMb: 120.5, instancesUp: 2 });
  await collector().collect();
  expect(waiting).toEqual([]);
  expect(await samples()).toMatchObject([
    { windowStart: new Date(at(-40)), cpuCores: null, memoryMb: 100, instancesUp: 1, instancesWanted: 1 },
    { windowStart: new Date(at(-30)), cpuCores: 0.5 },
    { windowStart: new Date(at(-10)), cpuCores: 0.25 },
  ]);
  expect(await reading()).toEqual({
    serviceId: shop,
    accountId: account.accountId,
    windowStart: new Date(at(-10)),
    cpuCores: 0.25,
    memoryMb: 120.5,
    instancesUp: 2,
    instancesWanted: 1,
  });
});

test("windows that come again after a crash, or late, change nothing of what is there", async () => {
  window(-10);
  const killed = collector({
    engine: {
      readUsage: async (counted) => {
        if (counted.length > 0) throw new EngineUnreachableError("killed");
        return waiting;
      },
    },
  });
  await expect(killed.collect()).rejects.toThrow("killed");
  window(-20, { cpuCores: 9 });
  waiting = [...waiting, { windowStart: at(-10), services: [] }];
  await collector().collect();
  expect((await samples()).map(({ cpuCores }) => cpuCores)).toEqual([9, 0.5]);
  expect(await reading()).toMatchObject({ windowStart: new Date(at(-10)), cpuCores: 0.5 });
});

test("what should run and does not is seen to; what need not run is no outage and leaves no windows", async () => {
  const crashed = await newService("Crashed", ", instances = 2");
  const stopped = await newService("Stopped", ", desired_state = 'STOPPED'");
  const suspended = await newService("Suspended", ", status = 'SUSPENDED'");
  const site = await newService("Site", "", '{"start": null}');
  const fresh = (
    await account.call("POST", "/services", { projectId, name: "x", repoUrl: "https://example.com/a.git" })
  ).body.service.id;
  window(-10, { serviceId: crashed, instancesUp: 0, cpuCores: null, memoryMb: null });
  window(0);
  await collector().collect();
  expect(await reading(crashed)).toMatchObject({ instancesUp: 0, instancesWanted: 2, cpuCores: null });
  expect(await samples(crashed)).toHaveLength(2);
  for (const id of [stopped, suspended, site]) {
    expect(await reading(id)).toMatchObject({ instancesUp: 0, instancesWanted: 0 });
    expect(await samples(id)).toEqual([]);
  }
  expect(await reading(fresh)).toBeUndefined();
});

test("services that are gone, and ids that are none, do not hold up the others", async () => {
  window(-10, { serviceId: newId() }, { serviceId: "no id" }, {});
  await collector().collect();
  expect(await samples()).toHaveLength(1);
  await account.call("DELETE", `/services/${shop}`);
  await collector().collect();
  expect(await reading()).toBeUndefined();
});

test("of two collectors without a lock each window still counts once", async () => {
  for (let n = 0; n < 60; n += 1) window(-10 * n);
  const free = { withLock: async (_name: string, work: () => Promise<void>) => work().then(() => true) };
  await Promise.all([collector({ locks: free }).collect(), collector({ locks: free }).collect()]);
  expect(await samples()).toHaveLength(60);
});

test("hours are made of their windows, again while more come; the old goes, in its time", async () => {
  now += 35 * 60_000;
  window(-3600, { cpuCores: 1, memoryMb: 50 });
  window(-3590, { cpuCores: 2, memoryMb: null, instancesUp: 0 });
  window(-20, { cpuCores: null });
  const one = collector();
  await one.collect();
  const hours = () =>
    database.selectFrom("serviceSampleHours").selectAll().where("serviceId", "=", shop).orderBy("hour").execute();
  expect(await hours()).toMatchObject([
    { cpuCoresAvg: 1.5, cpuCoresMax: 2, memoryMbAvg: 50, memoryMbMax: 50, instancesUpMin: 0, instancesWantedMax: 1 },
    { cpuCoresAvg: null, memoryMbAvg: 100 },
  ]);
  now += 5 * 60_000;
  window(-20, { cpuCores: 3 });
  await one.collect();
  expect((await hours()).map(({ cpuCoresAvg }) => cpuCoresAvg)).toContain(3);
  now += 24.98 * hourMs;
  await one.collect();
  expect(await samples()).toHaveLength(1);
  expect((await hours())[0]).toMatchObject({ cpuCoresAvg: 1.5, instancesUpMin: 0 });
  now += 30 * 24 * hourMs;
  await one.collect();
  expect([await samples(), await hours()]).toEqual([[], []]);
});

/** As `GET /services/{id}/metrics` answers at that time. */
function series(query: object = {}) {
  const row = async () => ({ type: "WEB", createdAt: new Date(now - 10 * 24 * hourMs) });
  // The service's row and the caller's account are all that it asks for.
  const service = new MetricsService(database, { row } as never, { now: () => new Date(now) });
  return service.ofService({ accountId: account.accountId } as never, shop, query);
}

async function traffic(seconds: number, latencies: readonly number[], requests = latencies.length): Promise<void> {
  const buckets: number[] = [];
  for (const ms of latencies) buckets[latencyBucket(ms)] = (buckets[latencyBucket(ms)] ?? 0) + 1;
  const row = [
    account.accountId,
    shop,
    at(seconds),
    requests,
    [0, requests, 0, 0, 0],
    Array.from(buckets, (n) => n ?? 0),
  ];
  await api.query("insert into service_traffic values ($1, $2, $3, $4, 10, 100, $5, $6)", row);
  await api.query(
    "insert into service_traffic_hours values ($1, $2, date_trunc('hour', $3::timestamptz, 'UTC'), $4, 10, 100, $5, $6) on conflict do nothing",
    row,
  );
}

test("a span is shown in whole intervals, usage and traffic side by side, gaps as gaps", async () => {
  window(-60, { cpuCores: 0.1, memoryMb: 10 });
  window(-50, { cpuCores: 0.3, memoryMb: 20, instancesUp: 3 });
  window(-30, { cpuCores: null });
  await collector().collect();
  await traffic(-60, [10, 10, 10, 500]);
  await traffic(-40, []);
  const { data, ...frame } = await series({ since: at(-60), until: at(10), step: 20 });
  expect(frame).toEqual({ since: at(-60), until: at(30), stepSeconds: 30 });
  expect(data).toEqual([
    {
      at: at(-60),
      cpuCores: 0.2,
      cpuCoresMax: 0.3,
      memoryMb: 15,
      memoryMbMax: 20,
      instancesUp: 1,
      instancesWanted: 1,
      requests: 4,
      bytesIn: 20,
      bytesOut: 200,
      statuses: { "1xx": 0, "2xx": 4, "3xx": 0, "4xx": 0, "5xx": 0 },
      latencyMs: { p50: expect.closeTo(10, -0.5), p95: expect.closeTo(500, -2), p99: expect.closeTo(500, -2) },
    },
    expect.objectContaining({ at: at(-30), cpuCores: null, memoryMb: 100, requests: null, statuses: null }),
    {
      at: at(0),
      cpuCores: null,
      cpuCoresMax: null,
      memoryMb: null,
      memoryMbMax: null,
      instancesUp: null,
      instancesWanted: null,
      requests: null,
      bytesIn: null,
      bytesOut: null,
      statuses: null,
      latencyMs: null,
    },
  ]);
});

test("no traffic is zero where that is known: not before the service was, nor while it may still come", async () => {
  const { data, stepSeconds } = await series();
  expect([stepSeconds, data.length]).toEqual([10, 360]);
  expect(data[0]).toMatchObject({ requests: 0, bytesIn: 0, latencyMs: null, cpuCores: null });
  expect(data.at(-4)).toMatchObject({ requests: 0 });
  expect(data.at(-1)).toMatchObject({ requests: null });
  expect((await series({ since: at(-20 * 86_400), until: at(-19 * 86_400) })).data[0]).toMatchObject({
    requests: null,
  });
});

test("beyond a day it is shown by hours", async () => {
  window(-1500, { cpuCores: 2 });
  await collector().collect();
  await traffic(-1500, [7]);
  const { data, stepSeconds } = await series({ since: at(-3 * 86_400), step: 10 });
  expect([stepSeconds, data.length]).toEqual([3600, 73]);
  expect(data.find((point) => point.cpuCores !== null)).toMatchObject({ cpuCores: 2, cpuCoresMax: 2, requests: 1 });
  expect(data[3]).toMatchObject({ cpuCores: null, requests: 0 });
});

test("nothing of another account's is added up, whoever asks", async () => {
  window(-60);
  await collector().collect();
  await traffic(-60, [1]);
  const other = await api.newAccount();
  account = other;
  expect((await series()).data.every(({ cpuCores, requests }) => cpuCores === null && !requests)).toBe(true);
  expect((await other.call("GET", `/services/${shop}/metrics`)).status).toBe(404);
});

test("spans that are none are refused with their place", async () => {
  for (const query of [
    `since=${at(0)}&until=${at(0)}`,
    `since=${at(10)}&until=${at(0)}`,
    `since=${at(-32 * 86_400)}`,
    "since=2026-06-30T23:59:60Z",
    "since=yesterday",
    "step=9",
    "step=10.5",
  ]) {
    const answer = await account.call("GET", `/services/${shop}/metrics?${query}`);
    expect([answer.status, query]).toEqual([422, query]);
    expect(answer.body.error.details[0].in).toBe("query");
  }
  expect((await account.call("GET", `/services/${shop}/metrics`)).body.data.length).toBeGreaterThanOrEqual(360);
});
