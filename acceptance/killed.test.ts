/**
 * kill -9 of the control plane in every state of a deployment: the next start takes the deployment on where it stood, one
 * release serves and nothing else runs, and neither visitors nor logs notice. A state lasts for as long as the test has its
 * file lie in the service's home.
 */
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type GitServer, startGitServer } from "../tests/git-server.fixture.ts";
import { processesWith } from "../tests/processes.fixture.ts";
import { webApp } from "./apps.ts";
import { type Account, type Json, type Ksar, startKsar, until } from "./ksar.fixture.ts";
import { countingApp, countsIn, gapsIn, load } from "./load.fixture.ts";

let ksar: Ksar;
let git: GitServer;
let account: Account;
let repository: Awaited<ReturnType<GitServer["addRepository"]>>;
let service: Json;
let counting: Json;
let version = 0;

/** It builds, prepares and starts only once the file that holds it up is gone; its words are on every command line. */
function heldApp(n: number): Record<string, string> {
  const hold = (what: string) => `node held-up.js held-app-${n}- ${what}`;
  return {
    ...webApp(`version ${n}`),
    "package.json": JSON.stringify({
      name: "held",
      scripts: { build: hold("build"), start: `${hold("start")} && exec node server.js held-app-${n}-` },
    }),
    Procfile: `release: ${hold("pre-deploy")}\n`,
    "held-up.js": `
const { existsSync } = require("node:fs");
const look = () => existsSync(process.env.HOME + "/hold-" + process.argv[3]) && setTimeout(look, 50);
look();
`,
  };
}

function home(): string {
  return join(ksar.dataDir, "apps", service.id, "home");
}

function hold(what: string): { letGo(): void } {
  mkdirSync(home(), { recursive: true });
  const file = join(home(), `hold-${what}`);
  writeFileSync(file, "");
  return { letGo: () => rmSync(file) };
}

beforeAll(async () => {
  [ksar, git] = await Promise.all([startKsar({ KSAR_MAX_BUILDS: "1" }), startGitServer()]);
  account = await ksar.newAccount();
  repository = await git.addRepository("held", heldApp(0));
  const counter = await git.addRepository("counting", countingApp);
  service = await account.newService({ name: "Held", repoUrl: repository.url });
  counting = await account.newService({ name: "Counting", repoUrl: counter.url, type: "WORKER" });
  for (const { id } of [service, counting]) expect(await account.deploy(id)).toMatchObject({ status: "LIVE" });
});
afterAll(() => Promise.all([ksar?.close(), git?.close()]));

async function statusOf(deploymentId: string): Promise<string> {
  return (await account.must("GET", `/deployments/${deploymentId}`)).deployment.status;
}

async function begin(): Promise<string> {
  version += 1;
  await repository.commit(heldApp(version));
  return (await account.must("POST", `/services/${service.id}/deploy`)).deploymentId;
}

async function killAndRestart(): Promise<void> {
  await ksar.kill("SIGKILL");
  await ksar.restart();
}

/** The newest release's instances themselves, without the shells around them. */
function serving(): readonly number[] {
  return processesWith(`node\0server.js\0held-app-${version}-`);
}

/** The processes of the newest release that are held up there. */
function heldUp(what: string): readonly number[] {
  return processesWith(`held-app-${version}-\0${what}`);
}

/** The deployment goes live, and of all that was ever deployed just this runs. */
async function expectOnly(deploymentId: string): Promise<void> {
  expect(await account.untilEnded(deploymentId)).toMatchObject({
    status: "LIVE",
    errorMessage: null,
    isCurrent: true,
  });
  expect((await ksar.visit(service.url)).text).toBe(`version ${version}`);
  await until(
    async () =>
      processesWith("held-app-").length === processesWith(`held-app-${version}-`).length && serving().length === 1,
    "nothing but one instance of it to be left",
    45,
  );
  const runs = new Set<string>();
  for (let n = 0; n < 10; n++) runs.add((await ksar.visit(service.url, { path: "/run" })).text);
  expect(runs.size).toBe(1);
}

/** Nobody's request fails meanwhile, and the counting service goes on with its count. */
async function unnoticed(work: () => Promise<void>): Promise<void> {
  const visitors = load(service.url);
  await work().finally(async () => {
    const { failures, requests } = await visitors.stop();
    expect(failures).toEqual([]);
    expect(requests).toBeGreaterThan(100);
  });
  const counts = await countsIn(account, counting.id);
  expect(gapsIn(counts)).toEqual([]);
  expect(counts.filter((count) => count === 0)).toHaveLength(1);
}

test("QUEUED: it is begun by the next start", () =>
  unnoticed(async () => {
    const held = hold("build");
    const first = await begin();
    await until(async () => heldUp("build").length > 0, "the first to have the only place", 60);
    const second = await begin();
    expect(await statusOf(second)).toBe("QUEUED");
    await killAndRestart();
    expect(await statusOf(second)).toBe("QUEUED");
    held.letGo();
    expect(await account.untilEnded(first)).toMatchObject({ status: "LIVE" });
    await expectOnly(second);
  }));

test("QUEUED: a kill right behind the answer to the request", () =>
  unnoticed(async () => {
    const deploymentId = await begin();
    await killAndRestart();
    await expectOnly(deploymentId);
  }));

test.each([
  ["BUILDING", "build"],
  ["PUSHING", "pre-deploy"],
  ["DEPLOYING", "start"],
])("%s: it is finished by the next start", (state, what) =>
  unnoticed(async () => {
    const held = hold(what);
    const deploymentId = await begin();
    await until(async () => heldUp(what).length > 0, `the deployment to be held up in ${state}`, 60);
    expect(await statusOf(deploymentId)).toBe(state);
    await killAndRestart();
    expect(await statusOf(deploymentId)).toBe(state);
    expect((await ksar.visit(service.url)).text).toBe(`version ${version - 1}`);
    held.letGo();
    await killAndRestart();
    await expectOnly(deploymentId);
    expect((await account.buildLog(deploymentId)).match(/==> pre-deploy/g)).toHaveLength(1);
  }),
);

test("LIVE: a kill at the moment when the edge switches", () =>
  unnoticed(async () => {
    const deploymentId = await begin();
    await until(
      async () => (await ksar.visit(service.url)).text === `version ${version}`,
      "the first answer of the new release",
      60,
    );
    await killAndRestart();
    await expectOnly(deploymentId);
  }));

test("LIVE: a kill while the release before it is drained", () =>
  unnoticed(async () => {
    const held = hold("start");
    const deploymentId = await begin();
    await until(async () => heldUp("start").length > 0, "it to be held up at its start", 60);
    const old = ksar.visit(service.url, { path: "/slow" });
    held.letGo();
    await until(async () => (await statusOf(deploymentId)) === "LIVE", "it to be live", 60);
    await killAndRestart();
    expect((await old).status).toBe(200);
    await expectOnly(deploymentId);
  }));

test("again and again, as soon as it is up: it comes to its end all the same", () =>
  unnoticed(async () => {
    const deploymentId = await begin();
    for (let kill = 0; kill < 5; kill++) await killAndRestart();
    await expectOnly(deploymentId);
  }));

test("a kill while a release fails to start: it fails with its reason, and the one before it serves on", () =>
  unnoticed(async () => {
    const held = hold("start");
    await repository.commit({ ...heldApp(version + 1), "server.js": `console.log("no such table"); process.exit(3);` });
    const { deploymentId } = await account.must("POST", `/services/${service.id}/deploy`);
    await until(async () => (await statusOf(deploymentId)) === "DEPLOYING", "it to start", 60);
    await ksar.kill("SIGKILL");
    held.letGo();
    await ksar.restart();
    const ended = await account.untilEnded(deploymentId);
    expect(ended).toMatchObject({ status: "FAILED", errorMessage: expect.stringMatching(/code 3.*no such table/s) });
    await until(async () => processesWith(`held-app-${version + 1}-`).length === 0, "the failed release to be gone");
    expect((await ksar.visit(service.url)).text).toBe(`version ${version}`);
    version += 1;
    await expectOnly(await begin());
  }));
