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

test("a project is created, read, changed and deleted", async () => {
  const created = await mine.call("POST", "/projects", { name: "Café Web", description: "A shop" });
  expect(created.status).toBe(201);
  expect(created.body).toEqual({
    project: { id: expect.any(String), name: "Café Web", slug: "cafe-web", description: "A shop", serviceCount: 0 },
  });
  const { id } = created.body.project;
  expect((await mine.call("GET", `/projects/${id}`)).body).toEqual(created.body);
  const changed = await mine.call("PATCH", `/projects/${id}`, { name: "Shop", description: null });
  expect(changed.body.project).toMatchObject({ name: "Shop", slug: "cafe-web", description: null });
  expect((await mine.call("DELETE", `/projects/${id}`)).body).toEqual({ ok: true });
  expect((await mine.call("GET", `/projects/${id}`)).status).toBe(404);
});

test("a slug is unique in its account, not across accounts", async () => {
  const first = await mine.call("POST", "/projects", { name: "Taken" });
  const second = await mine.call("POST", "/projects", { name: "taken" });
  expect(second.status).toBe(409);
  expect(second.body.error.code).toBe("slug_taken");
  expect((await other.call("POST", "/projects", { name: "Taken" })).status).toBe(201);
  const free = await mine.call("POST", "/projects", { name: "Free" });
  const moved = await mine.call("PATCH", `/projects/${free.body.project.id}`, { slug: "taken" });
  expect(moved.body.error.code).toBe("slug_taken");
  expect((await mine.call("PATCH", `/projects/${first.body.project.id}`, { slug: "taken" })).status).toBe(200);
});

test("names without a letter for a slug are no hindrance to each other", async () => {
  const slugs = new Set<string>();
  for (const name of ["متجر الأطلس", "مشروع آخر", "日本語", "🔑"]) {
    const made = await mine.call("POST", "/projects", { name });
    expect([made.status, made.body.project?.name]).toEqual([201, name]);
    slugs.add(made.body.project.slug);
  }
  expect(slugs.size).toBe(4);
});

test("a project that holds services cannot be deleted", async () => {
  const { id } = (await mine.call("POST", "/projects", { name: "Holding" })).body.project;
  const service = await mine.call("POST", "/services", {
    projectId: id,
    name: "held",
    repoUrl: "https://example.com/a.git",
  });
  const refused = await mine.call("DELETE", `/projects/${id}`);
  expect(refused.status).toBe(409);
  expect(refused.body.error.code).toBe("project_not_empty");
  expect((await mine.call("GET", `/projects/${id}`)).body.project.serviceCount).toBe(1);
  await mine.call("DELETE", `/services/${service.body.service.id}`);
  expect((await mine.call("DELETE", `/projects/${id}`)).status).toBe(200);
});

test("another account's project and an unknown one answer alike", async () => {
  const { id } = (await mine.call("POST", "/projects", { name: "Private" })).body.project;
  for (const method of ["GET", "PATCH", "DELETE"] as const) {
    const body = method === "PATCH" ? { name: "x" } : undefined;
    const foreign = await other.call(method, `/projects/${id}`, body);
    const unknown = await other.call(method, `/projects/${newId()}`, body);
    expect(foreign.status).toBe(404);
    expect(foreign.body).toEqual(unknown.body);
  }
  expect((await mine.call("GET", `/projects/${id}`)).status).toBe(200);
});

test("pages hold every project once, newest first, while others come and go", async () => {
  const account = await api.newAccount();
  const ids: string[] = [];
  for (let i = 0; i < 7; i++) ids.push((await account.call("POST", "/projects", { name: `p${i}` })).body.project.id);
  const seen: string[] = [];
  let cursor = "";
  for (;;) {
    const page = await account.call("GET", `/projects?limit=3${cursor === "" ? "" : `&cursor=${cursor}`}`);
    seen.push(...page.body.data.map((project: { id: string }) => project.id));
    if (!page.body.pagination.hasMore) {
      expect(page.body.pagination.nextCursor).toBeNull();
      break;
    }
    cursor = page.body.pagination.nextCursor;
    // The very row that the cursor stands on goes away.
    await account.call("DELETE", `/projects/${seen.at(-1)}`);
    await account.call("POST", "/projects", { name: `new ${cursor}` });
  }
  expect(seen).toEqual(ids.toReversed());
});
