import { afterAll, beforeAll, expect, test } from "vitest";
import { startTestApi, type TestAccount, type TestApi } from "../../../tests/api.fixture.ts";
import { newId } from "../../kernel/ids.ts";

let api: TestApi;
let mine: TestAccount;
let other: TestAccount;

beforeAll(async () => {
  api = await startTestApi();
  [mine, other] = await Promise.all([api.newAccount(), api.newAccount()]);
});
afterAll(() => api.close());

const nightly = { name: "Nightly", schedule: "30 2 * * *", command: "true" };

async function newJob(fields: object = {}, account = mine): Promise<string> {
  return (await account.call("POST", "/cron", { ...nightly, ...fields })).body.cronJob.id;
}

async function newService(account: TestAccount): Promise<string> {
  const projectId = (await account.call("POST", "/projects", { name: newId() })).body.project.id;
  const source = { projectId, name: "app", repoUrl: "https://example.com/a.git" };
  return (await account.call("POST", "/services", source)).body.service.id;
}

async function job(id: string) {
  return (await mine.call("GET", `/cron/${id}`)).body.cronJob;
}

test("a job is created with what is assumed, read, listed, changed and deleted", async () => {
  const created = await mine.call("POST", "/cron", nightly);
  expect(created).toMatchObject({ status: 201, body: { cronJob: { id: expect.any(String) } } });
  expect(Object.keys(created.body.cronJob)).toEqual(["id"]);
  const { id } = created.body.cronJob;
  const listed = {
    ...{ id, name: "Nightly", schedule: "30 2 * * *", timezone: "UTC", enabled: true, serviceId: null },
    ...{ lastRunAt: null, nextRunAt: expect.stringMatching(/T02:30:00.000Z$/), lastStatus: null },
  };
  expect(await job(id)).toEqual({ ...listed, command: "true", timeoutSeconds: 300, lastExitCode: null });
  expect((await mine.call("GET", "/cron")).body).toEqual({
    data: [listed],
    pagination: { hasMore: false, nextCursor: null },
  });
  const changes = { name: "Hourly", schedule: "@hourly", command: "false", timeoutSeconds: 3600 };
  expect((await mine.call("PATCH", `/cron/${id}`, changes)).body).toEqual({ ok: true });
  expect(await job(id)).toMatchObject({ ...changes, nextRunAt: expect.stringMatching(/:00:00.000Z$/) });
  expect((await mine.call("DELETE", `/cron/${id}`)).body).toEqual({ ok: true });
  expect((await mine.call("GET", `/cron/${id}`)).status).toBe(404);
});

test("the next run is in the job's zone, and moves with schedule and zone alone", async () => {
  const id = await newJob({ schedule: "0 12 1 1 *", timezone: "Asia/Kathmandu" });
  expect((await job(id)).nextRunAt).toMatch(/-01-01T06:15:00.000Z$/);
  await mine.call("PATCH", `/cron/${id}`, { timezone: "America/New_York" });
  expect((await job(id)).nextRunAt).toMatch(/-01-01T17:00:00.000Z$/);
  await api.query("update cron_jobs set next_run_at = '2030-01-01T17:00:00Z' where id = $1", [id]);
  await mine.call("PATCH", `/cron/${id}`, { name: "Renamed", command: "echo" });
  expect((await job(id)).nextRunAt).toBe("2030-01-01T17:00:00.000Z");
});

test("a paused job has no next run, and still runs by hand", async () => {
  const id = await newJob();
  await mine.call("PATCH", `/cron/${id}`, { enabled: false });
  expect(await job(id)).toMatchObject({ enabled: false, nextRunAt: null });
  await mine.call("PATCH", `/cron/${id}`, { schedule: "@daily" });
  expect(await job(id)).toMatchObject({ enabled: false, nextRunAt: null });
  expect((await mine.call("POST", `/cron/${id}/run`)).status).toBe(202);
  await mine.call("PATCH", `/cron/${id}`, { enabled: true });
  expect(await job(id)).toMatchObject({ enabled: true, nextRunAt: expect.stringMatching(/T00:00:00.000Z$/) });
});

test.each([
  [{ schedule: "* * * * * *" }, "/schedule", "seconds are not among them"],
  [{ schedule: "0 0 30 2 *" }, "/schedule", "never comes"],
  [{ schedule: "61 * * * *" }, "/schedule", "minute"],
  [{ timezone: "Mars/Phobos" }, "/timezone", "time zone"],
  [{ command: " \n" }, "/command", "is empty"],
])("%j is refused where it is wrong, at creation and at a change", async (fields, path, words) => {
  const id = await newJob();
  for (const answer of [
    await mine.call("POST", "/cron", { ...nightly, ...fields }),
    await mine.call("PATCH", `/cron/${id}`, fields),
  ]) {
    expect(answer.status).toBe(422);
    expect(answer.body.error.details).toEqual([
      { in: "body", path, message: expect.stringContaining(words), code: expect.any(String) },
    ]);
  }
  expect(await job(id)).toMatchObject(nightly);
});

test("a job is given to a service and taken from it; another account's is as unknown as none", async () => {
  const [own, foreign] = await Promise.all([newService(mine), newService(other)]);
  const id = await newJob({ serviceId: own });
  expect((await job(id)).serviceId).toBe(own);
  for (const serviceId of [foreign, newId()]) {
    const created = await mine.call("POST", "/cron", { ...nightly, serviceId });
    const changed = await mine.call("PATCH", `/cron/${id}`, { serviceId });
    expect([created.status, changed.status, changed.body]).toEqual([422, 422, created.body]);
    expect(created.body.error.details).toMatchObject([{ in: "body", path: "/serviceId", code: "unknown" }]);
  }
  expect((await job(id)).serviceId).toBe(own);
  await mine.call("PATCH", `/cron/${id}`, { serviceId: null });
  expect((await job(id)).serviceId).toBeNull();
  await mine.call("PATCH", `/cron/${id}`, { serviceId: own });
  await mine.call("DELETE", `/services/${own}`);
  expect((await mine.call("GET", `/cron/${id}`)).status).toBe(404);
  expect(await api.query("select job_id from cron_removals where job_id = $1", [id])).toHaveLength(1);
});

test("a run by hand is queued; while it waits or goes on the next one is skipped and says why", async () => {
  const id = await newJob();
  for (const _ of [1, 2]) expect((await mine.call("POST", `/cron/${id}/run`)).body).toEqual({ ok: true });
  const { data } = (await mine.call("GET", `/cron/${id}/runs`)).body;
  const common = { id: expect.any(String), trigger: "MANUAL", scheduledFor: expect.any(String), startedAt: null };
  expect(data).toEqual([
    {
      ...{ ...common, status: "SKIPPED", exitCode: null, finishedAt: expect.any(String) },
      error: "The previous run was still waiting or going on, and runs of a job do not overlap.",
    },
    { ...common, status: "QUEUED", exitCode: null, finishedAt: null, error: null },
  ]);
});

test("at once a hundred times: one run is queued", async () => {
  const id = await newJob();
  const answers = await Promise.all(Array.from({ length: 100 }, () => mine.call("POST", `/cron/${id}/run`)));
  expect(new Set(answers.map((answer) => answer.status))).toEqual(new Set([202]));
  const rows = await api.query("select status, count(*)::int from cron_runs where job_id = $1 group by 1 order by 1", [
    id,
  ]);
  expect(rows).toEqual([
    { status: "QUEUED", count: 1 },
    { status: "SKIPPED", count: 99 },
  ]);
});

test("pages of runs hold each once, newest first", async () => {
  const id = await newJob();
  for (let n = 0; n < 5; n++) await mine.call("POST", `/cron/${id}/run`);
  const seen: string[] = [];
  for (let cursor = ""; ; ) {
    const { data, pagination } = (await mine.call("GET", `/cron/${id}/runs?limit=2${cursor}`)).body;
    seen.push(...data.map((run: { id: string }) => run.id));
    if (!pagination.hasMore) break;
    cursor = `&cursor=${pagination.nextCursor}`;
  }
  expect(seen).toHaveLength(5);
  expect(seen.toSorted().toReversed()).toEqual(seen);
});

test("another account's run has the log of an unknown one", async () => {
  const id = await newJob();
  await mine.call("POST", `/cron/${id}/run`);
  const runId = (await mine.call("GET", `/cron/${id}/runs`)).body.data[0].id;
  expect((await mine.call("GET", `/cron/runs/${runId}/logs`)).body).toEqual({
    data: [],
    pagination: { hasMore: false, nextCursor: null },
  });
  for (const query of ["", "?follow=true"]) {
    const foreign = await other.call("GET", `/cron/runs/${runId}/logs${query}`);
    expect(foreign.status).toBe(404);
    expect((await mine.call("GET", `/cron/runs/${newId()}/logs${query}`)).body).toEqual(foreign.body);
  }
});

test("what people did is in the activity feed", async () => {
  const account = await api.newAccount();
  const id = await newJob({}, account);
  await account.call("PATCH", `/cron/${id}`, { enabled: false });
  await account.call("POST", `/cron/${id}/run`);
  await account.call("DELETE", `/cron/${id}`);
  const { data } = (await account.call("GET", `/activity?entityType=cron_job&entityId=${id}`)).body;
  expect(data.map((event: { action: string; metadata: object }) => [event.action, event.metadata])).toEqual([
    ["cron.deleted", { name: "Nightly" }],
    ["cron.run", { name: "Nightly", runId: expect.any(String) }],
    ["cron.updated", { name: "Nightly", changed: ["enabled"] }],
    ["cron.created", { name: "Nightly", schedule: "30 2 * * *" }],
  ]);
});
