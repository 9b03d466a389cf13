/** Invites and forgotten passwords by mail, over a real SMTP server's socket. */
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { startTestApi, type TestAccount, type TestApi } from "../../../tests/api.fixture.ts";
import { type MailServer, startMailServer } from "../../../tests/mail-server.fixture.ts";
import { Browser, runJobs } from "./people.fixture.ts";

let api: TestApi;
let server: MailServer;
let account: TestAccount;
const password = "correct horse";

beforeAll(async () => {
  server = await startMailServer();
  api = await startTestApi({ mail: { smtpUrl: server.url, from: "ksar@example.com" } });
  account = await api.newAccount();
});
afterAll(async () => {
  await api.close();
  server.close();
});
beforeEach(() => {
  server.received.length = 0;
});

function linkIn(text: string | undefined): string {
  return new URL(/http:\/\/localhost:4000\/\S+/.exec(text ?? "")?.[0] ?? "").pathname;
}

/** Of a multipart mail whose parts are in base64 or quoted-printable, as people read it. */
function bodyOf(text: string): string {
  return text
    .split(/^--.*$/m)
    .map((part) => {
      const [head = "", ...body] = part.trim().split("\r\n\r\n");
      const content = body.join("\r\n\r\n");
      if (/base64/i.test(head)) return Buffer.from(content, "base64").toString();
      const bytes = content.replace(/=([0-9A-F]{2})/g, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16)));
      return Buffer.from(bytes, "latin1").toString();
    })
    .join("\n");
}

async function emailOf(one: TestAccount): Promise<string> {
  return (await one.call("GET", "/members")).body.data[0].email;
}

test("with mail an invite goes to its address alone: the inviter is not shown the link", async () => {
  const made = await account.call("POST", "/invites", { email: "mailed@example.com", role: "VIEWER" });
  expect(made.body.invite.link).toBeNull();
  await runJobs(api);
  expect(server.received.flatMap(({ to }) => to)).toEqual(["mailed@example.com"]);
  const address = `/api/auth${linkIn(server.received[0]?.text)}`;
  const joined = await new Browser(api).call("POST", address, { name: "Mailed", password });
  expect(joined.status).toBe(200);
});

test("an invite that is refused sends nothing", async () => {
  const again = await account.call("POST", "/invites", { email: "mailed@example.com", role: "VIEWER" });
  expect(again.status).toBe(409);
  await runJobs(api);
  expect(server.received).toEqual([]);
});

test("a forgotten password is set anew behind a mail's link, once, and ends every session", async () => {
  const email = await emailOf(await api.newAccount());
  const before = new Browser(api);
  await before.signIn(email, password);
  const visitor = new Browser(api);
  const asked = await visitor.call("POST", "/api/auth/request-password-reset", { email: email.toUpperCase() });
  expect([asked.status, asked.body]).toEqual([200, { status: true }]);
  await runJobs(api);
  expect(server.received.flatMap(({ to }) => to)).toEqual([email]);
  const path = linkIn(server.received[0]?.text);
  expect(path).toMatch(/^\/reset-password\/[\w-]{43}$/);
  const token = path.split("/").at(-1);
  const set = async (newPassword: string) => visitor.call("POST", "/api/auth/reset-password", { token, newPassword });
  expect((await set("short")).status).toBe(422);
  expect((await set("battery staple")).status).toBe(200);
  expect((await set("another password")).status).toBe(422);
  expect((await before.call("GET", "/api/v1/account")).status).toBe(401);
  expect((await new Browser(api).signIn(email, password)).status).toBe(401);
  const after = new Browser(api);
  expect((await after.signIn(email, "battery staple")).status).toBe(200);
  const audit = await after.call("GET", "/api/v1/audit?action=users.resetPassword");
  expect(audit.body.items).toMatchObject([{ surface: "DASHBOARD", ipAddress: expect.stringMatching(/^10\./) }]);
});

test("a new password voids the other links to set one", async () => {
  const email = await emailOf(await api.newAccount());
  for (let n = 0; n < 2; n += 1) {
    await new Browser(api).call("POST", "/api/auth/request-password-reset", { email });
    await runJobs(api);
  }
  const tokens = server.received.map(({ text }) => linkIn(text).split("/").at(-1));
  expect(new Set(tokens).size).toBe(2);
  const set = (token: string | undefined, newPassword: string) =>
    new Browser(api).call("POST", "/api/auth/reset-password", { token, newPassword });
  expect((await set(tokens[1], "battery staple")).status).toBe(200);
  expect((await set(tokens[0], "another password")).status).toBe(422);
  expect((await new Browser(api).signIn(email, "battery staple")).status).toBe(200);
});

test("names of the inviter's choosing bring neither links nor lines nor markup into a mail", async () => {
  const evil = await api.newAccount();
  const name = "Win at https://evil.example/x\r\nBcc: you@evil.example <b>now</b> \u202Eevil.example";
  await api.query("update accounts set name = $2 where id = $1", [evil.accountId, name]);
  const named = "update users set name = $2 from memberships m where m.user_id = users.id and m.account_id = $1";
  await api.query(named, [evil.accountId, name]);
  await evil.call("POST", "/invites", { email: "stranger@example.com", role: "VIEWER" });
  await runJobs(api);
  const [mail] = server.received;
  expect(mail?.to).toEqual(["stranger@example.com"]);
  const [head = "", ...rest] = (mail?.text ?? "").split("\r\n\r\n");
  expect(head).not.toMatch(/^bcc:/im);
  const shown = bodyOf(rest.join("\r\n\r\n"));
  expect(shown).toContain("invites you to join");
  expect(shown.match(/https?:\/\/[^\s"<]+/g)?.every((url) => url.startsWith("http://localhost:4000/invites/"))).toBe(
    true,
  );
  expect(shown).not.toMatch(/evil\.example|\u202e|^Bcc/im);
  const [text = "", html = ""] = shown.split("<!doctype html>");
  expect(text.match(/Win at/g)).toHaveLength(2);
  expect(html).not.toContain("<b>");
});

test("asking for a stranger's new password is answered alike, and sends nothing", async () => {
  const [known, unknown] = [await emailOf(account), "nobody@example.com"];
  const ask = (email: string) => new Browser(api).call("POST", "/api/auth/request-password-reset", { email });
  const answers = [await ask(known), await ask(unknown), await ask("not an address")];
  for (const { status, body } of answers) expect([status, body]).toEqual([200, { status: true }]);
  await runJobs(api);
  expect(server.received.flatMap(({ to }) => to)).toEqual([known]);
});

test("nobody's mailbox is filled: three mails a minute", async () => {
  const email = await emailOf(await api.newAccount());
  const statuses: number[] = [];
  for (let i = 0; i < 5; i++) {
    const answer = await new Browser(api).call("POST", "/api/auth/request-password-reset", { email });
    statuses.push(answer.status);
  }
  expect(statuses).toEqual([200, 200, 200, 429, 429]);
});
