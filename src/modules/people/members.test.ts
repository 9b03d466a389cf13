import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startTestApi, type TestAccount, type TestApi } from "../../../tests/api.fixture.ts";
import { newId } from "../../kernel/ids.ts";
import { type Caller, type Role, roles } from "../../operation/caller.ts";
import { createDatabase, createPool, type Executor } from "../../platform/database/database.ts";
import { Browser } from "./people.fixture.ts";

let api: TestApi;
const password = "correct horse";

beforeAll(async () => {
  api = await startTestApi();
});
afterAll(() => api.close());

let people = 0;

async function join(account: TestAccount, role: Role): Promise<{ id: string; email: string; key: string }> {
  people += 1;
  const email = `member${people}@example.com`;
  const member = { accountId: account.accountId, email, password, role };
  const { userId, apiKey } = await api.controlPlane.people.members.add(member, async () => undefined);
  return { id: userId, email, key: apiKey };
}

async function signedIn(email: string): Promise<Browser> {
  const browser = new Browser(api);
  await browser.signIn(email, password);
  return browser;
}

async function rolesOf(account: TestAccount): Promise<string[]> {
  const { body } = await account.call("GET", "/members?limit=100");
  return body.data.map((member: { role: string }) => member.role).sort();
}

test("members are listed page by page, with what is known of them", async () => {
  const account = await api.newAccount();
  const joined = [await join(account, "ADMIN"), await join(account, "VIEWER")];
  const first = (await account.call("GET", "/members?limit=2")).body;
  expect(first.data.map((member: { id: string }) => member.id)).toEqual(joined.map(({ id }) => id).toReversed());
  expect(first.data[0]).toEqual({
    id: joined[1]?.id,
    email: joined[1]?.email,
    name: joined[1]?.email.split("@")[0],
    role: "VIEWER",
    hasSecondFactor: false,
    joinedAt: expect.stringMatching(/^\d{4}-.*Z$/),
  });
  const rest = (await account.call("GET", `/members?limit=2&cursor=${first.pagination.nextCursor}`)).body;
  expect(rest).toMatchObject({ data: [{ role: "OWNER" }], pagination: { hasMore: false, nextCursor: null } });
});

describe("nobody gives, changes or takes a role above their own", () => {
  const cases = (["ADMIN", "OWNER"] as const).flatMap((actor) =>
    roles.flatMap((from) => roles.map((to) => [actor, from, to] as const)),
  );
  let account: TestAccount;
  const browsers = new Map<Role, Browser>();

  beforeAll(async () => {
    account = await api.newAccount();
    for (const role of roles) browsers.set(role, await signedIn((await join(account, role)).email));
  });

  function as(role: Role): Browser {
    const browser = browsers.get(role);
    if (browser === undefined) throw new Error(`nobody is ${role}`);
    return browser;
  }

  test.each(cases)("%s changes %s into %s", async (actor, from, to) => {
    const { id } = await join(account, from);
    const may = actor === "OWNER" || (from !== "OWNER" && to !== "OWNER");
    const answer = await as(actor).call("PATCH", `/api/v1/members/${id}`, { role: to });
    expect(answer.status).toBe(may ? 200 : 403);
    if (may) expect(answer.body.member).toMatchObject({ id, role: to });
    else expect(answer.body.error.code).toBe("forbidden");
  });

  test.each(cases.filter(([, from, to]) => from === to))("%s removes %s", async (actor, from) => {
    const { id } = await join(account, from);
    const answer = await as(actor).call("DELETE", `/api/v1/members/${id}`);
    expect(answer.status).toBe(actor === "OWNER" || from !== "OWNER" ? 200 : 403);
  });

  test.each(["VIEWER", "DEVELOPER"] as const)("%s changes and removes nobody, but reads", async (actor) => {
    const { id } = await join(account, "VIEWER");
    expect((await as(actor).call("PATCH", `/api/v1/members/${id}`, { role: "VIEWER" })).status).toBe(403);
    expect((await as(actor).call("DELETE", `/api/v1/members/${id}`)).status).toBe(403);
    expect((await as(actor).call("POST", "/api/v1/invites", { email: "a@b.cd", role: "VIEWER" })).status).toBe(403);
    expect((await as(actor).call("GET", "/api/v1/members")).status).toBe(200);
    expect((await as(actor).call("GET", "/api/v1/invites")).status).toBe(200);
  });

  test("an owner's API key acts as ADMIN: no owner is made, changed or removed with it", async () => {
    const owner = await join(account, "OWNER");
    const viewer = await join(account, "VIEWER");
    expect((await account.call("PATCH", `/members/${viewer.id}`, { role: "OWNER" })).status).toBe(403);
    expect((await account.call("PATCH", `/members/${owner.id}`, { role: "ADMIN" })).status).toBe(403);
    expect((await account.call("DELETE", `/members/${owner.id}`)).status).toBe(403);
    expect((await account.call("POST", "/invites", { email: "o@b.cd", role: "OWNER" })).status).toBe(403);
    expect((await account.call("PATCH", `/members/${viewer.id}`, { role: "ADMIN" })).status).toBe(200);
  });
});

test.each(["VIEWER", "DEVELOPER", "ADMIN"] as const)(
  "%s leaves, by session or key, and is nobody there from then on",
  async (role) => {
    const account = await api.newAccount();
    const [byKey, bySession, other] = [await join(account, role), await join(account, role), await join(account, role)];
    const leave = (id: string, key: string) => api.call("DELETE", `/members/${id}`, { key });
    const scoped = { name: "k", scopes: ["members:read"] };
    if (role === "ADMIN") {
      const { key } = (await api.call("POST", "/api-keys", { key: byKey.key, body: scoped })).body.apiKey;
      expect((await leave(byKey.id, key)).body.error.code).toBe("insufficient_scope");
    } else expect((await leave(other.id, byKey.key)).body.error.code).toBe("forbidden");
    expect((await leave(byKey.id, byKey.key)).body).toEqual({ ok: true });
    await expect.poll(async () => (await api.call("GET", "/account", { key: byKey.key })).status).toBe(401);
    const browser = await signedIn(bySession.email);
    expect((await browser.call("DELETE", `/api/v1/members/${bySession.id}`)).body).toEqual({ ok: true });
    expect((await browser.call("GET", "/api/v1/account")).status).toBe(401);
    const log = (await account.call("GET", "/audit?action=members.remove")).body.items;
    expect(log.map((entry: { entityId: string }) => entry.entityId)).toEqual([bySession.id, byKey.id]);
    expect(log[1]).toMatchObject({ surface: "API", actorName: byKey.email.split("@")[0] });
  },
);

test("the last owner can neither be demoted nor leave; the one before can", async () => {
  const account = await api.newAccount();
  const { id, email } = await join(account, "OWNER");
  const browser = await signedIn(email);
  const founder = (await account.call("GET", "/members")).body.data[1].id;
  expect((await browser.call("DELETE", `/api/v1/members/${founder}`)).status).toBe(200);
  for (const answer of [
    await browser.call("PATCH", `/api/v1/members/${id}`, { role: "ADMIN" }),
    await browser.call("DELETE", `/api/v1/members/${id}`),
  ]) {
    expect([answer.status, answer.body.error.code]).toEqual([409, "conflict"]);
  }
  expect((await browser.call("PATCH", `/api/v1/members/${id}`, { role: "OWNER" })).status).toBe(200);
});

test("ten owners who all demote each other at the same time leave one at least", async () => {
  const account = await api.newAccount();
  const founder = (await account.call("GET", "/members")).body.data[0];
  const owners = [founder, ...(await Promise.all(Array.from({ length: 9 }, () => join(account, "OWNER"))))];
  const browsers = await Promise.all(owners.map(({ email }) => signedIn(email)));
  const answers = await Promise.all(
    browsers.map((browser, index) =>
      browser.call("PATCH", `/api/v1/members/${owners[(index + 1) % owners.length].id}`, { role: "VIEWER" }),
    ),
  );
  expect(answers.every(({ status }) => [200, 403, 409].includes(status))).toBe(true);
  expect(await rolesOf(account)).toContain("OWNER");
});

test("ten demotions of themselves at the same time leave one owner", async () => {
  const account = await api.newAccount();
  const founder = (await account.call("GET", "/members")).body.data[0];
  const owners = [founder, ...(await Promise.all(Array.from({ length: 9 }, () => join(account, "OWNER"))))];
  const browsers = await Promise.all(owners.map(({ email }) => signedIn(email)));
  const answers = await Promise.all(
    browsers.map((browser, index) => browser.call("PATCH", `/api/v1/members/${owners[index].id}`, { role: "ADMIN" })),
  );
  expect(answers.map(({ status }) => status).sort()).toEqual([...Array(9).fill(200), 409]);
  expect(await rolesOf(account)).toEqual([...Array(9).fill("ADMIN"), "OWNER"]);
});

test("a removed member's session and keys are refused within a second, and stay dead when they come back", async () => {
  const account = await api.newAccount();
  const { id, email, key } = await join(account, "ADMIN");
  const browser = await signedIn(email);
  const invite = await browser.call("POST", "/api/v1/invites", { email: "friend@example.com", role: "ADMIN" });
  expect((await api.call("GET", "/account", { key })).status).toBe(200);
  expect((await account.call("DELETE", `/members/${id}`)).status).toBe(200);
  expect((await browser.call("GET", "/api/v1/account")).status).toBe(401);
  await expect.poll(async () => (await api.call("GET", "/account", { key })).status).toBe(401);
  const link = new URL(invite.body.invite.link).pathname;
  expect((await new Browser(api).call("GET", link)).status).toBe(404);
  expect((await account.call("DELETE", `/members/${id}`)).status).toBe(404);

  const again = { accountId: account.accountId, email, password: "ignored password", role: "VIEWER" };
  await api.controlPlane.people.members.add(again, async () => undefined);
  // What a session may do is believed for half a second, as what it may not.
  await expect.poll(async () => (await browser.call("GET", "/api/v1/account")).body.account?.role).toBe("VIEWER");
  expect((await api.call("GET", "/account", { key })).status).toBe(401);
});

test("a demoted member loses the role within a second, and their open invites", async () => {
  const account = await api.newAccount();
  const { id, email } = await join(account, "ADMIN");
  const browser = await signedIn(email);
  const { invite } = (await browser.call("POST", "/api/v1/invites", { email: "x@example.com", role: "ADMIN" })).body;
  await account.call("PATCH", `/members/${id}`, { role: "DEVELOPER" });
  const { id: founder } = (await account.call("GET", "/members")).body.data.at(-1);
  expect((await browser.call("DELETE", `/api/v1/members/${founder}`)).status).toBe(403);
  expect((await account.call("GET", "/invites")).body.data[0]).toMatchObject({ id: invite.id, status: "REVOKED" });
});

test("a role that was just lost counts no longer, though another process still believes it", async () => {
  const account = await api.newAccount();
  const [lost, viewer] = [await join(account, "ADMIN"), await join(account, "VIEWER")];
  const believed: Caller = {
    accountId: account.accountId,
    userId: lost.id,
    userName: "lost",
    role: "ADMIN",
    apiKeyId: null,
    scopes: [],
    ipAllowlist: [],
    surface: "DASHBOARD",
    ipAddress: "10.0.0.1",
    accountSuspended: false,
    lacksSecondFactor: false,
  };
  await account.call("PATCH", `/members/${lost.id}`, { role: "DEVELOPER" });
  const { members, invites } = api.controlPlane.people;
  const pool = createPool({ ...api.database.connection, max: 1 }, () => undefined);
  const refused = (act: (transaction: Executor) => Promise<unknown>) =>
    expect(createDatabase(pool).transaction().execute(act)).rejects.toMatchObject({ code: "forbidden" });
  try {
    for (const role of ["VIEWER", "ADMIN"] as const) {
      await refused((transaction) => members.setRole(transaction, believed, viewer.id, role));
      await refused((transaction) => invites.create(transaction, believed, { email: "x@example.com", role }));
    }
    await refused((transaction) => members.remove(transaction, believed, viewer.id));
    await account.call("DELETE", `/members/${lost.id}`);
    await refused((transaction) => members.setRole(transaction, believed, viewer.id, "ADMIN"));
    await refused((transaction) => members.remove(transaction, believed, viewer.id));
  } finally {
    await pool.end();
  }
});

test("another account's member and an unknown one answer alike", async () => {
  const [account, other] = [await api.newAccount(), await api.newAccount()];
  const { id } = await join(other, "VIEWER");
  for (const method of ["PATCH", "DELETE"] as const) {
    const body = method === "PATCH" ? { role: "VIEWER" } : undefined;
    const foreign = await account.call(method, `/members/${id}`, body);
    expect(foreign.status).toBe(404);
    expect(foreign.body).toEqual((await account.call(method, `/members/${newId()}`, body)).body);
  }
});

test("coarse scopes reach no member, `members:read` reads alone", async () => {
  const account = await api.newAccount();
  const keyWith = async (...scopes: string[]) =>
    (await account.call("POST", "/api-keys", { name: "k", scopes })).body.apiKey.key;
  const coarse = await keyWith("write");
  expect((await api.call("GET", "/members", { key: coarse })).body.error.code).toBe("insufficient_scope");
  const reader = await keyWith("members:read");
  expect((await api.call("GET", "/members", { key: reader })).status).toBe(200);
  const invite = { key: reader, body: { email: "a@b.cd", role: "VIEWER" } };
  expect((await api.call("POST", "/invites", invite)).body.error.code).toBe("insufficient_scope");
});

test("changes of members are in the audit log and the activity feed", async () => {
  const account = await api.newAccount();
  const { id } = await join(account, "VIEWER");
  await account.call("PATCH", `/members/${id}`, { role: "DEVELOPER" });
  await account.call("DELETE", `/members/${id}`);
  const audit = (await account.call("GET", "/audit?entityType=member")).body.items;
  expect(audit.map((entry: { action: string; entityId: string }) => [entry.action, entry.entityId])).toEqual([
    ["members.remove", id],
    ["members.update", id],
  ]);
  const activity = (await account.call("GET", "/activity?entityType=member")).body.data;
  expect(activity.map((event: { action: string }) => event.action)).toEqual(["member.removed", "member.role_changed"]);
  expect(activity[1].metadata).toEqual({ name: expect.any(String), role: "DEVELOPER" });
});
