import { createHook } from "node:async_hooks";
import { createHash } from "node:crypto";
import pg from "pg";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { startTestApi, type TestAccount, type TestApi } from "../../../tests/api.fixture.ts";
import { Browser, totp, withSecondFactor } from "./people.fixture.ts";

let api: TestApi;
const password = "correct horse";

beforeAll(async () => {
  api = await startTestApi();
});
afterAll(() => api.close());

async function newPerson(): Promise<{ email: string; account: TestAccount }> {
  const created = await api.newAccount();
  const members = await created.call("GET", "/members");
  return { email: members.body.data[0].email, account: created };
}

test("whoever AccountsService made signs in, reads through the API, and signs out", async () => {
  const { email } = await newPerson();
  const browser = new Browser(api);
  const signedIn = await browser.signIn(email.toUpperCase(), password);
  expect(signedIn.status).toBe(200);
  expect(signedIn.body).toMatchObject({ user: { email, twoFactorEnabled: false } });
  expect(signedIn.body).not.toHaveProperty("token");
  expect(browser.attributes.get("ksar.session_token")).toBe("Max-Age=2592000; Path=/; HttpOnly; SameSite=Lax");
  const session = await browser.call("GET", "/api/auth/get-session");
  expect(session.body.accounts).toEqual([
    { id: expect.any(String), name: expect.any(String), role: "OWNER", lacksSecondFactor: false },
  ]);
  expect(JSON.stringify(session.body)).not.toContain("token");
  expect((await browser.call("GET", "/api/v1/account")).body.account.role).toBe("OWNER");
  const { cookie } = browser;
  expect((await browser.call("POST", "/api/auth/sign-out", {})).status).toBe(200);
  const after = await browser.send("GET", "/api/v1/account", undefined, { cookie });
  expect(after.status).toBe(401);
  expect((await browser.call("GET", "/api/auth/get-session")).body).toBeNull();
});

/** Leaves a person without one. */
async function takePassword(email: string): Promise<void> {
  await api.query("delete from credentials where user_id = (select id from users where email = $1)", [email]);
}

test("a wrong password, a person without one and nobody at all get the same answer", async () => {
  const [{ email }, guest] = [await newPerson(), await newPerson()];
  await takePassword(guest.email);
  const tries = [
    [email, "wrong password"],
    [guest.email, password],
    ["nobody@example.com", "wrong password"],
    ["admin@localhost", "wrong password"],
    ["not an address", "wrong password"],
  ] as const;
  const answers = await Promise.all(
    tries.map(([who, what], index) => new Browser(api, `10.0.0.${index}`).signIn(who, what)),
  );
  for (const { status, body, headers } of answers) {
    expect([status, body]).toEqual([401, { error: { code: "unauthorized", message: expect.any(String) } }]);
    expect(body).toEqual(answers[0]?.body);
    expect(headers["set-cookie"]).toBeUndefined();
  }
});

/** What a sign-in takes: how many passwords are hashed, and what is asked of the tables of people. */
async function workOf(email: string): Promise<{ readonly hashes: number; readonly statements: readonly string[] }> {
  let hashes = 0;
  const hook = createHook({
    init: (_id, type) => {
      if (type === "SCRYPTREQUEST") hashes++;
    },
  });
  const query = vi.spyOn(pg.Client.prototype, "query");
  hook.enable();
  try {
    expect((await new Browser(api).signIn(email, "wrong password")).status).toBe(401);
    const statements = query.mock.calls
      .map(([statement]: readonly unknown[]) => (statement as { readonly text?: string }).text ?? String(statement))
      .filter((text) => /"(users|credentials|sessions|two_factors)"/.test(text));
    return { hashes, statements };
  } finally {
    hook.disable();
    query.mockRestore();
  }
}

test("nobody at all costs one hash and the same queries, as a wrong password does", async () => {
  const [{ email }, guest, guarded] = await Promise.all([newPerson(), newPerson(), newPerson()]);
  await takePassword(guest.email);
  await withSecondFactor(api, guarded.email, password);
  const known = await workOf(email);
  expect(known).toMatchObject({ hashes: 1, statements: [expect.stringContaining('"credentials"')] });
  for (const who of [guest.email, guarded.email, "nobody3@example.com", "not an address"])
    expect(await workOf(who), who).toEqual(known);
});

test("an address without a dot signs in too", async () => {
  await api.controlPlane.accounts.create({ email: "Admin@LocalHost", password, name: "Local" });
  expect((await new Browser(api).signIn("admin@localhost", password)).status).toBe(200);
});

test("tries are limited per person, wherever they come from, known or not", async () => {
  const { email } = await newPerson();
  for (const who of [email, "nobody2@example.com"]) {
    for (let i = 0; i < 10; i++) {
      expect((await new Browser(api, `10.1.0.${i}`).signIn(who, "wrong password")).status).toBe(401);
    }
    const refused = await new Browser(api, "10.1.0.99").signIn(` ${who.toUpperCase()}`, password);
    expect([refused.status, refused.body.error.code]).toEqual([429, "rate_limited"]);
    expect(Number(refused.headers["retry-after"])).toBeGreaterThan(0);
  }
});

test("tries are limited per address, whoever they are for", async () => {
  const attempts = Array.from({ length: 40 }, (_, i) => new Browser(api, "10.2.0.1").signIn(`n${i}@example.com`, "x"));
  const statuses = (await Promise.all(attempts)).map(({ status }) => status);
  expect(statuses.filter((status) => status === 401)).toHaveLength(30);
  expect(statuses.filter((status) => status === 429)).toHaveLength(10);
});

test("a second factor is set up, asked for, and taken away again", async () => {
  const { email } = await newPerson();
  const { browser: first, uri, recoveryCodes } = await withSecondFactor(api, email, password);
  expect(uri).toMatch(/^otpauth:\/\/totp\/Ksar/);

  const browser = new Browser(api);
  const half = await browser.signIn(email, password);
  expect([half.status, half.body]).toEqual([200, { twoFactorRedirect: true, twoFactorMethods: ["totp"] }]);
  expect((await browser.call("GET", "/api/v1/account")).status).toBe(401);
  const wrong = await browser.call("POST", "/api/auth/two-factor/verify-totp", { code: "000000" });
  expect([wrong.status, wrong.body.error.code]).toEqual([401, "unauthorized"]);
  const code = totp(uri);
  expect((await browser.call("POST", "/api/auth/two-factor/verify-totp", { code })).status).toBe(200);
  expect((await browser.call("GET", "/api/v1/account")).status).toBe(200);

  const onlooker = new Browser(api);
  await onlooker.signIn(email, password);
  const again = await onlooker.call("POST", "/api/auth/two-factor/verify-totp", { code });
  expect([again.status, again.body.error.code]).toEqual([401, "unauthorized"]);
  expect((await onlooker.call("GET", "/api/v1/account")).status).toBe(401);
  // The sign-in goes on with one that is good.
  const next = { code: recoveryCodes[0] };
  expect((await onlooker.call("POST", "/api/auth/two-factor/verify-backup-code", next)).status).toBe(200);

  const unproved = await first.call("POST", "/api/auth/two-factor/disable", { password: "wrong password" });
  expect([unproved.status, unproved.body.error.code]).toEqual([422, "validation_failed"]);
  expect((await first.call("POST", "/api/auth/two-factor/disable", { password })).status).toBe(200);
  expect((await new Browser(api).signIn(email, password)).body.user.email).toBe(email);
});

test("a recovery code signs in once, also of two who try at the same time", async () => {
  const { email } = await newPerson();
  const { recoveryCodes } = await withSecondFactor(api, email, password);
  const code = recoveryCodes[0];
  const browsers = [new Browser(api, "10.3.0.1"), new Browser(api, "10.3.0.2")];
  for (const browser of browsers) await browser.signIn(email, password);
  const answers = await Promise.all(
    browsers.map((browser) => browser.call("POST", "/api/auth/two-factor/verify-backup-code", { code })),
  );
  expect(answers.map(({ status }) => status === 200).sort()).toEqual([false, true]);
  const later = new Browser(api, "10.3.0.3");
  await later.signIn(email, password);
  expect((await later.call("POST", "/api/auth/two-factor/verify-backup-code", { code })).status).toBe(401);
  const other = { code: recoveryCodes[1] };
  expect((await later.call("POST", "/api/auth/two-factor/verify-backup-code", other)).status).toBe(200);
});

test("five wrong codes end a sign-in", async () => {
  const { email } = await newPerson();
  const { uri } = await withSecondFactor(api, email, password);
  const browser = new Browser(api, "10.4.0.1");
  await browser.signIn(email, password);
  for (let i = 0; i < 5; i++) await browser.call("POST", "/api/auth/two-factor/verify-totp", { code: "000000" });
  const late = await browser.call("POST", "/api/auth/two-factor/verify-totp", { code: totp(uri) });
  expect(late.status).toBeGreaterThanOrEqual(400);
  expect((await browser.call("GET", "/api/v1/account")).status).toBe(401);
});

test("a new password ends the other sessions", async () => {
  const { email } = await newPerson();
  const [here, there] = [new Browser(api), new Browser(api)];
  await here.signIn(email, password);
  await there.signIn(email, password);
  const wrong = { currentPassword: "wrong password", newPassword: "battery staple" };
  expect((await here.call("POST", "/api/auth/change-password", wrong)).status).toBe(422);
  const right = { currentPassword: password, newPassword: "battery staple" };
  expect((await here.call("POST", "/api/auth/change-password", right)).status).toBe(200);
  expect((await here.call("GET", "/api/v1/account")).status).toBe(200);
  expect((await there.call("GET", "/api/v1/account")).status).toBe(401);
  expect((await there.signIn(email, password)).status).toBe(401);
  expect((await there.signIn(email, "battery staple")).status).toBe(200);
});

test("sessions are listed and ended one by one, one's own alone", async () => {
  const { email } = await newPerson();
  const [here, there, stranger] = [new Browser(api), new Browser(api, "10.5.0.5"), new Browser(api)];
  await here.signIn(email, password);
  await there.signIn(email, password);
  await stranger.signIn((await newPerson()).email, password);
  const listed = (await here.call("GET", "/api/auth/list-sessions")).body;
  expect(listed).toHaveLength(2);
  const { token } = listed.find((session: { ipAddress: string }) => session.ipAddress === "10.5.0.5");
  await stranger.call("POST", "/api/auth/revoke-session", { token });
  expect((await there.call("GET", "/api/v1/account")).status).toBe(200);
  await here.call("POST", "/api/auth/revoke-session", { token });
  expect((await there.call("GET", "/api/v1/account")).status).toBe(401);
  expect((await here.call("GET", "/api/v1/account")).status).toBe(200);
});

test("what people do about themselves is in the audit log of each of their accounts", async () => {
  const { email, account: own } = await newPerson();
  const other = await api.newAccount();
  const add = { accountId: other.accountId, email, password, role: "VIEWER" };
  await api.controlPlane.people.members.add(add, async () => undefined);
  const { browser, recoveryCodes } = await withSecondFactor(api, email, password);
  const left = await browser.call("POST", "/api/auth/two-factor/generate-backup-codes", { password });
  expect(left.body.backupCodes).not.toEqual(recoveryCodes);
  await browser.call("POST", "/api/auth/revoke-other-sessions", {});
  await browser.call("POST", "/api/auth/revoke-session", { token: "nobody's" });
  // Refused: none of these leaves anything.
  await browser.call("POST", "/api/auth/two-factor/disable", { password: "wrong password" });
  await browser.call("POST", "/api/auth/two-factor/enable", { password });
  await new Browser(api).signIn(email, "wrong password");
  await browser.call("POST", "/api/auth/two-factor/disable", { password });
  await browser.call("POST", "/api/auth/change-password", { currentPassword: password, newPassword: "battery staple" });
  await browser.call("POST", "/api/auth/sign-out", {});
  for (const one of [own, other]) {
    const log = (await one.call("GET", "/audit?entityType=user")).body.items;
    expect(log.map((entry: { action: string }) => entry.action).toReversed()).toEqual([
      "users.signIn",
      "users.enableSecondFactor",
      "users.renewRecoveryCodes",
      "users.revokeOtherSessions",
      "users.revokeSession",
      "users.disableSecondFactor",
      "users.changePassword",
      "users.signOut",
    ]);
    expect(log[0]).toMatchObject({ surface: "DASHBOARD", apiKeyId: null, ipAddress: expect.stringMatching(/^10\./) });
  }
});

/** All that people's credentials are, but for what a page's visit itself changes. */
async function stateOf(email: string): Promise<unknown> {
  const rows = (table: string) =>
    api.query(`select * from ${table} where user_id = (select id from users where email = $1) order by id`, [email]);
  return {
    user: await api.query("select two_factor_enabled from users where email = $1", [email]),
    sessions: (await rows("sessions")).map(({ id }) => id),
    credentials: (await rows("credentials")).map(({ password: hash }) => hash),
    secondFactors: await rows("two_factors"),
    codes: await api.query(
      "select code from used_codes where user_id = (select id from users where email = $1) order by code",
      [email],
    ),
  };
}

test("what can't be written into the audit log has not happened", async () => {
  const { email } = await newPerson();
  const { browser, recoveryCodes } = await withSecondFactor(api, email, password);
  const half = new Browser(api);
  await half.signIn(email, password);
  const plain = await newPerson();
  const half2 = new Browser(api);
  await half2.signIn(plain.email, password);
  const { totpURI } = (await half2.call("POST", "/api/auth/two-factor/enable", { password })).body;
  const deeds: readonly (readonly [string, Browser, string, unknown])[] = [
    [email, half, "two-factor/verify-backup-code", { code: recoveryCodes[0] }],
    [email, browser, "two-factor/generate-backup-codes", { password }],
    [email, browser, "two-factor/disable", { password }],
    [email, browser, "change-password", { currentPassword: password, newPassword: "battery staple" }],
    [email, browser, "revoke-other-sessions", {}],
    [email, browser, "sign-out", {}],
    [plain.email, new Browser(api), "sign-in/email", { email: plain.email, password }],
    [plain.email, half2, "two-factor/verify-totp", { code: totp(totpURI) }],
  ];
  await api.query(`
    create function refuse_entry() returns trigger language plpgsql as $$ begin raise 'the log is full'; end $$`);
  await api.query("create trigger refuse_entry before insert on audit_entries execute function refuse_entry()");
  try {
    for (const [who, where, path, body] of deeds) {
      const before = await stateOf(who);
      expect([path, (await where.call("POST", `/api/auth/${path}`, body)).status]).toEqual([path, 500]);
      expect([path, await stateOf(who)]).toEqual([path, before]);
    }
  } finally {
    await api.query("drop trigger refuse_entry on audit_entries");
  }
  for (const [, where, path, body] of deeds)
    expect([path, (await where.call("POST", `/api/auth/${path}`, body)).status]).toEqual([path, 200]);
});

test("signing up by the one-time link leaves an entry in the transaction of the account, and one of the session", async () => {
  const token = "a".repeat(32);
  const hash = createHash("sha256").update(token).digest();
  await api.query("insert into signup_links (token_hash, expires_at) values ($1, now() + interval '1 hour')", [hash]);
  const path = `/api/auth/signup/${token}`;
  const form = { name: "Founder", email: "founder@example.com", password };
  for (const wrong of [{ name: " " }, { name: "Two\nlines" }, { email: "nobody" }, { password: "short" }])
    expect((await new Browser(api).call("POST", path, { ...form, ...wrong })).status).toBe(422);
  const browser = new Browser(api);
  const made = await browser.call("POST", path, form);
  expect(made.status).toBe(201);
  expect((await new Browser(api).call("POST", path, { ...form, email: "second@example.com" })).status).toBe(404);
  const log = (await browser.call("GET", "/api/v1/audit")).body.items;
  expect(log.map((entry: { action: string }) => entry.action)).toEqual(["users.signIn", "accounts.signUp"]);
  expect(log[1]).toMatchObject({
    entityType: "account",
    entityId: made.body.accountId,
    actorName: "Founder",
    surface: "DASHBOARD",
    ipAddress: expect.stringMatching(/^10\./),
  });
});

test("a second factor is not replaced while there is one", async () => {
  const { email } = await newPerson();
  const { browser, uri } = await withSecondFactor(api, email, password);
  const again = await browser.call("POST", "/api/auth/two-factor/enable", { password });
  expect([again.status, again.body.error.code]).toEqual([409, "conflict"]);
  const other = new Browser(api);
  await other.signIn(email, password);
  expect((await other.call("POST", "/api/auth/two-factor/verify-totp", { code: totp(uri) })).status).toBe(200);
});

test("a sign-in that waits for its code ends when the password is changed", async () => {
  const { email } = await newPerson();
  const { browser, recoveryCodes } = await withSecondFactor(api, email, password);
  const [code = ""] = recoveryCodes;
  const thief = new Browser(api);
  expect((await thief.signIn(email, password)).body.twoFactorRedirect).toBe(true);
  const change = { currentPassword: password, newPassword: "battery staple" };
  expect((await browser.call("POST", "/api/auth/change-password", change)).status).toBe(200);
  expect((await thief.call("POST", "/api/auth/two-factor/verify-backup-code", { code })).status).toBe(401);
  expect((await thief.call("GET", "/api/v1/account")).status).toBe(401);
});

test("only what is needed of the library is there", async () => {
  const browser = new Browser(api);
  for (const path of [
    "sign-up/email",
    "update-user",
    "delete-user",
    "ok",
    "two-factor/get-totp-uri",
    "reset-password/x",
  ]) {
    const answer = await browser.call("POST", `/api/auth/${path}`, {});
    expect([path, answer.status, answer.body.error.code]).toEqual([path, 404, "not_found"]);
  }
  const extra = await browser.call("POST", "/api/auth/sign-in/email", {
    email: "a@b.cd",
    password,
    callbackURL: "//x",
  });
  expect([extra.status, extra.body.error.code]).toEqual([422, "validation_failed"]);
});

test("another site's page can't sign anybody in", async () => {
  const { email } = await newPerson();
  const foreign: Record<string, string>[] = [
    { "sec-fetch-site": "cross-site" },
    { "sec-fetch-site": "same-site" },
    { origin: "https://evil.example" },
    { origin: "null" },
  ];
  for (const headers of foreign) {
    const answer = await new Browser(api).send("POST", "/api/auth/sign-in/email", { email, password }, headers);
    expect([answer.status, answer.body.error.code]).toEqual([403, "forbidden"]);
  }
  const program = await new Browser(api).send("POST", "/api/auth/sign-in/email", { email, password }, {});
  expect(program.status).toBe(200);
});
