import { afterAll, beforeAll, expect, test } from "vitest";
import { startTestApi, type TestAccount, type TestApi } from "../../../tests/api.fixture.ts";
import { hashApiKey } from "../../kernel/api-key.ts";

let api: TestApi;
let account: TestAccount;

beforeAll(async () => {
  api = await startTestApi();
  account = await api.newAccount();
});
afterAll(() => api.close());

async function newKey(body: object, key = account.key) {
  return api.call("POST", "/api-keys", { key, body });
}

test("a key is shown once, and kept as its hash alone", async () => {
  const { status, body } = await newKey({ name: "CI", scopes: ["read", "read"], ipAllowlist: ["127.0.0.1"] });
  expect(status).toBe(201);
  expect(body.apiKey).toEqual({
    id: expect.any(String),
    name: "CI",
    prefix: body.apiKey.key.slice(0, 13),
    scopes: ["read"],
    ipAllowlist: ["127.0.0.1"],
    lastUsedAt: null,
    createdAt: expect.any(String),
    revokedAt: null,
    key: expect.stringMatching(/^ksar_[0-9A-Za-z]{40}$/),
  });
  const { key, ...shown } = body.apiKey;
  const list = (await account.call("GET", "/api-keys")).body.data;
  expect(list.find((one: { id: string }) => one.id === shown.id)).toEqual(shown);
  const rows = await api.query("select * from api_keys where id = $1", [shown.id]);
  expect(rows[0].hash.equals(hashApiKey(key))).toBe(true);
  expect(JSON.stringify(rows)).not.toContain(key.slice(14));
});

test("a revoked key is refused at once here and within a second elsewhere; revoking again succeeds", async () => {
  const twin = await startTestApi({ beside: api.database });
  try {
    const { apiKey } = (await newKey({ name: "Leaked" })).body;
    const use = (where: TestApi) => where.call("GET", "/account", { key: apiKey.key });
    expect([(await use(api)).status, (await use(twin)).status]).toEqual([200, 200]);
    expect((await account.call("POST", `/api-keys/${apiKey.id}/revoke`)).body).toEqual({ ok: true });
    expect((await use(api)).status).toBe(401);
    await expect.poll(async () => (await use(twin)).status).toBe(401);
    const list = async () =>
      (await account.call("GET", "/api-keys")).body.data.find((one: { id: string }) => one.id === apiKey.id);
    const { revokedAt } = await list();
    expect(revokedAt).toEqual(expect.any(String));
    expect((await account.call("POST", `/api-keys/${apiKey.id}/revoke`)).body).toEqual({ ok: true });
    expect((await list()).revokedAt).toBe(revokedAt);
  } finally {
    await twin.close();
  }
});

test("a key works from the addresses of its allowlist alone", async () => {
  const { apiKey } = (await newKey({ name: "Elsewhere", ipAllowlist: ["192.0.2.0/24", "2001:db8::/32"] })).body;
  const refused = await api.call("GET", "/account", { key: apiKey.key });
  expect([refused.status, refused.body.error.code]).toEqual([403, "ip_not_allowed"]);
  const { apiKey: here } = (await newKey({ name: "Here", ipAllowlist: ["127.0.0.0/8"] })).body;
  expect((await api.call("GET", "/account", { key: here.key })).status).toBe(200);
});

test("a key's role is its creator's live one, capped at ADMIN; who has left has no key", async () => {
  const role = async (key: string) => (await api.call("GET", "/account", { key })).body.account?.role;
  expect(await role(account.key)).toBe("ADMIN"); // the owner's
  const member = await api.newMember(account.accountId, "VIEWER");
  expect(await role(member.key)).toBe("VIEWER");
  const until = (wanted: string | undefined) => expect.poll(() => role(member.key)).toBe(wanted);
  await api.query("update memberships set role = 'DEVELOPER' where user_id = $1", [member.userId]);
  await until("DEVELOPER");
  await api.query("delete from memberships where user_id = $1", [member.userId]);
  await until(undefined);
});

test("a key can't make one that can do more than itself", async () => {
  const { apiKey: some } = (await newKey({ name: "Some", scopes: ["api-keys:write", "services:write"] })).body;
  for (const scopes of [undefined, [], ["write"], ["projects:read"], ["services:read", "billing:read"]]) {
    const answer = await newKey({ name: "More", ...(scopes === undefined ? {} : { scopes }) }, some.key);
    expect([answer.status, answer.body.error.code], String(scopes)).toEqual([403, "insufficient_scope"]);
  }
  expect((await newKey({ name: "Less", scopes: ["services:read", "api-keys:read"] }, some.key)).status).toBe(201);
  const { apiKey: bound } = (await newKey({ name: "Bound", ipAllowlist: ["127.0.0.0/8"] })).body;
  for (const ipAllowlist of [undefined, [], ["0.0.0.0/0"], ["127.0.0.1", "10.0.0.1"]]) {
    const answer = await newKey({ name: "Free", ...(ipAllowlist === undefined ? {} : { ipAllowlist }) }, bound.key);
    expect([answer.status, answer.body.error.code], String(ipAllowlist)).toEqual([403, "forbidden"]);
  }
  expect((await newKey({ name: "Narrower", ipAllowlist: ["127.0.0.1"] }, bound.key)).status).toBe(201);
});

test("unknown scopes and addresses that are none are refused, each with its place", async () => {
  const answer = await newKey({
    name: "Bad",
    scopes: ["read", "admin", "x:read"],
    ipAllowlist: ["10.0.0.0/33", "::1"],
  });
  expect(answer.status).toBe(422);
  expect(answer.body.error.details.map((one: { path: string }) => one.path)).toEqual([
    "/scopes/1",
    "/scopes/2",
    "/ipAllowlist/0",
  ]);
});

test("an account has 500 live keys at most; the list has those, and the newest of the revoked ones", async () => {
  const one = await api.newAccount();
  const [{ creator_id: creator }] = await api.query("select creator_id from api_keys where account_id = $1", [
    one.accountId,
  ]);
  const fill = (count: number, revokedAt: string | null) =>
    api.query(
      `insert into api_keys (id, account_id, creator_id, name, prefix, hash, revoked_at)
       select uuidv7(), $1, $2, 'k', 'ksar_' || n, sha256(uuidv7()::text::bytea), $4 from generate_series(1, $3::int) n`,
      [one.accountId, creator, count, revokedAt],
    );
  await fill(510, "2026-01-01");
  await fill(498, null);
  const made = await Promise.all(["a", "b", "c"].map((name) => one.call("POST", "/api-keys", { name })));
  expect(made.map(({ status }) => status).sort()).toEqual([201, 409, 409]);
  const { data } = (await one.call("GET", "/api-keys")).body;
  const live = data.filter((key: { revokedAt: string | null }) => key.revokedAt === null);
  expect([live.length, data.length]).toEqual([500, 1000]);
  expect(data.map((key: { id: string }) => key.id)).toEqual(
    data
      .map((key: { id: string }) => key.id)
      .toSorted()
      .toReversed(),
  );
  await one.call("POST", `/api-keys/${live.at(-2).id}/revoke`);
  expect((await one.call("POST", "/api-keys", { name: "d" })).status).toBe(201);
});

test("lastUsedAt is written, at most once a minute", async () => {
  const { apiKey } = (await newKey({ name: "Used" })).body;
  const use = () => api.call("GET", "/account", { key: apiKey.key });
  const lastUsed = async () =>
    (await api.query("select last_used_at from api_keys where id = $1", [apiKey.id]))[0].last_used_at;
  await use();
  await expect.poll(lastUsed).not.toBeNull();
  const first = await lastUsed();
  const twin = await startTestApi({ beside: api.database });
  for (let n = 0; n < 5; n++) await Promise.all([use(), twin.call("GET", "/account", { key: apiKey.key })]);
  await twin.close();
  expect(await lastUsed()).toEqual(first);
});

test("programs say which they are; anything else is refused", async () => {
  const { key } = account;
  for (const [surface, shown] of [
    ["CLI", "CLI"],
    ["mcp", "MCP"],
    ["API", "API"],
  ] as const) {
    const headers = { "x-ksar-surface": surface };
    const { body } = await api.call("POST", "/projects", { key, body: { name: `By ${surface}` }, headers });
    const [entry] = await api.query("select surface from audit_entries where entity_id = $1", [body.project.id]);
    expect(entry.surface).toBe(shown);
  }
  for (const surface of ["DASHBOARD", "SYSTEM", "curl"]) {
    const answer = await api.call("GET", "/account", { key, headers: { "x-ksar-surface": surface } });
    expect([answer.status, answer.body.error.details[0].in]).toEqual([422, "header"]);
  }
});

test("too many requests of one key are a 429 that says when to go on; other keys are not held up", async () => {
  const limited = await startTestApi({ beside: api.database, rateLimit: 5 });
  try {
    const { apiKey } = (await newKey({ name: "Busy" })).body;
    const use = (prefix: string) => limited.call("GET", `${prefix}/account`, { key: apiKey.key });
    for (let n = 1; n <= 5; n++) {
      const answer = await use(n % 2 === 0 ? "/v1" : "/api/v1");
      expect([answer.status, Number(answer.headers["x-ratelimit-remaining"])]).toEqual([200, 5 - n]);
      expect(Number(answer.headers["x-ratelimit-limit"])).toBe(5);
    }
    const refused = await use("/v1");
    expect([refused.status, refused.body.error.code]).toEqual([429, "rate_limited"]);
    expect(Number(refused.headers["retry-after"])).toBeGreaterThan(0);
    expect(Number(refused.headers["x-ratelimit-remaining"])).toBe(0);
    expect(Number(refused.headers["x-ratelimit-reset"])).toBeGreaterThan(Date.now() / 1000);
    const { apiKey: another } = (await newKey({ name: "Calm" })).body;
    expect((await limited.call("GET", "/account", { key: another.key })).status).toBe(200);
  } finally {
    await limited.close();
  }
});

test("who fails to authenticate too often is told to wait; who succeeds is not", async () => {
  const limited = await startTestApi({ rateLimit: 2 });
  try {
    const stranger = await limited.newAccount();
    const codes = [];
    for (let n = 0; n < 21; n++) codes.push((await limited.call("GET", "/account", { key: "guess" })).body.error.code);
    expect(codes).toEqual([...Array(20).fill("unauthorized"), "rate_limited"]);
    expect((await limited.call("GET", "/account", { key: stranger.key })).status).toBe(200);
  } finally {
    await limited.close();
  }
});
