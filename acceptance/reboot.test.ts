/**
 * A power cut, as far as a test can go: every process of Ksar's and of its services is killed at one moment, and what they
 * left behind (sockets, locks, records) names processes that are somebody else's by then. `ksar up` brings everything back.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { readdirSync, readFileSync, readlinkSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type GitServer, startGitServer } from "../tests/git-server.fixture.ts";
import { processesWith } from "../tests/processes.fixture.ts";
import { staticSite, webApp } from "./apps.ts";
import { type Account, type Json, type Ksar, startKsar, until } from "./ksar.fixture.ts";
import { countingApp, countsIn, gapsIn } from "./load.fixture.ts";
import { newDatabase, query, untilAvailable } from "./sql.fixture.ts";

let ksar: Ksar;
let git: GitServer;
let account: Account;
let web: Json;
let site: Json;
let counting: Json;
let database: { readonly id: string; readonly url: string };
const strangers: ChildProcess[] = [];

beforeAll(async () => {
  [ksar, git] = await Promise.all([startKsar(), startGitServer()]);
  account = await ksar.newAccount();
  const deployed = async (name: string, files: Record<string, string>, fields: object) => {
    const { url } = await git.addRepository(name, files);
    const service = await account.newService({ name, repoUrl: url, ...fields });
    expect(await account.deploy(service.id)).toMatchObject({ status: "LIVE" });
    return service;
  };
  web = await deployed("web", webApp("version one"), { instances: 2 });
  site = await deployed("site", staticSite, { type: "STATIC" });
  counting = await deployed("counting", countingApp, { type: "WORKER" });
  database = await newDatabase(account, "orders");
  await query(database.url, "create table kept as select 1 as n");
});
afterAll(async () => {
  for (const stranger of strangers) stranger.kill("SIGKILL");
  await Promise.all([ksar?.close(), git?.close()]);
});

/** Whatever names the data directory, on its command line or in its environment, and what any of those has started. */
function everything(): ReadonlySet<number> {
  const children = new Map<number, number[]>();
  const waiting: number[] = [];
  for (const pid of readdirSync("/proc").flatMap((name) => (/^\d+$/.test(name) ? [Number(name)] : []))) {
    const parent = parentOf(pid);
    children.set(parent, [...(children.get(parent) ?? []), pid]);
    if (textOf(pid, "cmdline").includes(ksar.dataDir) || textOf(pid, "environ").includes(ksar.dataDir))
      waiting.push(pid);
  }
  const found = new Set<number>();
  for (let pid = waiting.pop(); pid !== undefined; pid = waiting.pop()) {
    if (found.has(pid)) continue;
    found.add(pid);
    waiting.push(...(children.get(pid) ?? []));
  }
  return found;
}

/** Empty for one that has ended. */
function textOf(pid: number, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, "latin1");
  } catch {
    return "";
  }
}

function parentOf(pid: number): number {
  const stat = textOf(pid, "stat");
  return Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1] ?? 0);
}

/** All are stopped first, so that none notices another's end; again and again, for what was started meanwhile. */
async function cutThePower(): Promise<void> {
  await until(async () => {
    const left = everything();
    for (const name of ["SIGSTOP", "SIGKILL"] as const) for (const pid of left) signal(pid, name);
    return left.size === 0;
  }, "everything to be dead");
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch {
    // With its namespace's first process it has gone already.
  }
}

/** A process that has nothing to do with Ksar, of the same user as the file's owner. */
function strangerLike(path: string): number {
  const { uid, gid } = statSync(path);
  const stranger = spawn("sleep", ["600"], { stdio: "ignore", ...(process.getuid?.() === 0 ? { uid, gid } : {}) });
  strangers.push(stranger);
  return stranger.pid ?? 0;
}

/** As a reboot leaves it: the numbers are given to others, and the times are of another boot. */
function reuseEveryPid(): void {
  const boot = "00000000-0000-4000-8000-000000000000";
  const agent = join(ksar.dataDir, "agent");
  const replace = (file: string, change: (record: Json) => Json) =>
    writeFileSync(file, JSON.stringify(change(JSON.parse(readFileSync(file, "utf8")))));
  expect(readlinkSync(join(agent, "lock"))).toMatch(/^\d+ /);
  rmSync(join(agent, "lock"));
  symlinkSync(`${strangerLike(agent)} ${boot} 100`, join(agent, "lock"));
  for (const name of readdirSync(join(agent, "runs"))) {
    replace(join(agent, "runs", name, "record.json"), (record) =>
      record.process === null ? record : { ...record, process: { pid: strangerLike(agent), startedAt: `${boot} 100` } },
    );
  }
  const tenants = join(ksar.dataDir, "databases", database.id, "data", "postmaster.pid");
  writeFileSync(tenants, readFileSync(tenants, "utf8").replace(/^\d+/, String(strangerLike(tenants))));
  const postmaster = join(ksar.dataDir, "postgres", "postmaster.pid");
  const pid = strangerLike(postmaster);
  for (const file of [postmaster, join(ksar.dataDir, "run", "pg", ".s.PGSQL.5432.lock")])
    writeFileSync(file, readFileSync(file, "utf8").replace(/^\d+/, String(pid)));
}

test("everything killed at once, and every process number another's: ksar up brings it all back", async () => {
  const { url } = await git.addRepository("building", {
    ...webApp("version built"),
    "package.json": JSON.stringify({ name: "x", scripts: { build: "sleep 600", start: "node server.js" } }),
  });
  const building = await account.newService({ name: "Building", repoUrl: url });
  const { deploymentId } = await account.must("POST", `/services/${building.id}/deploy`);
  await until(async () => processesWith(`${building.id}/builds`).length > 0, "the build to run");

  await cutThePower();
  reuseEveryPid();
  await ksar.restart();

  await until(async () => (await ksar.visit(web.url)).text === "version one", "the service to be back");
  expect((await ksar.visit(site.url)).status).toBe(200);
  const runs = new Set<string>();
  await until(async () => runs.add((await ksar.visit(web.url, { path: "/run" })).text).size === 2, "both instances");
  expect(await account.untilEnded(deploymentId)).toMatchObject({
    status: "FAILED",
    errorMessage: expect.stringMatching(/\S/),
  });
  expect(processesWith(`${building.id}/builds`)).toEqual([]);

  const zeros = (counts: readonly number[]) => counts.filter((count) => count === 0).length;
  await until(async () => zeros(await countsIn(account, counting.id)) === 2, "the worker to count again");
  expect(gapsIn(await countsIn(account, counting.id))).toEqual([]);

  expect(await untilAvailable(account, database.id)).toBe(database.url);
  await until(() => query(database.url, "select n from kept where n = 1").catch(() => null), "the database to be back");

  expect(await account.deploy(web.id)).toMatchObject({ status: "LIVE" });
  expect((await ksar.visit(web.url)).text).toBe("version one");
  for (const stranger of strangers) expect([stranger.exitCode, stranger.signalCode]).toEqual([null, null]);
});

test("a power cut while everything starts again: the next start does it", async () => {
  // Again where the start was through before the cut came.
  for (let isUp = true; isUp; ) {
    await cutThePower();
    const starting = ksar.restart().then(
      () => true,
      () => false,
    );
    await until(async () => processesWith(join(ksar.dataDir, "postgres")).length > 0, "the start to be under way", 60);
    [isUp] = await Promise.all([starting, cutThePower()]);
  }
  await ksar.restart();
  await until(async () => (await ksar.visit(web.url)).text === "version one", "the service to be back");
  expect((await ksar.visit(site.url)).status).toBe(200);
});
