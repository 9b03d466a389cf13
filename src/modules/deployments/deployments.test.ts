import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { startTestApi, type TestAccount, type TestApi } from "../../../tests/api.fixture.ts";
import { newId } from "../../kernel/ids.ts";

// No worker runs here: what callers may ask for, and the rows that follow. acceptance/ has the way to LIVE.

let api: TestApi;
let account: TestAccount;
let projectId: string;
let serviceId: string;

beforeAll(async () => {
  api = await startTestApi();
  account = await api.newAccount();
  projectId = (await account.call("POST", "/projects", { name: "Deploying" })).body.project.id;
});
afterAll(() => api.close());

beforeEach(async () => {
  serviceId = (
    await account.call("POST", "/services", { projectId, name: "app", repoUrl: "https://example.com/a.git" })
  ).body.service.id;
});

async function deploy(body?: object): Promise<string> {
  const answer = await account.call("POST", `/services/${serviceId}/deploy`, body);
  expect(answer.status).toBe(202);
  return answer.body.deploymentId;
}

async function deployment(id: string) {
  return (await account.call("GET", `/deployments/${id}`)).body.deployment;
}

test("a deployment is queued, with the fields of the contract", async () => {
  const id = await deploy();
  expect(await deployment(id)).toEqual({
    id,
    status: "QUEUED",
    commitSha: null,
    commitMessage: null,
    errorMessage: null,
    createdAt: expect.any(String),
    finishedAt: null,
    serviceId,
    trigger: "API",
    isCurrent: false,
    startedAt: null,
    buildSeconds: null,
    buildPlan: null,
    diagnosis: null,
  });
});

test("a deployment needs no body, and takes an empty one", async () => {
  const withoutBody = await api.call("POST", `/services/${serviceId}/deploy`, { key: account.key });
  expect(withoutBody.status).toBe(202);
  const emptyBody = await api.call("POST", `/services/${serviceId}/deploy`, { key: account.key, raw: "" });
  expect(emptyBody.status).toBe(202);
});

test("of five quick deployments the newest waits and the others say why they don't", async () => {
  const ids = await Promise.all([1, 2, 3, 4, 5].map(() => deploy()));
  const all = await Promise.all(ids.map(deployment));
  expect(all.filter((one) => one.status === "QUEUED")).toHaveLength(1);
  const cancelled = all.filter((one) => one.status === "CANCELLED");
  expect(cancelled).toHaveLength(4);
  for (const one of cancelled) expect(one.errorMessage).toMatch(/newer deployment/);
});

test("a queued deployment is cancelled at once, an ended one cannot be", async () => {
  const id = await deploy();
  expect((await account.call("POST", `/deployments/${id}/cancel`)).body).toEqual({ ok: true });
  expect(await deployment(id)).toMatchObject({ status: "CANCELLED", finishedAt: expect.any(String) });
  const again = await account.call("POST", `/deployments/${id}/cancel`);
  expect(again.status).toBe(409);
  expect(again.body.error.code).toBe("deployment_finished");
});

test("nothing to restart, nothing to roll back to", async () => {
  const restart = await account.call("POST", `/services/${serviceId}/restart`);
  expect([restart.status, restart.body.error.code]).toEqual([409, "service_not_deployed"]);
  const id = await deploy();
  const rollback = await account.call("POST", `/services/${serviceId}/rollback`, { deploymentId: id });
  expect([rollback.status, rollback.body.error.code]).toEqual([409, "deployment_not_reusable"]);
  expect((await account.call("POST", `/services/${serviceId}/rollback`, { deploymentId: newId() })).status).toBe(404);
});

test("another account sees no deployment", async () => {
  const id = await deploy();
  const other = await api.newAccount();
  expect((await other.call("GET", `/deployments/${id}`)).status).toBe(404);
  expect((await other.call("GET", `/deployments/${id}/logs`)).status).toBe(404);
  expect((await other.call("POST", `/deployments/${id}/cancel`)).status).toBe(404);
  expect((await deployment(id)).status).toBe("QUEUED");
});

test("deployments are listed newest first", async () => {
  const ids = [await deploy(), await deploy(), await deploy()];
  const first = await account.call("GET", `/services/${serviceId}/deployments?limit=2`);
  expect(first.body.data.map((one: { id: string }) => one.id)).toEqual([ids[2], ids[1]]);
  const second = await account.call(
    "GET",
    `/services/${serviceId}/deployments?limit=2&cursor=${first.body.pagination.nextCursor}`,
  );
  expect(second.body.data.map((one: { id: string }) => one.id)).toEqual([ids[0]]);
});

test.each([
  { branch: "-x" },
  { branch: "" },
  { commitSha: "nonsense" },
  { commitSha: "abc" },
  { clearCache: "yes" },
  { other: 1 },
])("%j is refused", async (body) => {
  expect((await account.call("POST", `/services/${serviceId}/deploy`, body)).status).toBe(422);
});
