import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startTestApi, type TestAccount, type TestApi } from "../../../tests/api.fixture.ts";
import { newId } from "../../kernel/ids.ts";
import { createPool } from "../../platform/database/database.ts";
import { Browser, withSecondFactor } from "./people.fixture.ts";

let api: TestApi;
let first: TestAccount;
let second: TestAccount;
let browser: Browser;
const email = "both@example.com";
const password = "correct horse";

beforeAll(async () => {
  api = await startTestApi();
  [first, second] = [await api.newAccount(), await api.newAccount()];
  for (const [account, role] of [
    [first, "DEVELOPER"],
    [second, "OWNER"],
  ] as const) {
    const member = { accountId: account.accountId, email, password, role };
    await api.controlPlane.people.members.add(member, async () => undefined);
  }
  browser = new Browser(api);
  await browser.signIn(email, password);
});
afterAll(() => api.close());

async function accountOf(account?: string): Promise<unknown> {
  const headers: Record<string, string> = account === undefined ? {} : { "x-ksar-account": account };
  const { status, body } = await browser.send("GET", "/api/v1/account", undefined, headers);
  return status === 200 ? [body.account.id, body.account.role] : [status, body.error.code];
}

describe("a person in two accounts", () => {
  test("acts in the older membership, or in the one that the header names, with their own role there", async () => {
    expect(await accountOf()).toEqual([first.accountId, "DEVELOPER"]);
    expect(await accountOf(first.accountId)).toEqual([first.accountId, "DEVELOPER"]);
    expect(await accountOf(second.accountId.toUpperCase())).toEqual([second.accountId, "OWNER"]);
  });

  test("is nobody in a foreign account, an unknown one and one that is no id", async () => {
    const foreign = await api.newAccount();
    for (const account of [foreign.accountId, newId(), "x", ""]) {
      expect(await accountOf(account)).toEqual([401, "unauthorized"]);
    }
  });
});

test("a cookie that is forged, cut or of another name is no session, whatever else there is", async () => {
  const [name = "", value = ""] = browser.cookie.split(/=(.*)/s);
  const [token = "", signature = ""] = decodeURIComponent(value).split(".");
  const bad = [
    `${name}=`,
    `${name}=${token}`,
    `${name}=${encodeURIComponent(`${token}x.${signature}`)}`,
    `${name}=${encodeURIComponent(`${token}.${signature.replace(/^./, (letter) => (letter === "A" ? "B" : "A"))}`)}`,
    `${name}=%E0%A4%A`,
    `x${name}=${value}`,
    "=;;=",
  ];
  for (const cookie of bad) {
    const answer = await new Browser(api).send("GET", "/api/v1/account", undefined, { cookie });
    expect([cookie, answer.status]).toEqual([cookie, 401]);
  }
  const among = await new Browser(api).send("GET", "/api/v1/account", undefined, {
    cookie: `a=b; ${name}=${value}; c=d`,
  });
  expect(among.status).toBe(200);
});

test("an API key goes before a cookie", async () => {
  const headers = { authorization: `Bearer ${second.key}` };
  const answer = await browser.send("GET", "/api/v1/account", undefined, headers);
  expect(answer.body.account).toMatchObject({ id: second.accountId, role: "ADMIN" });
  const bad = await browser.send("GET", "/api/v1/account", undefined, { authorization: "Bearer nonsense" });
  expect(bad.status).toBe(401);
});

test("a session changes things from the dashboard's own pages alone", async () => {
  const create = (headers: Record<string, string>) =>
    browser.send("POST", "/api/v1/projects", { name: `p ${newId()}` }, { host: "ksar.example", ...headers });
  const foreign: Record<string, string>[] = [
    {},
    { "sec-fetch-site": "cross-site" },
    { "sec-fetch-site": "same-site", origin: "http://ksar.example" },
    { "sec-fetch-site": "none" },
    { origin: "http://evil.example" },
    { origin: "null" },
  ];
  for (const headers of foreign) {
    const answer = await create(headers);
    expect([answer.status, answer.body.error.code]).toEqual([403, "forbidden"]);
  }
  expect((await create({ "sec-fetch-site": "same-origin" })).status).toBe(201);
  expect((await create({ origin: "http://ksar.example" })).status).toBe(201);
  const audit = (await first.call("GET", "/audit?action=projects.create")).body.items;
  expect(audit).toHaveLength(2);
  expect(audit[0]).toMatchObject({ surface: "DASHBOARD", apiKeyId: null, actorName: "both" });
});

test("an expired session is over, and is swept when its person signs in again", async () => {
  const old = new Browser(api);
  await old.signIn(email, password);
  const pool = createPool({ ...api.database.connection, max: 1 }, () => undefined);
  try {
    const token = decodeURIComponent(old.cookies.get("ksar.session_token") ?? "").split(".")[0];
    await pool.query("update sessions set expires_at = now() - interval '1 second' where token = $1", [token]);
    expect((await old.call("GET", "/api/v1/account")).status).toBe(401);
    expect((await old.call("GET", "/api/auth/get-session")).body).toBeNull();
    await new Browser(api).signIn(email, password);
    const { rows } = await pool.query("select 1 from sessions where token = $1", [token]);
    expect(rows).toEqual([]);
  } finally {
    await pool.end();
  }
});

test("get-session makes a session that is a day old last for 30 days again", async () => {
  const pool = createPool({ ...api.database.connection, max: 1 }, () => undefined);
  const visitor = new Browser(api);
  await visitor.signIn(email, password);
  visitor.attributes.clear();
  await visitor.call("GET", "/api/auth/get-session");
  expect(visitor.attributes.size).toBe(0);
  try {
    const token = decodeURIComponent(visitor.cookies.get("ksar.session_token") ?? "").split(".")[0];
    await pool.query("update sessions set expires_at = now() + interval '28 days' where token = $1", [token]);
    const { body } = await visitor.call("GET", "/api/auth/get-session");
    expect(Date.parse(body.session.expiresAt)).toBeGreaterThan(Date.now() + 29.9 * 24 * 3600 * 1000);
    expect(visitor.attributes.get("ksar.session_token")).toContain("Max-Age=2592000");
  } finally {
    await pool.end();
  }
});

test("an account that asks for a second factor shuts out whoever has none, keys included, until they set one up", async () => {
  const owner = await api.newAccount();
  const { email: address } = (await owner.call("GET", "/members")).body.data[0];
  const visitor = new Browser(api);
  await visitor.signIn(address, password);
  await api.query("update accounts set require2fa = true where id = $1", [owner.accountId]);
  const code = async (): Promise<(number | string)[]> => {
    const [bySession, byKey] = [await visitor.call("GET", "/api/v1/account"), await owner.call("GET", "/account")];
    return [bySession, byKey].map(({ status, body }) => (status === 200 ? status : body.error.code));
  };
  await expect.poll(code).toEqual(["second_factor_required", "second_factor_required"]);
  expect((await visitor.call("GET", "/api/auth/get-session")).body.accounts[0].lacksSecondFactor).toBe(true);
  await withSecondFactor(api, address, password);
  await expect.poll(code).toEqual([200, 200]);
});

test("behind TLS the cookie is for TLS alone", async () => {
  const secure = await startTestApi({ publicUrl: () => "https://ksar.example.com" });
  try {
    await secure.controlPlane.accounts.create({ email, password, name: "A" });
    const visitor = new Browser(secure);
    await visitor.signIn(email, password);
    expect(visitor.attributes.get("ksar.session_token")).toMatch(/HttpOnly; SameSite=Lax; Secure$/);
    expect((await visitor.call("GET", "/api/v1/account")).status).toBe(200);
  } finally {
    await secure.close();
  }
});
