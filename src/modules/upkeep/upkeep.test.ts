import { randomUUIDv7 } from "node:crypto";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type pg from "pg";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { startTestApi, type TestAccount, type TestApi } from "../../../tests/api.fixture.ts";
import { AgentFixture } from "../../engines/local/agent.fixture.ts";
import { createDatabase, createPool } from "../../platform/database/database.ts";
import { createLogger } from "../../platform/log.ts";
import { keptArtifacts } from "../deployments/deployments.repo.ts";
import { UpkeepSweeper } from "./upkeep.sweeper.ts";

// Real rows and a real agent; the folders stand for what deployments left.

const hour = 60 * 60_000;
const day = 24 * hour;

let api: TestApi;
let account: TestAccount;
let agent: AgentFixture;
let pool: pg.Pool;
let sweeper: UpkeepSweeper;
let serviceId: string;
let projectId: string;

beforeAll(async () => {
  agent = new AgentFixture();
  [api] = await Promise.all([startTestApi(), agent.start()]);
  account = await api.newAccount();
  projectId = (await account.call("POST", "/projects", { name: "Upkeep" })).body.project.id;
  pool = createPool({ ...api.database.connection, max: 2 }, () => undefined);
  const database = createDatabase(pool);
  sweeper = new UpkeepSweeper({
    database,
    engine: agent.engine,
    clock: { now: () => new Date() },
    logger: createLogger("test", "silent"),
    knownSandboxes: async () => new Set(),
    keptArtifacts: (id) => keptArtifacts(database, id, 5),
  });
});
afterAll(async () => {
  await Promise.all([agent.dispose(), pool.end()]);
  await api.close();
});

beforeEach(async () => {
  const fields = { projectId, name: "app", repoUrl: "https://example.com/a.git" };
  serviceId = (await account.call("POST", "/services", fields)).body.service.id;
});

/** An id that was made so long ago. */
function oldId(age: number): string {
  const time = (Date.now() - age).toString(16).padStart(12, "0");
  return `${time.slice(0, 8)}-${time.slice(8)}${randomUUIDv7().slice(13)}`;
}

async function addDeployment(status: string, age: number, artifactId?: string): Promise<string> {
  const id = oldId(age);
  const finished = ["LIVE", "FAILED", "CANCELLED"].includes(status) ? new Date(Date.now() - age) : null;
  await pool.query(
    `insert into deployments (id, account_id, service_id, status, trigger, branch, artifact_id, settings, created_at, finished_at)
     values ($1, $2, $3, $4, 'API', 'main', $5, '{}', $6, $7)`,
    [id, account.accountId, serviceId, status, artifactId ?? id, new Date(Date.now() - age), finished],
  );
  return id;
}

async function setCurrent(id: string): Promise<void> {
  await pool.query("update services set current_deployment_id = $1 where id = $2", [id, serviceId]);
}

function folder(...parts: readonly string[]): string {
  const path = join(agent.dataDir, ...parts);
  mkdirSync(path, { recursive: true });
  writeFileSync(join(path, "file"), "x");
  return path;
}

const release = (id: string, service = serviceId) => folder("apps", service, "releases", id);
const build = (id: string, service = serviceId) => folder("apps", service, "builds", id);
const log = (id: string) => folder("logs", "builds", id);

test("the release that serves and the newest others, five in all, stay; what failed goes", async () => {
  const live: string[] = [];
  for (let age = 8; age >= 1; age -= 1) live.push(await addDeployment("LIVE", age * day));
  const [oldest = "", second = ""] = live;
  // A rollback to the oldest serves.
  await setCurrent(await addDeployment("LIVE", hour / 2, oldest));
  const failed = await addDeployment("FAILED", hour / 3);
  const active = await addDeployment("BUILDING", 0);
  const kept = [oldest, ...live.slice(-4)].map((id) => release(id));
  const gone = [second, ...live.slice(2, 4), failed].map((id) => release(id));
  const static1 = folder("static", live.at(-1) ?? "");
  const static2 = folder("static", second);
  const underWay = build(active);
  const leftBuild = build(failed);
  await sweeper.sweep(serviceId);
  expect(kept.filter((path) => !existsSync(path))).toEqual([]);
  expect([...gone, leftBuild, static2].filter((path) => existsSync(path))).toEqual([]);
  expect([underWay, static1].every((path) => existsSync(path))).toBe(true);
});

test("what a rollback that waits needs stays", async () => {
  const live: string[] = [];
  for (let age = 7; age >= 1; age -= 1) live.push(await addDeployment("LIVE", age * day));
  await setCurrent(live.at(-1) ?? "");
  const [oldest = ""] = live;
  await addDeployment("QUEUED", 0, oldest);
  const path = release(oldest);
  await sweeper.sweep(null);
  expect(existsSync(path)).toBe(true);
});

test("logs of the last 50 deployments, and of the last 30 days, stay", async () => {
  const ids: string[] = [];
  for (let number = 0; number < 53; number += 1) ids.push(await addDeployment("FAILED", (90 - number) * day));
  const recent = await addDeployment("FAILED", 29 * day);
  const paths = [...ids, recent].map(log);
  await sweeper.sweep(serviceId);
  expect(paths.map((path) => existsSync(path))).toEqual(paths.map((_, index) => index >= 4));
});

test("what no row names goes once it is older than an hour; what has no time stays", async () => {
  const known = release(await addDeployment("QUEUED", 0));
  const old = [
    release(oldId(2 * hour)),
    build(oldId(2 * hour)),
    folder("static", oldId(2 * hour)),
    log(oldId(2 * hour)),
  ];
  const oldService = oldId(3 * hour);
  old.push(release(oldId(2 * hour), oldService), join(agent.dataDir, "apps", oldService));
  const young = [release(oldId(hour / 2)), folder("static", oldId(hour / 2)), log(oldId(hour / 2))];
  young.push(folder("apps", oldId(hour / 2)));
  const timeless = [folder("apps", crypto.randomUUID()), folder("static", crypto.randomUUID())];
  await sweeper.sweep(serviceId);
  expect(old.every((path) => existsSync(path))).toBe(true);
  await sweeper.sweep(null);
  expect(old.filter((path) => existsSync(path))).toEqual([]);
  expect([known, ...young, ...timeless].filter((path) => !existsSync(path))).toEqual([]);
});

test("nothing goes where the rows name nothing of what is there", async () => {
  const other = new AgentFixture();
  await other.start();
  try {
    const path = join(other.dataDir, "apps", oldId(3 * hour), "releases", oldId(2 * hour));
    mkdirSync(path, { recursive: true });
    const database = createDatabase(pool);
    await new UpkeepSweeper({
      database,
      engine: other.engine,
      clock: { now: () => new Date() },
      logger: createLogger("test", "silent"),
      knownSandboxes: async () => new Set(),
      keptArtifacts: (id) => keptArtifacts(database, id, 5),
    }).sweep(null);
    expect(existsSync(path)).toBe(true);
  } finally {
    await other.dispose();
  }
});
