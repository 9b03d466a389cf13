/** People against the real program: the operator's command, an invite from mail to membership, a forgotten password. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { type MailServer, startMailServer } from "../tests/mail-server.fixture.ts";
import { type Account, type Ksar, startKsar, until } from "./ksar.fixture.ts";

let ksar: Ksar;
let account: Account;
let mailServer: MailServer;

beforeAll(async () => {
  mailServer = await startMailServer();
  ksar = await startKsar({ KSAR_SMTP_URL: mailServer.url });
  account = await ksar.newAccount();
});
afterAll(async () => {
  await ksar?.close();
  mailServer?.close();
});

/** The link of the newest mail of that kind; a mail that was on its way at a `kill -9` may come twice. */
function linkTo(address: string, page: "invites" | "reset-password"): Promise<string> {
  const link = new RegExp(`http://\\S+/${page}/\\S+`);
  return until(async () => {
    const mails = mailServer.received.filter(({ to }) => to.includes(address));
    return mails.map(({ text }) => link.exec(text)?.[0]).findLast((found) => found !== undefined);
  }, `a mail to ${address}`);
}

/** What the page behind a mail's link does: its address, below `/api/auth`. */
async function post(link: string, fields: Record<string, string>): Promise<{ status: number; cookie: string }> {
  const { origin, pathname } = new URL(link);
  const answer = await fetch(`${origin}/api/auth${pathname}`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(fields),
  });
  await answer.text();
  return {
    status: answer.status,
    cookie: answer.headers
      .getSetCookie()
      .map((one) => one.split(";")[0])
      .join("; "),
  };
}

async function signIn(email: string, password: string): Promise<{ status: number; cookie: string }> {
  const answer = await fetch(`${ksar.dashboardUrl}/api/auth/sign-in/email`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ email, password }),
  });
  await answer.text();
  return {
    status: answer.status,
    cookie: answer.headers
      .getSetCookie()
      .map((one) => one.split(";")[0])
      .join("; "),
  };
}

async function roleOf(cookie: string): Promise<string> {
  const answer = await fetch(`${ksar.apiUrl}/account`, { headers: { cookie, "x-ksar-account": account.accountId } });
  const body = (await answer.json()) as { account?: { role: string }; error?: { code: string } };
  return body.account?.role ?? body.error?.code ?? "";
}

test("ksar admin member add makes a member with a key and a password; who signed up before keeps theirs", async () => {
  const add = (...args: string[]) =>
    ksar.cli("admin", "member", "add", "--account", account.accountId, "--email", ...args, "--json");
  const added = await add("dev@example.com", "--password", "battery staple", "--role", "DEVELOPER");
  expect(added.code).toBe(0);
  const { userId, apiKey } = JSON.parse(added.stdout);
  expect(JSON.parse(added.stdout)).toEqual({ userId, apiKey });
  const own = await fetch(`${ksar.apiUrl}/account`, { headers: { authorization: `Bearer ${apiKey}` } });
  expect(await own.json()).toMatchObject({ account: { id: account.accountId, role: "DEVELOPER" } });
  expect((await signIn("dev@example.com", "battery staple")).status).toBe(200);

  const other = await ksar.newAccount();
  const { email } = (await other.must("GET", "/members")).data[0];
  expect((await add(email, "--password", "not taken over", "--role", "VIEWER")).code).toBe(0);
  expect((await signIn(email, "not taken over")).status).toBe(401);
  expect(await roleOf((await signIn(email, "correct horse")).cookie)).toBe("VIEWER");

  const audit = (await account.must("GET", "/audit")).items;
  const system = audit.filter((entry: { surface: string }) => entry.surface === "SYSTEM");
  expect(system.map((entry: { action: string }) => entry.action)).toEqual([
    "members.add",
    "members.add",
    "accounts.create",
  ]);

  const again = await add(email, "--password", "x".repeat(8), "--role", "VIEWER");
  expect([again.code, again.stderr]).toEqual([1, `ksar: ${email} is a member of the account already.\n`]);
  expect((await add("new@example.com", "--password", "x".repeat(8), "--role", "BOSS")).stderr).toContain("/role");
  expect((await add("new@example.com", "--password", "short", "--role", "VIEWER")).stderr).toContain("/password");
  const nowhere = ["--account", "01980000-0000-7000-8000-000000000000", "--email", "n@example.com"];
  const rest = ["--password", "long enough", "--role", "VIEWER"];
  expect((await ksar.cli("admin", "member", "add", ...nowhere, ...rest)).stderr).toContain("no such account");
  expect((await ksar.cli("admin", "member", "add", "--account", "x")).code).toBe(2);
});

test("an invite comes by mail, is accepted once, and outlives a restart", async () => {
  await account.must("POST", "/invites", { email: "guest@example.com", role: "ADMIN" });
  const link = await linkTo("guest@example.com", "invites");
  expect(link.startsWith(`${ksar.dashboardUrl}/invites/`)).toBe(true);
  await ksar.kill("SIGKILL");
  await ksar.restart();
  const joined = await post(link, { name: "Guest", password: "battery staple" });
  expect(joined.status).toBe(200);
  expect(await roleOf(joined.cookie)).toBe("ADMIN");
  expect((await post(link, { name: "Guest", password: "battery staple" })).status).toBe(404);
  await ksar.kill("SIGKILL");
  await ksar.restart();
  expect(await roleOf(joined.cookie)).toBe("ADMIN");

  const asked = await fetch(`${ksar.dashboardUrl}/api/auth/request-password-reset`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ email: "guest@example.com" }),
  });
  expect(asked.status).toBe(200);
  const resetLink = await linkTo("guest@example.com", "reset-password");
  const token = resetLink.split("/").at(-1) ?? "";
  const newPassword = { token, newPassword: "a third password" };
  expect((await post(resetLink.replace(`/${token}`, ""), newPassword)).status).toBe(200);
  await until(async () => (await roleOf(joined.cookie)) === "unauthorized", "the old session to end");
  expect(await roleOf((await signIn("guest@example.com", "a third password")).cookie)).toBe("ADMIN");
});
