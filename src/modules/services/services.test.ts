import { afterAll, beforeAll, expect, test } from "vitest";
import { startTestApi, type TestAccount, type TestApi } from "../../../tests/api.fixture.ts";
import { newId } from "../../kernel/ids.ts";

let api: TestApi;
let mine: TestAccount;
let other: TestAccount;
let projectId: string;
const repoUrl = "https://git.example.com/team/app.git";

beforeAll(async () => {
  api = await startTestApi();
  [mine, other] = await Promise.all([api.newAccount(), api.newAccount()]);
  projectId = (await mine.call("POST", "/projects", { name: "Shop" })).body.project.id;
});
afterAll(() => api.close());

async function create(
  fields: object,
): Promise<{ status: number; service: Record<string, unknown> & { id: string }; body: unknown }> {
  const answer = await mine.call("POST", "/services", { projectId, name: "app", repoUrl, ...fields });
  return { status: answer.status, service: answer.body.service, body: answer.body };
}

test("a created service has every field of the contract, with defaults", async () => {
  const { status, service } = await create({ name: "First" });
  expect(status).toBe(201);
  expect(service).toEqual({
    id: expect.any(String),
    name: "First",
    slug: "first",
    type: "WEB",
    status: "PENDING",
    url: "http://first.localhost:8080",
    branch: "main",
    projectId,
    repoUrl,
    rootDirectory: "",
    builder: "AUTO",
    buildCommand: null,
    preDeployCommand: null,
    startCommand: null,
    outputDirectory: null,
    singlePage: null,
    port: null,
    healthCheckPath: null,
    instances: 1,
    cpuCores: 1,
    memoryMb: 512,
    autoDeploy: true,
    waitForChecks: false,
    currentDeploymentId: null,
    createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
  });
  expect((await mine.call("GET", `/services/${service.id}`)).body).toEqual({ service });
});

test("lists show the contract's fields, filtered and paged", async () => {
  const account = await api.newAccount();
  const project = (await account.call("POST", "/projects", { name: "Many" })).body.project.id;
  for (const type of ["WEB", "WORKER", "STATIC", "WORKER"]) {
    await account.call("POST", "/services", { projectId: project, name: `many ${type}`, repoUrl, type });
  }
  const page = await account.call("GET", "/services?type=WORKER&limit=1");
  expect(page.body.data).toHaveLength(1);
  expect(Object.keys(page.body.data[0]).sort()).toEqual(["branch", "id", "name", "slug", "status", "type", "url"]);
  expect(page.body.data[0].url).toBe("");
  const rest = await account.call("GET", `/services?type=WORKER&cursor=${page.body.pagination.nextCursor}`);
  expect(rest.body.data).toHaveLength(1);
  expect(rest.body.pagination).toEqual({ hasMore: false, nextCursor: null });
  expect((await account.call("GET", `/services?projectId=${project}`)).body.data).toHaveLength(4);
  expect((await account.call("GET", `/services?projectId=${newId()}`)).body.data).toHaveLength(0);
});

test("a name that is taken or reserved gets a host of its own", async () => {
  const [one, two] = [await create({ name: "Twin" }), await create({ name: "Twin" })];
  expect(one.service.slug).toBe("twin");
  expect(two.service.slug).toMatch(/^twin-[0-9a-z]{4}$/);
  expect((await create({ name: "api" })).service.slug).toMatch(/^api-[0-9a-z]{4}$/);
});

test.each([
  ["ext::sh -c id", "/repoUrl"],
  ["file:///etc", "/repoUrl"],
  ["/etc", "/repoUrl"],
  ["-uupload-pack=id", "/repoUrl"],
  ["ftp://example.com/a", "/repoUrl"],
])("the repository address %s is refused", async (bad, path) => {
  const answer = await mine.call("POST", "/services", { projectId, name: "x", repoUrl: bad });
  expect(answer.status).toBe(422);
  expect(answer.body.error.details[0]).toMatchObject({ in: "body", path });
});

test.each([
  [{ rootDirectory: "../up" }, "/rootDirectory"],
  [{ rootDirectory: "/abs" }, "/rootDirectory"],
  [{ outputDirectory: "a/../../b" }, "/outputDirectory"],
  [{ instances: 0 }, "/instances"],
  [{ instances: 21 }, "/instances"],
  [{ instances: "2" }, "/instances"],
  [{ port: 70_000 }, "/port"],
  [{ healthCheckPath: "health" }, "/healthCheckPath"],
  [{ branch: "-x" }, "/branch"],
  [{ branch: "a..b" }, "/branch"],
  [{ type: "CRON" }, "/type"],
  [{ name: "" }, "/name"],
  [{ name: "x".repeat(81) }, "/name"],
  [{ nonsense: 1 }, "/nonsense"],
  [{ startCommand: "" }, "/startCommand"],
])("%j is refused with its place", async (fields, path) => {
  const answer = await mine.call("POST", "/services", { projectId, name: "x", repoUrl, ...fields });
  expect(answer.status).toBe(422);
  expect(answer.body.error.code).toBe("validation_failed");
  expect(answer.body.error.details.map((one: { path: string }) => one.path)).toContain(path);
});

test("a service belongs to a project of its own account", async () => {
  const unknown = await mine.call("POST", "/services", { projectId: newId(), name: "x", repoUrl });
  expect(unknown.body.error.details).toMatchObject([{ in: "body", path: "/projectId", code: "unknown" }]);
  const foreign = await other.call("POST", "/services", { projectId, name: "x", repoUrl });
  expect([foreign.status, foreign.body]).toEqual([422, unknown.body]);
  const { service } = await create({ name: "Hidden" });
  for (const [method, path, body] of [
    ["GET", "", undefined],
    ["PATCH", "", { name: "y" }],
    ["DELETE", "", undefined],
    ["POST", "/deploy", {}],
    ["POST", "/restart", undefined],
    ["POST", "/stop", undefined],
    ["POST", "/start", undefined],
    ["POST", "/rollback", { deploymentId: newId() }],
    ["GET", "/deployments", undefined],
    ["GET", "/env", undefined],
    ["PUT", "/env", { env: {} }],
    ["PATCH", "/env", { env: {} }],
    ["DELETE", "/env/A", undefined],
    ["GET", "/logs", undefined],
  ] as const) {
    const foreign = await other.call(method, `/services/${service.id}${path}`, body);
    expect([method, path, foreign.status]).toEqual([method, path, 404]);
  }
});

test("settings change, and stay as they were where they are not named", async () => {
  const { service } = await create({ name: "Changing", startCommand: "node a.js", healthCheckPath: "/up" });
  const changed = await mine.call("PATCH", `/services/${service.id}`, {
    startCommand: null,
    instances: 3,
    branch: "next",
  });
  expect(changed.body.service).toEqual({ ...service, startCommand: null, instances: 3, branch: "next" });
  expect((await mine.call("PATCH", `/services/${service.id}`, {})).status).toBe(422);
});

test("a deleted service is gone, and its slug free", async () => {
  const { service } = await create({ name: "Leaving" });
  expect((await mine.call("DELETE", `/services/${service.id}`)).body).toEqual({ ok: true });
  expect((await mine.call("GET", `/services/${service.id}`)).status).toBe(404);
  expect((await create({ name: "Leaving" })).service.slug).toBe("leaving");
});
