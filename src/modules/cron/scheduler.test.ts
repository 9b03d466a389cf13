import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { startTestApi, type TestAccount, type TestApi } from "../../../tests/api.fixture.ts";
import type { Clock } from "../../kernel/clock.ts";
import { zoneData } from "../../kernel/cron-expression.ts";
import { createDatabase, createPool, type Database } from "../../platform/database/database.ts";
import { createLogger } from "../../platform/log.ts";
import { CronScheduler, type CronSchedulerOptions } from "./cron.scheduler.ts";

let api: TestApi;
let account: TestAccount;
let database: Database;
let now: Date;
const clock: Clock = { now: () => now };
const logger = createLogger("test", "silent");

beforeAll(async () => {
  api = await startTestApi();
  account = await api.newAccount();
  database = createDatabase(createPool({ ...api.database.connection, max: 8 }, () => undefined));
});
afterAll(async () => {
  await database.destroy();
  await api.close();
});
beforeEach(async () => {
  await api.query("delete from cron_jobs");
  now = new Date("2026-06-01T12:00:00.500Z");
});

function scheduler(change: Partial<CronSchedulerOptions> = {}): CronScheduler {
  return new CronScheduler({ database, clock, logger, onQueued: () => undefined, ...change });
}

/** Due at noon. */
async function newJob(fields: object = {}, due = "2026-06-01T12:00:00Z", owner = account): Promise<string> {
  const body = { name: "Job", schedule: "0 * * * *", command: "true", ...fields };
  const { id } = (await owner.call("POST", "/cron", body)).body.cronJob;
  await api.query("update cron_jobs set next_run_at = $2, planned_from = $3 where id = $1", [
    id,
    due,
    "2026-06-01T11:00:00Z",
  ]);
  return id;
}

async function runsOf(job: string) {
  return api.query("select status, scheduled_for, error from cron_runs where job_id = $1 order by id", [job]);
}

async function nextOf(job: string): Promise<string> {
  return (await account.call("GET", `/cron/${job}`)).body.cronJob.nextRunAt;
}

test("what is due is queued once, for its due time, and due again at the next", async () => {
  const [due, later] = [await newJob(), await newJob({}, "2026-06-01T12:01:00Z")];
  expect(await scheduler().runDue()).toBe(1);
  expect(await scheduler().runDue()).toBe(0);
  expect(await runsOf(due)).toEqual([
    { status: "QUEUED", scheduled_for: new Date("2026-06-01T12:00:00Z"), error: null },
  ]);
  expect(await nextOf(due)).toBe("2026-06-01T13:00:00.000Z");
  expect(await runsOf(later)).toEqual([]);
  expect((await account.call("GET", `/cron/${due}`)).body.cronJob).toMatchObject({
    lastStatus: "QUEUED",
    lastRunAt: null,
  });
});

test("while a run waits or goes on the next due one is skipped", async () => {
  const job = await newJob();
  await scheduler().runDue();
  now = new Date("2026-06-01T13:00:00Z");
  await scheduler().runDue();
  expect(await runsOf(job)).toMatchObject([
    { status: "QUEUED", error: null },
    { status: "SKIPPED", error: expect.stringContaining("do not overlap") },
  ]);
});

test("what was missed is skipped and says so; the latest of the last five minutes runs", async () => {
  const [hourly, minutely] = [await newJob(), await newJob({ schedule: "* * * * *" })];
  now = new Date("2026-06-01T12:10:00.100Z");
  await scheduler().runDue();
  expect(await runsOf(hourly)).toMatchObject([{ status: "SKIPPED", error: "Ksar was not running when this was due." }]);
  expect(await runsOf(minutely)).toMatchObject([
    {
      status: "SKIPPED",
      scheduled_for: new Date("2026-06-01T12:09:00Z"),
      error: expect.stringContaining("10 due times"),
    },
    { status: "QUEUED", scheduled_for: new Date("2026-06-01T12:10:00Z") },
  ]);
});

test("a paused job, a suspended account's and a stopped service's do not run", async () => {
  const suspended = await api.newAccount();
  const [paused, theirs] = [await newJob(), await newJob({}, undefined, suspended)];
  await account.call("PATCH", `/cron/${paused}`, { enabled: false });
  await api.query("update accounts set suspended_at = now() where id = $1", [suspended.accountId]);
  const projectId = (await account.call("POST", "/projects", { name: "Stopped" })).body.project.id;
  const source = { projectId, name: "app", repoUrl: "https://example.com/a.git" };
  const serviceId = (await account.call("POST", "/services", source)).body.service.id;
  const stopped = await newJob({ serviceId });
  await account.call("POST", `/services/${serviceId}/stop`);
  await scheduler().runDue();
  expect(await runsOf(paused)).toEqual([]);
  expect(await runsOf(theirs)).toMatchObject([{ status: "SKIPPED", error: expect.stringContaining("suspended") }]);
  expect(await runsOf(stopped)).toMatchObject([{ status: "SKIPPED", error: expect.stringContaining("stopped") }]);
  expect((await account.call("POST", `/cron/${stopped}/run`)).status).toBe(202);
  expect((await runsOf(stopped))[1]).toMatchObject({ status: "QUEUED" });
});

test("thousands that are due at once, four workers: each is queued once", async () => {
  await newJob();
  await api.query(`insert into cron_jobs (id, account_id, name, schedule, timezone, command, timeout_seconds, enabled, next_run_at, planned_from, zone_data)
    select uuidv7(), account_id, 'n', schedule, timezone, command, 300, true, next_run_at, planned_from, zone_data
    from cron_jobs, generate_series(1, 3499)`);
  const made = await Promise.all(Array.from({ length: 4 }, () => scheduler().runDue()));
  // A worker that found everything locked is done; the others go on.
  expect(made.reduce((sum, one) => sum + one, 0)).toBe(3500);
  const [row] = await api.query("select count(*)::int as runs, count(distinct job_id)::int as jobs from cron_runs");
  expect(row).toEqual({ runs: 3500, jobs: 3500 });
});

test("killed before the commit nothing has happened; killed after it everything has", async () => {
  const job = await newJob();
  // The session that has the rows locked ends in the middle of its transaction.
  await api.query(
    "create function end_session() returns trigger language plpgsql as 'begin perform pg_terminate_backend(pg_backend_pid()); return new; end'",
  );
  await api.query("create trigger kill after insert on cron_runs for each row execute function end_session()");
  await expect(scheduler().runDue()).rejects.toThrow();
  await api.query("drop trigger kill on cron_runs");
  expect(await runsOf(job)).toEqual([]);
  expect(await scheduler().runDue()).toBe(1);
  expect(await scheduler().runDue()).toBe(0);
  expect(await runsOf(job)).toHaveLength(1);
});

test("a due time that has a run already gets no second one, whatever the job's row says", async () => {
  const job = await newJob();
  await scheduler().runDue();
  await api.query("update cron_runs set status = 'SUCCESS', finished_at = now()");
  await api.query("update cron_jobs set next_run_at = '2026-06-01T12:00:00Z'");
  await scheduler().runDue();
  expect(await runsOf(job)).toMatchObject([{ status: "SUCCESS" }]);
  expect(await nextOf(job)).toBe("2026-06-01T13:00:00.000Z");
});

test("with other time-zone data due times are worked out again, from where the schedule stands", async () => {
  const job = await newJob({ schedule: "0 14 * * *", timezone: "Europe/Paris" }, "2026-06-01T13:00:00Z");
  await scheduler({ zoneData }).replanOutdated();
  expect(await nextOf(job)).toBe("2026-06-01T13:00:00.000Z");
  await scheduler({ zoneData: "2099z" }).replanOutdated();
  expect(await nextOf(job)).toBe("2026-06-01T12:00:00.000Z");
  await scheduler({ zoneData: "2099z" }).runDue();
  expect(await runsOf(job)).toMatchObject([{ status: "QUEUED", scheduled_for: new Date("2026-06-01T12:00:00Z") }]);
});

test("a schedule that is not understood any more pauses its job and says so; the others go on", async () => {
  const [broken, whole] = [await newJob(), await newJob()];
  await api.query("update cron_jobs set timezone = 'Mars/Phobos', zone_data = 'old' where id = $1", [broken]);
  await scheduler().replanOutdated();
  await scheduler().runDue();
  expect(await runsOf(broken)).toMatchObject([{ status: "SKIPPED", error: expect.stringContaining("Mars/Phobos") }]);
  expect((await account.call("GET", `/cron/${broken}`)).body.cronJob).toMatchObject({
    enabled: false,
    nextRunAt: null,
  });
  expect(await runsOf(whole)).toMatchObject([{ status: "QUEUED" }]);
  expect((await account.call("PATCH", `/cron/${broken}`, { name: "Renamed" })).status).toBe(200);
  expect((await account.call("PATCH", `/cron/${broken}`, { enabled: true })).status).toBe(422);
  expect((await account.call("PATCH", `/cron/${broken}`, { enabled: true, timezone: "UTC" })).status).toBe(200);
  expect(await nextOf(broken)).not.toBeNull();
});

test("started, it queues what becomes due, tells of it, and goes on after the database was away", async () => {
  now = new Date();
  // Due now, and not again when the clock turns meanwhile.
  const job = await newJob({ schedule: "0 0 1 1 *" }, new Date(Math.floor(Date.now() / 60_000) * 60_000).toISOString());
  let told = 0;
  let failures = 1;
  const flaky: Clock = {
    now: () => {
      if (failures-- > 0) throw new Error("away");
      return new Date();
    },
  };
  const running = scheduler({
    clock: flaky,
    onQueued: () => {
      told += 1;
    },
  });
  running.start();
  await expect.poll(() => told).toBe(1);
  await running.close();
  expect(await runsOf(job)).toMatchObject([{ status: "QUEUED" }]);
});

test("to find what is due, or due next, takes an index, however many jobs wait", async () => {
  await newJob();
  await api.query(`insert into cron_jobs (id, account_id, name, schedule, timezone, command, timeout_seconds, enabled, next_run_at, planned_from, zone_data)
    select uuidv7(), account_id, 'n', schedule, timezone, command, 300, true, next_run_at + n * interval '1 minute', planned_from, zone_data
    from cron_jobs, generate_series(1, 20000) n`);
  await api.query("analyze cron_jobs");
  for (const query of [
    "select id from cron_jobs where next_run_at <= '2026-06-01T12:00:00Z' order by next_run_at limit 1000 for update skip locked",
    "select next_run_at from cron_jobs where next_run_at is not null order by next_run_at limit 1",
  ]) {
    const plan = (await api.query(`explain ${query}`)).map((row) => row["QUERY PLAN"]).join("\n");
    expect(plan).toContain("cron_jobs_due");
    expect(plan).not.toContain("Seq Scan");
  }
});
