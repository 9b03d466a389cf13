import { afterAll, beforeAll, expect, test } from "vitest";
import { startTestApi, type TestAccount, type TestApi } from "../../../tests/api.fixture.ts";

let api: TestApi;
let account: TestAccount;

beforeAll(async () => {
  api = await startTestApi();
  account = await api.newAccount();
});
afterAll(() => api.close());

test("an account has the nine fields of the contract", async () => {
  expect((await account.call("GET", "/account")).body).toEqual({
    account: {
      id: account.accountId,
      name: "Account 1",
      slug: "account-1",
      type: "TEAM",
      plan: "FREE",
      require2fa: false,
      aiOptIn: false,
      role: "ADMIN",
      aiAvailable: false,
    },
  });
});

test("what is changed is read back at once", async () => {
  expect((await account.call("PUT", "/account/ai-opt-in", { aiOptIn: true })).body).toEqual({ ok: true });
  // Opting in makes no AI available: that is the operator's.
  expect((await account.call("GET", "/account")).body.account).toMatchObject({ aiOptIn: true, aiAvailable: false });
  await account.call("PUT", "/account/ai-opt-in", { aiOptIn: false });
  expect((await account.call("GET", "/account")).body.account.aiOptIn).toBe(false);
});

test("a second factor can be asked for by who has one", async () => {
  const refused = await account.call("PUT", "/account/require-2fa", { require2fa: true });
  expect([refused.status, refused.body.error.code]).toEqual([409, "conflict"]);
  await api.query("update users set two_factor_enabled = true where email = 'owner1@example.com'");
  expect((await account.call("PUT", "/account/require-2fa", { require2fa: true })).status).toBe(200);
  expect((await account.call("GET", "/account")).body.account.require2fa).toBe(true);
  const member = await api.newMember(account.accountId, "ADMIN");
  const shutOut = await api.call("GET", "/account", { key: member.key });
  expect([shutOut.status, shutOut.body.error.code]).toEqual([403, "second_factor_required"]);
  expect((await account.call("PUT", "/account/require-2fa", { require2fa: false })).status).toBe(200);
});

test("the spend cap: none, its bounds, cleared", async () => {
  const read = async () => (await account.call("GET", "/account/spend-cap")).body;
  expect(await read()).toEqual({ spendCapMad: null, spendAlertPct: null, currentSpendMad: 0 });
  for (const cap of [
    { spendCapMad: 0, spendAlertPct: 1 },
    { spendCapMad: 10_000_000, spendAlertPct: 100 },
    { spendCapMad: null, spendAlertPct: null },
  ]) {
    expect((await account.call("PUT", "/account/spend-cap", cap)).body).toEqual({ ok: true });
    expect(await read()).toEqual({ ...cap, currentSpendMad: 0 });
  }
  for (const cap of [
    { spendCapMad: -1, spendAlertPct: null },
    { spendCapMad: 10_000_001, spendAlertPct: null },
    { spendCapMad: 1.5, spendAlertPct: null },
    { spendCapMad: null, spendAlertPct: 0 },
    { spendCapMad: null, spendAlertPct: 101 },
    { spendCapMad: null },
    { spendAlertPct: null },
  ]) {
    expect((await account.call("PUT", "/account/spend-cap", cap)).status, JSON.stringify(cap)).toBe(422);
  }
});

test("the export holds what the account holds, all of it, and nothing of others", async () => {
  const mine = await api.newAccount();
  const ids: string[] = [];
  for (let n = 0; n < 3; n++) ids.push((await mine.call("POST", "/projects", { name: `p${n}` })).body.project.id);
  await api.query(
    `insert into projects (id, account_id, name, slug) select uuidv7(), $1, 'many', 'many-' || n from generate_series(1, 1200) n`,
    [mine.accountId],
  );
  const { service } = (
    await mine.call("POST", "/services", { projectId: ids[0], name: "s", repoUrl: "https://example.com/a" })
  ).body;
  const { body, headers } = await mine.call("GET", "/account/export");
  expect(headers["content-type"]).toMatch(/^application\/json/);
  expect(Object.keys(body).sort()).toEqual(
    [
      "account",
      "buckets",
      "databases",
      "domains",
      "invites",
      "invoices",
      "members",
      "owner",
      "projects",
      "services",
    ].sort(),
  );
  expect(body.account).toMatchObject({ id: mine.accountId });
  expect(body.owner).toMatchObject({ role: "OWNER" });
  expect(body.projects).toHaveLength(1203);
  expect(new Set(body.projects.map((one: { id: string }) => one.id)).size).toBe(1203);
  expect(body.services).toMatchObject([{ id: service.id }]);
  expect(body.members).toHaveLength(1);
  expect(JSON.stringify(body)).not.toContain(account.accountId);
});

test("the activity feed tells what happened, filtered and paged", async () => {
  const mine = await api.newAccount();
  const { project } = (await mine.call("POST", "/projects", { name: "Feed" })).body;
  const { service } = (
    await mine.call("POST", "/services", { projectId: project.id, name: "s", repoUrl: "https://example.com/a" })
  ).body;
  await mine.call("DELETE", `/services/${service.id}`);
  const feed = async (query: string) => (await mine.call("GET", `/activity${query}`)).body;
  const all = await feed("");
  expect(all.data.map((one: { action: string }) => one.action)).toEqual([
    "service.deleted",
    "service.created",
    "project.created",
  ]);
  expect(all.data[0]).toEqual({
    id: expect.any(String),
    action: "service.deleted",
    entityType: "service",
    entityId: service.id,
    metadata: { name: "s" },
    actorName: expect.any(String),
    createdAt: expect.any(String),
  });
  expect((await feed(`?entityId=${project.id}`)).data).toHaveLength(1);
  expect((await feed("?entityType=service")).data).toHaveLength(2);
  const first = await feed("?limit=2");
  expect(first.pagination.hasMore).toBe(true);
  expect((await feed(`?limit=2&cursor=${first.pagination.nextCursor}`)).data).toHaveLength(1);
  await api.query(
    `insert into activity_events (id, account_id, action, entity_type, entity_id, metadata)
     select uuidv7(), $1, 'made.up', 'thing', uuidv7(), '{}' from generate_series(1, 30)`,
    [mine.accountId],
  );
  expect((await feed("")).data).toHaveLength(20);
});
