import { afterAll, beforeAll, expect, test } from "vitest";
import { startTestApi, type TestAccount, type TestApi } from "../../../tests/api.fixture.ts";
import { Browser, totp, withSecondFactor } from "./people.fixture.ts";

let api: TestApi;
let account: TestAccount;
const password = "correct horse";

beforeAll(async () => {
  api = await startTestApi();
  account = await api.newAccount();
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
