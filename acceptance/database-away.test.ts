/** The database is away for ten seconds: services never notice, the API says so and recovers by itself, deployments end. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type GitServer, startGitServer } from "../tests/git-server.fixture.ts";
import { childrenOf, processesWith, signalIfAlive } from "../tests/processes.fixture.ts";
import { webApp } from "./apps.ts";
import { type Account, type Answer, type Json, type Ksar, startKsar, until } from "./ksar.fixture.ts";
import { countingApp, countsIn, gapsIn, load } from "./load.fixture.ts";

const awayMs = 10_000;
const pollMs = 50;

let ksar: Ksar;
let git: GitServer;
let account: Account;
let web: Json;
let counting: Json;

beforeAll(async () => {
  [ksar, git] = await Promise.all([startKsar(), startGitServer()]);
  account = await ksar.newAccount();
  const [app, counter] = [
    await git.addRepository("web", webApp("version one")),
    await git.addRepository("counting", countingApp),
  ];
  web = await account.newService({ name: "Web", repoUrl: app.url });
  counting = await account.newService({ name: "Counting", repoUrl: counter.url, type: "WORKER" });
  for (const { id } of [web, counting]) expect(await account.deploy(id)).toMatchObject({ status: "LIVE" });
});
afterAll(() => Promise.all([ksar?.close(), git?.close()]));

/** 0 when there is none. */
function postmaster(): number {
  try {
    const [pid = ""] = readFileSync(join(ksar.dataDir, "postgres", "postmaster.pid"), "utf8").split("\n");
    return processesWith(join(ksar.dataDir, "postgres")).includes(Number(pid)) ? Number(pid) : 0;
  } catch {
    return 0;
  }
}

function signalDatabase(signal: NodeJS.Signals): void {
  const pid = postmaster();
  if (pid !== 0) signalIfAlive(pid, signal);
}

/** Ends it as often as it is started again, until the time is over: by a crash of its own making, or by none. */
async function keepAway(): Promise<void> {
  const end = Date.now() + awayMs;
  for (let n = 0; Date.now() < end; n++) {
    signalDatabase(n % 2 === 0 ? "SIGKILL" : "SIGQUIT");
    await delay(pollMs);
  }
}

/** What the API says meanwhile, over and over. */
function ask(): { stop(): Promise<readonly Answer[]> } {
  const answers: Answer[] = [];
  let going = true;
  const asking = (async () => {
    for (; going; await delay(pollMs)) answers.push(await account.call("GET", "/services"));
  })();
  return {
    async stop() {
      going = false;
      await asking;
      return answers;
    },
  };
}

async function expectUnnoticed(work: () => Promise<void>): Promise<void> {
  const visitors = load(web.url);
  await work();
  expect((await visitors.stop()).failures).toEqual([]);
  const counts = await countsIn(account, counting.id);
  expect(gapsIn(counts)).toEqual([]);
  expect(counts.filter((count) => count === 0)).toHaveLength(1);
}

async function untilBack(): Promise<void> {
  await until(async () => (await account.call("GET", "/services")).status === 200, "the API to be back");
}

test("killed whenever it comes back: the API says so, and a deployment goes on where it was", () =>
  expectUnnoticed(async () => {
    const { url } = await git.addRepository("slow", {
      ...webApp("version slow"),
      // Ends while the database is away.
      "package.json": JSON.stringify({ name: "slow", scripts: { build: "sleep 4", start: "node server.js" } }),
    });
    const service = await account.newService({ name: "Slow", repoUrl: url });
    const { deploymentId } = await account.must("POST", `/services/${service.id}/deploy`);
    await until(
      async () => (await account.must("GET", `/deployments/${deploymentId}`)).deployment.status !== "QUEUED",
      "the build to begin",
    );
    const asking = ask();
    await keepAway();
    await untilBack();
    const answers = await asking.stop();
    const refused = answers.filter(({ status }) => status !== 200);
    expect(refused.length).toBeGreaterThan(0);
    for (const { status, body } of refused)
      expect([status, body]).toEqual([503, { error: { code: "unavailable", message: expect.any(String) } }]);
    expect(await account.untilEnded(deploymentId)).toMatchObject({ status: "LIVE", errorMessage: null });
    expect((await ksar.visit(service.url)).text).toBe("version slow");
    // And what comes after is as it always was.
    expect(await account.deploy(service.id)).toMatchObject({ status: "LIVE" });
    await account.must("DELETE", `/services/${service.id}`);
  }));

test("frozen: requests wait or are told so, and all is well when it goes on", () =>
  expectUnnoticed(async () => {
    const frozen = postmaster();
    const all = childrenOf(frozen);
    const { deploymentId } = await account.must("POST", `/services/${web.id}/restart`);
    for (const pid of [frozen, ...all]) signalIfAlive(pid, "SIGSTOP");
    const asking = ask();
    await delay(awayMs);
    for (const pid of [...all, frozen]) signalIfAlive(pid, "SIGCONT");
    await untilBack();
    for (const { status, body } of await asking.stop())
      expect(status === 200 ? "" : body.error?.code).toBe(status === 200 ? "" : "unavailable");
    expect(await account.untilEnded(deploymentId)).toMatchObject({ status: "LIVE", errorMessage: null });
    expect(postmaster()).toBe(frozen);
  }));
