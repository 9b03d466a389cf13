/** Turns and runs, with a real agent and real processes; services' releases are tried in acceptance/cron.test.ts. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { startTestApi, type TestAccount, type TestApi } from "../../../tests/api.fixture.ts";
import { processesWith } from "../../../tests/processes.fixture.ts";
import { AgentFixture, longSleep } from "../../engines/local/agent.fixture.ts";
import { systemClock } from "../../kernel/clock.ts";
import { createDatabase, createPool, type Database } from "../../platform/database/database.ts";
import { LockSession } from "../../platform/database/lock-session.ts";
import { createLogger } from "../../platform/log.ts";
import { ActivityService } from "../activity/activity.service.ts";
import { UpkeepSweeper } from "../upkeep/upkeep.sweeper.ts";
import { CronCleaner } from "./cron.cleaner.ts";
import { CronRunner, type CronRunnerOptions } from "./cron.runner.ts";
import { CronService } from "./cron.service.ts";
import { beginRuns, tellWaiting } from "./cron-turns.repo.ts";

const agent = new AgentFixture();
const logger = createLogger("test", "silent");
const waiting = { timeout: 50_000, interval: 20 };
let api: TestApi;
let account: TestAccount;
let database: Database;
let locks: LockSession;
const started: CronRunner[] = [];

beforeAll(async () => {
  [api] = await Promise.all([startTestApi(), agent.start()]);
  database = createDatabase(createPool({ ...api.database.connection, max: 8 }, () => undefined));
  locks = await LockSession.open(api.database.connection);
});
afterAll(async () => {
  await Promise.all([agent.dispose(), locks.close(), database.destroy()]);
  await api.close();
});
beforeEach(async () => {
  account = await api.newAccount();
});
afterEach(async () => {
  for (const runner of started.splice(0)) await runner.close();
  await api.query("delete from cron_jobs");
});

function runner(change: Partial<CronRunnerOptions> = {}): CronRunner {
  const activity = new ActivityService(database);
  const releaseOf = () => Promise.reject(new Error("no release is needed"));
  const made = new CronRunner({
    ...{ database, engine: agent.engine, activity, locks, clock: systemClock, logger, releaseOf, places: 4 },
    ...change,
  });
  started.push(made);
  made.start();
  return made;
}

async function newJob(command: string, fields: object = {}, owner = account): Promise<string> {
  const body = { name: "Job", schedule: "0 0 1 1 *", command, ...fields };
  return (await owner.call("POST", "/cron", body)).body.cronJob.id;
}

async function queued(command: string, fields: object = {}, owner = account): Promise<string> {
  const job = await newJob(command, fields, owner);
  await queue(job, owner);
  return job;
}

/** As the queue of jobs does, it rings. */
async function queue(job: string, owner = account): Promise<void> {
  await owner.call("POST", `/cron/${job}/run`);
  for (const one of started) one.ring();
}

async function lastRun(job: string) {
  return (await account.call("GET", `/cron/${job}/runs`)).body.data[0];
}

async function untilEnded(job: string) {
  await expect.poll(async () => (await lastRun(job)).finishedAt, waiting).not.toBeNull();
  return lastRun(job);
}

function homeOf(job: string): string {
  return join(agent.dataDir, "apps", job, "home");
}

test.each([
  ["echo out; echo err >&2", {}, { status: "SUCCESS", exitCode: 0, error: null }],
  ["exit 3", {}, { status: "FAILED", exitCode: 3, error: "The command ended with code 3." }],
  ["kill -SEGV $$", {}, { status: "FAILED", exitCode: 139, error: "It was ended by SIGSEGV." }],
  [
    "sleep 600",
    { timeoutSeconds: 1 },
    { status: "FAILED", exitCode: 124, error: "It took longer than its 1 s, and was killed with all that it started." },
  ],
])("%j with %j ends as %j", async (command, fields, end) => {
  const job = await queued(command, fields);
  runner();
  const run = await untilEnded(job);
  expect(run).toMatchObject(end);
  expect(Date.parse(run.finishedAt)).toBeGreaterThanOrEqual(Date.parse(run.startedAt));
  const { body } = await account.call("GET", `/cron/${job}`);
  expect(body.cronJob).toMatchObject({
    lastStatus: end.status,
    lastExitCode: end.exitCode,
    lastRunAt: run.startedAt,
  });
  // Its record at the agent is not needed any more.
  await expect.poll(() => agent.engine.taskStatus(run.id), waiting).toBeNull();
});

test("output is the run's log", async () => {
  const job = await queued("echo one; echo two >&2");
  runner();
  const run = await untilEnded(job);
  expect(await agent.lines({ kind: "run", jobId: job, runId: run.id })).toEqual(["one", "two"]);
});

test("a service without a release: FAILED, and what to do", async () => {
  const projectId = (await account.call("POST", "/projects", { name: "P" })).body.project.id;
  const source = { projectId, name: "app", repoUrl: "https://example.com/a.git" };
  const serviceId = (await account.call("POST", "/services", source)).body.service.id;
  const job = await queued("true", { serviceId });
  runner();
  expect(await untilEnded(job)).toMatchObject({
    status: "FAILED",
    exitCode: null,
    error: "The service has no release to run it in: deploy the service, then run the job again.",
  });
});

test("two workers run it once; a third, after both were closed, waits for the same process", async () => {
  const job = await queued('echo begun >> "$HOME/runs"; while [ ! -e "$HOME/go" ]; do sleep 0.05; done; exit 5');
  const other = await LockSession.open(api.database.connection);
  try {
    const both = [runner(), runner({ locks: other })];
    await expect.poll(() => existsSync(join(homeOf(job), "runs")), waiting).toBe(true);
    for (const one of both) await one.close();
    expect(await lastRun(job)).toMatchObject({ status: "RUNNING" });
    runner();
    await agent.run(job, job, ["sh", "-c", 'touch "$HOME/go"'], { isJob: true });
    expect(await untilEnded(job)).toMatchObject({ status: "FAILED", exitCode: 5 });
    expect(readFileSync(join(homeOf(job), "runs"), "utf8")).toBe("begun\n");
  } finally {
    await other.close();
  }
});

test("killed between its turn and its start it is started; once started and gone it is not begun again", async () => {
  const [begun, gone] = [await queued('echo begun >> "$HOME/runs"'), await queued("echo never")];
  await api.query("update cron_runs set status = 'RUNNING', started_at = now()");
  await api.query("update cron_runs set launched = true where job_id = $1", [gone]);
  runner();
  expect(await untilEnded(begun)).toMatchObject({ status: "SUCCESS" });
  expect(await untilEnded(gone)).toMatchObject({
    status: "FAILED",
    exitCode: null,
    error: expect.stringContaining("What ran it is gone"),
  });
  expect(await agent.lines({ kind: "run", jobId: gone, runId: (await lastRun(gone)).id })).toEqual([]);
});

test("an agent that is away holds runs up, and fails none", async () => {
  const job = await queued("true");
  await agent.kill("SIGKILL");
  runner();
  await expect.poll(async () => (await lastRun(job)).status, waiting).toBe("RUNNING");
  await agent.start();
  expect(await untilEnded(job)).toMatchObject({ status: "SUCCESS" });
});

test("a job that goes on failing is told of once, until it has succeeded", async () => {
  const job = await newJob('[ -e "$HOME/mended" ] || { touch "$HOME/mended"; exit 1; }');
  const codes: (number | null)[] = [];
  const run = async () => {
    await queue(job);
    codes.push((await untilEnded(job)).exitCode);
  };
  runner();
  await run();
  await account.call("PATCH", `/cron/${job}`, { command: "exit 2" });
  await run();
  await account.call("PATCH", `/cron/${job}`, { command: "true" });
  await run();
  await account.call("PATCH", `/cron/${job}`, { command: "exit 4" });
  await run();
  expect(codes).toEqual([1, 2, 0, 4]);
  const { data } = (await account.call("GET", `/activity?entityType=cron_job&entityId=${job}`)).body;
  const failures = data.filter((event: { action: string }) => event.action === "cron.failed");
  expect(failures.map((event: { metadata: { exitCode: number } }) => event.metadata.exitCode)).toEqual([4, 1]);
});

test("the log of a run that goes on is followed to its end", async () => {
  const job = await queued("echo early; sleep 0.3; echo late");
  const { id } = await lastRun(job);
  const following = account.call("GET", `/cron/runs/${id}/logs?follow=true`);
  runner();
  await untilEnded(job);
  const { body } = await following;
  // The API of the test has an engine of its own, without these logs: only the end is its.
  expect(String(body)).toContain('event: end\ndata: {"status":"SUCCESS"}');
});

test("one tenant's thousand runs leave others their turn, and half of the places", async () => {
  const [busy, other] = [await api.newAccount(), await api.newAccount()];
  for (let n = 0; n < 10; n++) await queued("true", {}, busy);
  const late = await queued("true", {}, other);
  const begin = () => beginRuns(database, { total: 8, perAccount: 4 }, new Date());
  expect(await begin()).toBe(5);
  const rows = await api.query("select account_id, count(*)::int from cron_runs where status = 'RUNNING' group by 1");
  expect(Object.fromEntries(rows.map((row) => [row.account_id, row.count]))).toEqual({
    [busy.accountId]: 4,
    [other.accountId]: 1,
  });
  expect(await begin()).toBe(0);
  await api.query("update cron_runs set status = 'SUCCESS' where job_id = $1", [late]);
  await api.query(
    "update cron_runs set status = 'SUCCESS' where id = (select id from cron_runs where status = 'RUNNING' limit 1)",
  );
  // Who has the fewest places is first.
  await queued("true");
  expect(await beginRuns(database, { total: 4, perAccount: 4 }, new Date())).toBe(1);
  const [row] = await api.query("select count(*)::int from cron_runs where status = 'RUNNING' and account_id = $1", [
    account.accountId,
  ]);
  expect(row.count).toBe(1);
});

test("a run that waits long says so; one that waited too long is skipped", async () => {
  const [long, tooLong, fresh] = [await queued("true"), await queued("true"), await queued("true")];
  await api.query("update cron_runs set created_at = now() - interval '2 minutes' where job_id = $1", [long]);
  await api.query("update cron_runs set created_at = now() - interval '2 hours' where job_id = $1", [tooLong]);
  const now = Date.now();
  const at = { now: new Date(now), long: new Date(now - 60_000), tooLong: new Date(now - 3_600_000) };
  await tellWaiting(database, at, { waits: "It waits.", waitedTooLong: "It waited." });
  expect(await lastRun(long)).toMatchObject({ status: "QUEUED", error: "It waits." });
  expect(await lastRun(tooLong)).toMatchObject({ status: "SKIPPED", error: "It waited." });
  expect(await lastRun(fresh)).toMatchObject({ status: "QUEUED", error: null });
  await beginRuns(database, { total: 9, perAccount: 9 }, new Date());
  expect(await lastRun(long)).toMatchObject({ status: "RUNNING", error: null });
});

test("the newest hundred runs of a job are kept, of thirty days; the logs of the others go", async () => {
  const job = await queued("echo said");
  const lonely = await queued("true");
  runner();
  const { id: oldest } = await untilEnded(job);
  await untilEnded(lonely);
  await api.query(
    `insert into cron_runs (id, account_id, job_id, status, trigger, scheduled_for, created_at)
     select uuidv7(), account_id, job_id, 'SUCCESS', 'SCHEDULE', now() + n * interval '1 minute', now()
     from cron_runs, generate_series(1, 100) n where id = $1`,
    [oldest],
  );
  await api.query("update cron_runs set created_at = now() - interval '31 days' where job_id = $1", [lonely]);
  const cleaner = new CronCleaner({ database, engine: agent.engine, locks, clock: systemClock, logger });
  const folder = join(agent.dataDir, "logs", "jobs", job);
  expect(readdirSync(folder)).toEqual([oldest]);
  await cleaner.forgetOldRuns();
  expect(readdirSync(folder)).toEqual([]);
  const rows = await api.query("select job_id, count(*)::int from cron_runs group by 1");
  expect(rows).toEqual([{ job_id: job, count: 100 }]);
});

test("of a job that is deleted its processes, logs and folders go", async () => {
  const sleep = longSleep();
  const job = await queued(`sleep ${sleep}`);
  runner();
  await expect.poll(() => processesWith(sleep).length, waiting).toBeGreaterThan(0);
  await account.call("DELETE", `/cron/${job}`);
  await new CronCleaner({ database, engine: agent.engine, locks, clock: systemClock, logger }).removeGone();
  expect(processesWith(sleep)).toEqual([]);
  const places = ["apps", join("logs", "jobs")].map((name) => readdirSync(join(agent.dataDir, name)));
  expect(places.flat()).not.toContain(job);
  expect(await api.query("select * from cron_removals where job_id = $1", [job])).toEqual([]);
});

test("a job that is deleted and taken down just before its task begins leaves nothing", async () => {
  const sleep = longSleep();
  const job = await queued(`sleep ${sleep}`);
  const cleaner = new CronCleaner({ database, engine: agent.engine, locks, clock: systemClock, logger });
  let tried = false;
  const { engine } = agent;
  const late: CronRunnerOptions["engine"] = {
    prepareBuild: (...of) => engine.prepareBuild(...of),
    promote: (...of) => engine.promote(...of),
    taskStatus: (id) => engine.taskStatus(id),
    waitForTask: (id, signal) => engine.waitForTask(id, signal),
    forgetTask: (id) => engine.forgetTask(id),
    startTask: async (spec) => {
      await account.call("DELETE", `/cron/${job}`);
      await cleaner.removeGone();
      // As if the folders had been made in between.
      await engine.prepareBuild(job, job, { clear: true, clearCache: false });
      await engine.promote(job, job);
      await engine.startTask(spec);
      tried = true;
    },
    removeJob: (id) => engine.removeJob(id),
  };
  runner({ engine: late });
  await expect.poll(() => tried, waiting).toBe(true);
  const left = () => [
    ...processesWith(sleep),
    ...["apps", join("logs", "jobs")]
      .flatMap((name) => readdirSync(join(agent.dataDir, name)))
      .filter((id) => id === job),
  ];
  await expect.poll(left, waiting).toEqual([]);
});

test("the upkeep leaves a job's sandbox and logs alone, and takes those of a job without a row", async () => {
  const kept = await queued("echo kept");
  const lost = await queued("echo lost");
  runner();
  for (const job of [kept, lost]) await untilEnded(job);
  await api.query("delete from cron_jobs where id = $1", [lost]);
  await api.query("delete from cron_removals");
  const inAnHour = { now: () => new Date(Date.now() + 2 * 3_600_000) };
  const cron = new CronService(database, systemClock, { check: async () => undefined });
  await new UpkeepSweeper({
    ...{ database, engine: agent.engine, clock: inAnHour, logger },
    keptArtifacts: (id) => cron.artifactsInUse(id),
    knownSandboxes: (ids) => cron.knownJobs(ids),
  }).sweep(null);
  const places = ["apps", join("logs", "jobs")].map((name) => readdirSync(join(agent.dataDir, name)));
  for (const place of places) {
    expect(place).toContain(kept);
    expect(place).not.toContain(lost);
  }
});
