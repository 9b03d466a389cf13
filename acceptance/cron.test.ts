/** Cron jobs on the running program: where they run, what is kept of it, and kills in the middle of a run. */
import { existsSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import pg from "pg";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type GitServer, startGitServer } from "../tests/git-server.fixture.ts";
import { killPart, processesWith } from "../tests/processes.fixture.ts";
import { workerApp } from "./apps.ts";
import { type Account, type Json, type Ksar, startKsar, until } from "./ksar.fixture.ts";

let ksar: Ksar;
let git: GitServer;
let account: Account;
let service: Json;
let everyMinute: string;

beforeAll(async () => {
  [ksar, git] = await Promise.all([startKsar(), startGitServer()]);
  account = await ksar.newAccount();
  everyMinute = await newJob({ command: "echo due", schedule: "* * * * *" });
  const { url } = await git.addRepository("worker", { ...workerApp, "report.txt": "of the release\n" });
  service = await account.newService({ name: "worker", repoUrl: url, type: "WORKER" });
  await account.must("PUT", `/services/${service.id}/env`, { env: { GREETING: "salam", TOKEN: "very-secret-token" } });
  expect(await account.deploy(service.id)).toMatchObject({ status: "LIVE" });
});
afterAll(() => Promise.all([ksar?.close(), git?.close()]));

async function newJob(fields: Record<string, unknown>): Promise<string> {
  const body = { name: "Job", schedule: "0 0 1 1 *", ...fields };
  return (await account.must("POST", "/cron", body)).cronJob.id;
}

async function runsOf(job: string): Promise<readonly Json[]> {
  return (await account.must("GET", `/cron/${job}/runs`)).data;
}

async function runNow(job: string): Promise<Json> {
  const before = new Set((await runsOf(job)).map((run) => run.id));
  expect((await account.call("POST", `/cron/${job}/run`)).status).toBe(202);
  return until(
    async () => (await runsOf(job)).find((run) => !before.has(run.id) && run.finishedAt !== null),
    `a run of ${job} to end`,
    60,
  );
}

async function linesOf(run: Json): Promise<readonly string[]> {
  const page = await account.must("GET", `/cron/runs/${run.id}/logs`);
  return page.data.map((entry: Json) => entry.line);
}

/** A command that marks its beginning and waits until it is let go. */
function held(name: string, then: string): { readonly command: string; readonly mark: string; release(): void } {
  const home = join(ksar.dataDir, "apps", service.id, "home");
  const hold = join(home, `hold-${name}`);
  writeFileSync(hold, "");
  return {
    command: `echo begun >> "$HOME/mark-${name}"; while [ -e "$HOME/hold-${name}" ]; do sleep 0.1; done; ${then}`,
    mark: join(home, `mark-${name}`),
    release: () => rmSync(hold),
  };
}

test("a job runs in the release of its service, with its environment, and its output is kept", async () => {
  const job = await newJob({ serviceId: service.id, command: 'cat report.txt; echo "$GREETING $TOKEN"; exit 3' });
  const run = await runNow(job);
  expect(run).toMatchObject({
    status: "FAILED",
    trigger: "MANUAL",
    exitCode: 3,
    error: "The command ended with code 3.",
  });
  expect(await linesOf(run)).toEqual(["of the release", "salam [masked]"]);
  expect((await account.must("GET", `/cron/${job}`)).cronJob).toMatchObject({
    lastStatus: "FAILED",
    lastExitCode: 3,
    lastRunAt: run.startedAt,
    nextRunAt: expect.stringMatching(/-01-01T00:00:00.000Z$/),
  });
});

test("a job without a service has an empty folder of its own and nothing else", async () => {
  const job = await newJob({ command: 'ls -A; env | grep -c GREETING; touch left; ls "$HOME/../../.."' });
  for (const _ of [1, 2]) await runNow(job);
  for (const run of await runsOf(job)) {
    const lines = await linesOf(run);
    expect(lines[0]).toBe("0");
    expect(lines.join()).not.toContain(service.id);
  }
});

test("a run over its time is killed with all that it started: 124", async () => {
  const sleep = `600.${Date.now()}`;
  const job = await newJob({ command: `trap "" TERM; sleep ${sleep} & (sleep ${sleep} &); wait`, timeoutSeconds: 1 });
  expect(await runNow(job)).toMatchObject({
    status: "FAILED",
    exitCode: 124,
    error: expect.stringContaining("longer than its 1 s"),
  });
  expect(processesWith(sleep)).toEqual([]);
});

test("runs of a job do not overlap; a kill of the control plane or the agent makes none run twice, and loses no end", async () => {
  const hold = held("kills", "echo done; exit 7");
  const job = await newJob({ serviceId: service.id, command: hold.command });
  await account.must("POST", `/cron/${job}/run`);
  await until(async () => existsSync(hold.mark), "the run to begin");
  await account.must("POST", `/cron/${job}/run`);
  expect(await runsOf(job)).toMatchObject([
    { status: "SKIPPED", error: expect.stringContaining("previous run"), startedAt: null },
    { status: "RUNNING" },
  ]);
  await ksar.kill("SIGKILL");
  await ksar.restart();
  killPart(ksar.dataDir, "agent.ts");
  hold.release();
  const run = await until(async () => (await runsOf(job)).find((one) => one.status === "FAILED"), "the run to end", 60);
  expect(run).toMatchObject({ exitCode: 7, error: "The command ended with code 7." });
  expect(await linesOf(run)).toEqual(["done"]);
  const marks = await newJob({ serviceId: service.id, command: 'cat "$HOME/mark-kills"' });
  expect(await linesOf(await runNow(marks))).toEqual(["begun"]);
});

test("a run that ends while no control plane is there is recorded by the next one", async () => {
  const hold = held("alone", "echo done");
  const job = await newJob({ serviceId: service.id, command: hold.command });
  await account.must("POST", `/cron/${job}/run`);
  await until(async () => existsSync(hold.mark), "the run to begin");
  await ksar.kill("SIGKILL");
  hold.release();
  await ksar.restart();
  const runs = await until(async () => {
    const all = await runsOf(job);
    return all.every((run) => run.finishedAt !== null) && all;
  }, "the run to end");
  expect(runs).toMatchObject([{ status: "SUCCESS", exitCode: 0, error: null }]);
});

test("what is due runs by itself; what is deleted is gone with its processes and logs", async () => {
  // A minute is long: its time has come by now.
  const database = new pg.Client({ host: join(ksar.dataDir, "run", "pg"), user: "ksar", database: "ksar" });
  await database.connect();
  await database.query("update cron_jobs set next_run_at = date_trunc('minute', now()) where id = $1", [everyMinute]);
  await database.end();
  const run = await until(
    async () => (await runsOf(everyMinute)).find((one) => one.trigger === "SCHEDULE" && one.status === "SUCCESS"),
    "the next minute",
    90,
  );
  expect(run.scheduledFor).toMatch(/:00.000Z$/);
  expect(await linesOf(run)).toEqual(["due"]);
  const sleep = `600.${Date.now()}`;
  const job = await newJob({ command: `sleep ${sleep}` });
  await account.must("POST", `/cron/${job}/run`);
  await until(async () => processesWith(sleep).length > 0, "the run to begin");
  for (const one of [job, everyMinute]) await account.must("DELETE", `/cron/${one}`);
  await until(async () => processesWith(sleep).length === 0, "its processes to be gone");
  const logs = join(ksar.dataDir, "logs", "jobs");
  const left = () => [...readdirSync(logs), ...readdirSync(join(ksar.dataDir, "apps"))];
  await until(async () => !left().some((id) => [job, everyMinute].includes(id)), "its logs and folders to be gone");
  expect((await account.call("GET", `/cron/runs/${run.id}/logs`)).status).toBe(404);
});
