/** Kills, restarts and switches: live services go on answering, and what was begun is finished. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type GitServer, startGitServer } from "../tests/git-server.fixture.ts";
import { killPart, partOf, processesWith } from "../tests/processes.fixture.ts";
import { webApp, workerApp } from "./apps.ts";
import { type Account, type Ksar, startKsar, until } from "./ksar.fixture.ts";
import { load } from "./load.fixture.ts";

let ksar: Ksar;
let git: GitServer;
let account: Account;

beforeAll(async () => {
  [ksar, git] = await Promise.all([startKsar(), startGitServer()]);
  account = await ksar.newAccount();
});
afterAll(() => Promise.all([ksar?.close(), git?.close()]));

test("five redeployments under load lose no request", async () => {
  const repository = await git.addRepository("switched", webApp("version 0"));
  const service = await account.newService({ name: "Switched", repoUrl: repository.url, instances: 2 });
  expect((await account.deploy(service.id)).status).toBe("LIVE");
  const running = load(service.url);
  for (let n = 1; n <= 5; n++) {
    await repository.commit(webApp(`version ${n}`));
    expect((await account.deploy(service.id)).status).toBe("LIVE");
    expect((await ksar.visit(service.url)).text).toBe(`version ${n}`);
  }
  const { requests, failures } = await running.stop();
  expect(failures).toEqual([]);
  expect(requests).toBeGreaterThan(100);
});

test("the control plane killed during a build: services go on, the build is finished by the next start", async () => {
  const live = await git.addRepository("living", webApp("version alive"));
  const liveService = await account.newService({ name: "Living", repoUrl: live.url });
  expect((await account.deploy(liveService.id)).status).toBe("LIVE");
  const worker = await git.addRepository("ticking", workerApp);
  const workerService = await account.newService({ name: "Ticking", repoUrl: worker.url, type: "WORKER" });
  expect((await account.deploy(workerService.id)).status).toBe("LIVE");
  const run = (await ksar.visit(liveService.url, { path: "/run" })).text;

  const slow = await git.addRepository("slow-build", {
    ...webApp("version built"),
    "package.json": JSON.stringify({
      name: "x",
      scripts: { build: "echo half-way; sleep 4; echo all-done", start: "node server.js" },
    }),
  });
  const service = await account.newService({ name: "Slow", repoUrl: slow.url });
  const { deploymentId } = await account.must("POST", `/services/${service.id}/deploy`);
  await until(async () => (await account.buildLog(deploymentId)).includes("half-way"), "the build to be half-way", 60);

  const running = load(liveService.url);
  await ksar.kill("SIGKILL");
  await until(
    async () => (await ksar.visit(liveService.url)).text === "version alive",
    "the edge to answer without a control plane",
  );
  await ksar.restart();
  expect(await account.untilEnded(deploymentId)).toMatchObject({ status: "LIVE", errorMessage: null });
  expect((await ksar.visit(service.url)).text).toBe("version built");
  expect(await account.buildLog(deploymentId)).toMatch(/all-done/);

  const { failures, requests } = await running.stop();
  expect(failures).toEqual([]);
  expect(requests).toBeGreaterThan(50);
  expect((await ksar.visit(liveService.url, { path: "/run" })).text).toBe(run);
  const { data } = await account.must("GET", `/services/${workerService.id}/logs?limit=1000&search=tick`);
  const ticks = data.map((entry: { line: string }) => Number(entry.line.split(" ")[1]));
  expect(ticks).toEqual(ticks.map((_: number, n: number) => ticks[0] + n));
});

test("SIGTERM ends the control plane in order; services and their lines go on; the next start takes them over", async () => {
  const repository = await git.addRepository("going-on", webApp("version on"));
  const service = await account.newService({ name: "Going on", repoUrl: repository.url });
  expect((await account.deploy(service.id)).status).toBe("LIVE");
  const run = (await ksar.visit(service.url, { path: "/run" })).text;
  const asked = Date.now();
  expect(await ksar.kill("SIGTERM")).toBe(0);
  expect(Date.now() - asked).toBeLessThan(30_000);
  expect((await ksar.visit(service.url)).text).toBe("version on");
  await ksar.visit(service.url, { path: "/crash", method: "POST" }).catch(() => undefined);
  await until(
    // HAProxy ends a kept connection whose answer breaks off: the visitor is to ask again.
    async () => (await ksar.visit(service.url).catch(() => null))?.status === 200,
    "the crashed instance to be back without a control plane",
  );
  await ksar.restart();
  expect((await ksar.visit(service.url, { path: "/run" })).text).not.toBe(run);
  expect((await account.must("GET", `/services/${service.id}/logs?search=exited`)).data).toHaveLength(1);
});

test.each(["edge", "agent"] as const)(
  "the %s killed with kill -9 is back within seconds, and services with it",
  async (part) => {
    const repository = await git.addRepository(`killed-${part}`, webApp("version still"));
    const service = await account.newService({ name: `Killed ${part}`, repoUrl: repository.url });
    expect((await account.deploy(service.id)).status).toBe("LIVE");
    const run = (await ksar.visit(service.url, { path: "/run" })).text;
    const processId = killPart(ksar.dataDir, `${part}.ts`);
    await until(async () => ![0, processId].includes(partOf(ksar.dataDir, `${part}.ts`)), `another ${part}`, 30);
    await until(
      async () => (await ksar.visit(service.url, { path: "/run" }).catch(() => null))?.text === run,
      "the same instance to answer",
      30,
    );
    expect((await account.deploy(service.id)).status).toBe("LIVE");
  },
);

test("PostgreSQL killed with kill -9 is back within seconds; services never notice", async () => {
  const repository = await git.addRepository("database", webApp("version kept"));
  const service = await account.newService({ name: "Database", repoUrl: repository.url });
  expect((await account.deploy(service.id)).status).toBe("LIVE");
  const running = load(service.url);
  const file = join(ksar.dataDir, "postgres", "postmaster.pid");
  const postmaster = () => (existsSync(file) ? Number(readFileSync(file, "utf8").split("\n")[0]) : 0);
  const killed = postmaster();
  process.kill(killed, "SIGKILL");
  await until(async () => ![0, killed].includes(postmaster()), "another PostgreSQL");
  await until(async () => (await account.call("GET", "/services")).status === 200, "the API to be back");
  expect((await account.deploy(service.id)).status).toBe("LIVE");
  expect((await running.stop()).failures).toEqual([]);
});

test("one data directory runs once", async () => {
  const second = await ksar.cli("up");
  expect(second.code).toBe(1);
  expect(second.stderr).toMatch(/runs already/);
});

test("down ends everything, up brings every service back", async () => {
  const repository = await git.addRepository("returning", webApp("version back"));
  const service = await account.newService({ name: "Returning", repoUrl: repository.url });
  expect((await account.deploy(service.id)).status).toBe("LIVE");
  expect(processesWith(service.id)).not.toEqual([]);
  expect((await ksar.cli("down")).code).toBe(0);
  expect(processesWith(ksar.dataDir)).toEqual([]);
  await expect(ksar.visit(service.url)).rejects.toThrow();
  await ksar.restart();
  await until(async () => (await ksar.visit(service.url)).text === "version back", "the service to be back");
});
