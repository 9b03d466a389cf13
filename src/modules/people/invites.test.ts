import { afterAll, beforeAll, expect, test } from "vitest";
import { startTestApi, type TestAccount, type TestApi } from "../../../tests/api.fixture.ts";
import { newId } from "../../kernel/ids.ts";
import { createPool } from "../../platform/database/database.ts";
import { Browser, totp, withSecondFactor } from "./people.fixture.ts";

let api: TestApi;
let account: TestAccount;
const password = "correct horse";

beforeAll(async () => {
  api = await startTestApi();
  account = await api.newAccount();
});
afterAll(() => api.close());

let invitees = 0;

async function invite(role = "DEVELOPER", given?: string): Promise<{ id: string; email: string; path: string }> {
  invitees += 1;
  const email = given ?? `invitee${invitees}@example.com`;
  const { status, body } = await account.call("POST", "/invites", { email, role });
  expect(status).toBe(201);
  return { id: body.invite.id, email: body.invite.email, path: `/api/auth${new URL(body.invite.link).pathname}` };
}

async function query(text: string, values: unknown[]): Promise<Record<string, unknown>[]> {
  const pool = createPool({ ...api.database.connection, max: 1 }, () => undefined);
  try {
    return (await pool.query(text, values)).rows;
  } finally {
    await pool.end();
  }
}

test("an invite is made with a link shown once, of which only the hash is kept", async () => {
  const answer = await account.call("POST", "/invites", { email: " New@Example.COM ", role: "VIEWER" });
  expect(answer.body.invite).toEqual({
    id: expect.any(String),
    email: "new@example.com",
    role: "VIEWER",
    status: "PENDING",
    invitedBy: expect.stringMatching(/^Account/),
    createdAt: expect.any(String),
    expiresAt: expect.any(String),
    link: expect.stringMatching(/^http:\/\/localhost:4000\/invites\/[\w-]{43}$/),
  });
  const { link, createdAt, expiresAt, ...rest } = answer.body.invite;
  expect(Date.parse(expiresAt) - Date.parse(createdAt)).toBe(7 * 24 * 3600 * 1000);
  const listed = (await account.call("GET", "/invites")).body.data[0];
  expect(listed).toEqual({ ...rest, createdAt, expiresAt });
  const token = link.split("/").at(-1);
  expect(JSON.stringify(await query("select invites::text from invites", []))).not.toContain(token);
  expect(JSON.stringify(await query("select payload::text from graphile_worker._private_jobs", []))).not.toContain(
    token,
  );
  expect(JSON.stringify((await account.call("GET", "/account/export")).body.invites)).toContain("new@example.com");
});

test("whoever is new signs up behind the link, is a member at once, and signed in", async () => {
  const { email, path, id } = await invite("DEVELOPER");
  await account.call("POST", "/channels", { type: "EMAIL", target: "a@example.com", events: ["MEMBER_JOINED"] });
  const browser = new Browser(api);
  const shown = await browser.call("GET", path);
  const accountName = (await account.call("GET", "/account")).body.account.name;
  const view = { accountName, email, role: "DEVELOPER", isKnown: false };
  expect([shown.status, shown.body]).toEqual([200, { invite: view }]);
  expect(shown.headers["cache-control"]).toBe("no-store");
  const short = await browser.call("POST", path, { name: "<b>Nia</b>", password: "short" });
  expect([short.status, short.body.error.code]).toEqual([422, "validation_failed"]);
  const foreign = { "sec-fetch-site": "cross-site" };
  expect((await browser.send("POST", path, { name: "Nia", password }, foreign)).status).toBe(403);
  const joined = await browser.call("POST", path, { name: "Nia", password });
  expect([joined.status, joined.body]).toEqual([200, { accountId: account.accountId }]);
  expect((await browser.call("GET", "/api/v1/account")).body.account).toMatchObject({
    id: account.accountId,
    role: "DEVELOPER",
  });
  expect((await account.call("GET", "/members")).body.data[0]).toMatchObject({ email, name: "Nia", role: "DEVELOPER" });
  expect((await account.call("GET", "/invites")).body.data[0]).toMatchObject({ id, status: "ACCEPTED" });
  for (const method of ["GET", "POST"] as const) {
    const body = method === "POST" ? { name: "Second", password } : undefined;
    expect((await new Browser(api).call(method, path, body)).status).toBe(404);
  }
  const [event] = (await account.call("GET", "/activity")).body.data;
  expect(event).toMatchObject({
    action: "member.joined",
    actorName: "Nia",
    metadata: { name: "Nia", role: "DEVELOPER" },
  });
  const actions = (await account.call("GET", "/audit")).body.items.map((entry: { action: string }) => entry.action);
  expect(actions.slice(0, 4)).toEqual(["users.signIn", "invites.accept", "channels.create", "invites.create"]);
  expect(await query("select event, title, text from channel_messages", [])).toEqual([
    {
      event: "MEMBER_JOINED",
      title: expect.stringMatching(/^Nia joined Account \d+$/),
      text: expect.stringContaining(`Nia (${email}) is a member`),
    },
  ]);
});

test("of ten who open a link at the same time one joins", async () => {
  const { path, email } = await invite();
  const answers = await Promise.all(
    Array.from({ length: 10 }, () => new Browser(api).call("POST", path, { name: "N", password })),
  );
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
  expect(answers.every(({ status }) => [200, 404, 409].includes(status))).toBe(true);
  const members = (await account.call("GET", "/members?limit=100")).body.data;
  expect(members.filter((member: { email: string }) => member.email === email)).toHaveLength(1);
});

test("whoever has signed up before joins with their own password, and with their second factor where they have one", async () => {
  const elsewhere = await api.newAccount();
  const { email } = (await elsewhere.call("GET", "/members")).body.data[0];
  const { uri, recoveryCodes } = await withSecondFactor(api, email, password);
  const { path } = await invite("ADMIN", email);
  const browser = new Browser(api);
  const shown = await browser.call("GET", path);
  expect(shown.body.invite).toMatchObject({ email, role: "ADMIN", isKnown: true });
  const fail = async (fields: Record<string, string>) => (await browser.call("POST", path, fields)).status;
  expect(await fail({ password: "wrong password" })).toBe(401);
  expect(await fail({ password })).toBe(403);
  expect(await fail({ password, code: "000000" })).toBe(401);
  expect(await fail({ password, code: "AAAAA-BBBBB" })).toBe(401);
  expect(await fail({ name: "Other", password: "another password" })).toBe(401);
  expect((await browser.call("GET", "/api/v1/account")).status).toBe(401);
  expect((await browser.call("POST", path, { password, code: totp(uri) })).status).toBe(200);
  const headers = { "x-ksar-account": account.accountId };
  expect((await browser.send("GET", "/api/v1/account", undefined, headers)).body.account.role).toBe("ADMIN");

  const third = await api.newAccount();
  const { link } = (await third.call("POST", "/invites", { email, role: "VIEWER" })).body.invite;
  const joined = await browser.call("POST", `/api/auth${new URL(link).pathname}`, {
    password,
    code: recoveryCodes[0] ?? "",
  });
  expect(joined.status).toBe(200);
});

test("whoever is a member, or invited already, is not invited again", async () => {
  const { email, path } = await invite();
  const again = await account.call("POST", "/invites", { email: email.toUpperCase(), role: "VIEWER" });
  expect([again.status, again.body.error.code]).toEqual([409, "conflict"]);
  await new Browser(api).call("POST", path, { name: "N", password });
  const member = await account.call("POST", "/invites", { email, role: "VIEWER" });
  expect([member.status, member.body.error.code]).toEqual([409, "conflict"]);
  const other = await api.newAccount();
  expect((await other.call("POST", "/invites", { email, role: "VIEWER" })).status).toBe(201);
});

test("of ten invites for one address at the same time one is made", async () => {
  const body = { email: "crowd@example.com", role: "VIEWER" };
  const answers = await Promise.all(Array.from({ length: 10 }, () => account.call("POST", "/invites", body)));
  expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array(9).fill(409)]);
});

test("sent again, the new link works and the old one does not", async () => {
  const { id, path } = await invite();
  const again = await account.call("POST", `/invites/${id}/resend`);
  expect([again.status, again.body.invite.status]).toEqual([200, "PENDING"]);
  expect((await new Browser(api).call("GET", path)).status).toBe(404);
  expect((await new Browser(api).call("GET", `/api/auth${new URL(again.body.invite.link).pathname}`)).status).toBe(200);
  for (let i = 0; i < 8; i++) expect((await account.call("POST", `/invites/${id}/resend`)).status).toBe(200);
  expect((await account.call("POST", `/invites/${id}/resend`)).status).toBe(409);
});

test("an expired invite is over until it is sent again, unless there is a newer one", async () => {
  const { id, path, email } = await invite();
  await query("update invites set expires_at = now() - interval '1 second' where id = $1", [id]);
  expect((await account.call("GET", "/invites")).body.data[0]).toMatchObject({ id, status: "EXPIRED" });
  expect((await new Browser(api).call("GET", path)).status).toBe(404);
  expect((await new Browser(api).call("POST", path, { name: "N", password })).status).toBe(404);
  const newer = await invite("VIEWER", email);
  expect((await account.call("POST", `/invites/${id}/resend`)).status).toBe(409);
  await account.call("DELETE", `/invites/${newer.id}`);
  expect((await account.call("POST", `/invites/${id}/resend`)).body.invite.status).toBe("PENDING");
});

test("a withdrawn invite is over, for good; an accepted one can't be withdrawn", async () => {
  const { id, path } = await invite();
  expect((await account.call("DELETE", `/invites/${id}`)).status).toBe(200);
  expect((await account.call("DELETE", `/invites/${id}`)).status).toBe(200);
  expect((await new Browser(api).call("GET", path)).status).toBe(404);
  expect((await account.call("POST", `/invites/${id}/resend`)).status).toBe(409);
  const accepted = await invite();
  await new Browser(api).call("POST", accepted.path, { name: "N", password });
  expect((await account.call("DELETE", `/invites/${accepted.id}`)).status).toBe(409);
});

test("an ADMIN gets at no owner's link: neither by sending it again nor by withdrawing it", async () => {
  const { email } = (await account.call("GET", "/members?limit=100")).body.data.at(-1);
  const owner = new Browser(api);
  await owner.signIn(email, password);
  const made = await owner.call("POST", "/api/v1/invites", { email: "boss@example.com", role: "OWNER" });
  expect(made.status).toBe(201);
  const { id } = made.body.invite;
  expect((await account.call("POST", `/invites/${id}/resend`)).status).toBe(403);
  expect((await account.call("DELETE", `/invites/${id}`)).status).toBe(403);
  expect((await owner.call("POST", `/api/v1/invites/${id}/resend`)).status).toBe(200);
});

test("another account's invite, an unknown one and a guessed link are not there", async () => {
  const other = await api.newAccount();
  const { id } = await invite();
  for (const path of [`/invites/${id}`, `/invites/${newId()}`]) {
    expect((await other.call("DELETE", path)).status).toBe(404);
    expect((await other.call("POST", `${path}/resend`)).status).toBe(404);
  }
  expect((await new Browser(api).call("GET", "/api/auth/invites/guess")).status).toBe(404);
  expect((await new Browser(api).call("POST", "/api/auth/invites/guess", { password })).status).toBe(404);
});

test.each(["", "a", "a@b@c", "a b@c.de", "a@b,c@d.e", "a@b.de\r\nBcc: x@y.zz", `${"x".repeat(320)}@b.de`])(
  "%j is no address to invite",
  async (email) => {
    const answer = await account.call("POST", "/invites", { email, role: "VIEWER" });
    expect([answer.status, answer.body.error.code]).toEqual([422, "validation_failed"]);
  },
);

test("mails are limited by the hour: of an account, and to an address from all of them", async () => {
  const flood = await api.newAccount();
  const send = (one: TestAccount, email: string) => one.call("POST", "/invites", { email, role: "VIEWER" });
  const target = "flooded@example.com";
  const { id } = (await send(flood, target)).body.invite;
  for (let n = 0; n < 9; n += 1) expect((await flood.call("POST", `/invites/${id}/resend`)).status).toBe(200);
  const other = await api.newAccount();
  const refused = await send(other, target.toUpperCase());
  expect([refused.status, refused.body.error.code]).toEqual([429, "rate_limited"]);
  expect(refused.body.error.message).toContain("10 invites an hour to flooded@example.com");
  expect(Number(refused.headers["retry-after"])).toBeGreaterThan(3500);
  expect((await other.call("GET", "/invites")).body.data).toEqual([]);
  expect((await send(other, "else@example.com")).status).toBe(201);

  await api.query(
    "insert into invite_mails (account_id, address, sent_at) select $1, 'n' || n, now() from generate_series(1, 189) n",
    [flood.accountId],
  );
  expect((await send(flood, "the200th@example.com")).status).toBe(201);
  const full = await send(flood, "the201st@example.com");
  expect([full.status, full.body.error.message]).toEqual([429, expect.stringContaining("200 invites an hour are")]);
  await api.query("update invite_mails set sent_at = sent_at - interval '61 minutes'");
  expect((await send(flood, "the201st@example.com")).status).toBe(201);
  expect((await send(other, target)).status).toBe(201);
});

test("an account invites 60 people a minute at most", async () => {
  const busy = await api.newAccount();
  const answers = await Promise.all(
    Array.from({ length: 65 }, (_, i) => busy.call("POST", "/invites", { email: `i${i}@example.com`, role: "VIEWER" })),
  );
  expect(answers.filter(({ status }) => status === 201)).toHaveLength(60);
  const refused = answers.find(({ status }) => status === 429);
  expect(refused?.headers["retry-after"]).toBe("60");
});
