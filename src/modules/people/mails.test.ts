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
