/**
 * Those who are invited: how they get in, what they see, a forgotten password, a second factor. It is one person's story,
 * in one window of a phone.
 */
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { expectInOrder, narrow, openPage } from "../browser.fixture.ts";
import { type Account, until } from "../ksar.fixture.ts";
import { oneTimeCode } from "./one-time-code.ts";
import type { Stage } from "./stage.ts";

const email = "yassine@example.com";
const stepMs = 30_000;
/** For how long a code is to be taken from now on: a form is filled in and sent within. */
const codeLeftMs = 10_000;
const patience = { timeout: 20_000 };

export function people(stage: () => Stage): void {
  let guest: Page;
  let problems: string[];
  let password = "battery staple";
  let secret = "";
  let codes: string[] = [];
  const spent = new Set<string>();
  let other: Account;

  const press = (name: string) => guest.getByRole("button", { name, exact: true }).click();
  const heading = (name: string) => guest.getByRole("heading", { name, exact: true, level: 1 }).waitFor();
  /**
   * Each code is taken once, and those of the neighbouring steps are too: the oldest that has time left, so that whoever
   * asks for three within a step seldom waits for the next.
   */
  function nextCode(): Promise<string> {
    return until(async () => {
      const now = Date.now();
      const oldest = stepMs - (now % stepMs) >= codeLeftMs ? now - stepMs : now;
      const code = [oldest, now, now + stepMs].map((at) => oneTimeCode(secret, at)).find((one) => !spent.has(one));
      if (code !== undefined) spent.add(code);
      return code;
    }, "the next code");
  }
  async function signOut(): Promise<void> {
    await guest.getByRole("button", { name: "Open navigation" }).click();
    await press("Sign out");
    await heading("Sign in");
  }
  async function signInWith(code: string): Promise<void> {
    await guest.getByLabel("Email").fill(email);
    await guest.getByLabel("Password").fill(password);
    await press("Sign in");
    await heading("One more step");
    await guest.getByLabel("Code", { exact: true }).fill(code);
    await press("Go on");
  }

  test("an invite comes by mail and is accepted; what the role lacks is said, not refused", async () => {
    const { browser, button, goTo, ksar, page, places, linkMailedTo } = stage();
    await goTo("/members", "Members");
    await button("Invite somebody").click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Email").fill(email);
    await dialog.getByLabel("Role").selectOption({ label: "Viewer" });
    await dialog.getByRole("button", { name: "Send the invite" }).click();
    await dialog.getByText(`A mail with the link is on its way to ${email}.`).waitFor();
    ({ page: guest, problems } = await openPage(browser, { size: narrow }));
    await guest.goto(await linkMailedTo(email, "invites"));
    await heading("Join Atlas Studio");
    await expectInOrder(guest, "invite-360");
    await guest.getByLabel("Your name").fill("Yassine");
    await guest.getByLabel("Password").fill(password);
    await press("Sign up and join");
    await guest.getByRole("link", { name: "storefront", exact: true }).first().waitFor();
    await guest.goto(`${ksar.dashboardUrl}/audit`);
    await guest.getByText("This page needs the role Admin; yours is Viewer.").waitFor();
    await expectInOrder(guest, "no-access-360");
    await guest.goto(`${ksar.dashboardUrl}/billing/credit`);
    await guest.getByText("To change something here takes the role Admin.").waitFor();
    await guest.getByRole("button", { name: /^To the checkout \(This needs the role Admin/ }).waitFor();
    await guest.goto(ksar.dashboardUrl + places.service);
    const deploy = guest.getByRole("button", { name: /^Deploy \(This needs the role Developer/ });
    expect(await deploy.getAttribute("aria-disabled")).toBe("true");
  });

  test("a forgotten password is set anew by a mail's link, which works once", async () => {
    const { linkMailedTo } = stage();
    await signOut();
    await guest.getByRole("link", { name: "Forgotten your password?" }).click();
    await guest.getByLabel("Email").fill(email);
    await expectInOrder(guest, "forgot-password-360");
    await press("Send the link");
    await heading("Look into your mailbox");
    const address = await linkMailedTo(email, "reset-password");
    await guest.goto(address);
    await heading("Set a new password");
    password = "a third password";
    await guest.getByLabel("New password").fill(password);
    await expectInOrder(guest, "reset-password-360");
    await press("Set password");
    await guest.getByText("Your password is set.").waitFor();
    await guest.goto(address);
    await guest.getByLabel("New password").fill("a fourth password");
    await press("Set password");
    await guest.getByText("This link does not work any more").waitFor();
  });

  test("a second factor is set up and asked for; a recovery code stands in for it, once", async () => {
    const { ksar } = stage();
    await guest.goto(`${ksar.dashboardUrl}/sign-in?next=/profile`);
    await guest.getByLabel("Email").fill(email);
    await guest.getByLabel("Password").fill(password);
    await press("Sign in");
    await heading("Your profile");
    await press("Set it up");
    const dialog = guest.getByRole("dialog");
    await dialog.getByLabel("Your password").fill(password);
    await press("Go on");
    await dialog.getByRole("img", { name: "QR code for the authenticator app" }).waitFor();
    await expectInOrder(guest, "second-factor-360");
    secret = (await dialog.locator("code").textContent()) ?? "";
    await dialog.getByLabel("Code", { exact: true }).fill(wrongCode(secret));
    await press("Turn it on");
    await dialog.getByRole("alert").waitFor();
    await dialog.getByLabel("Code", { exact: true }).fill(await nextCode());
    await press("Turn it on");
    await dialog.getByText("Each signs you in once").waitFor();
    await expectInOrder(guest, "recovery-codes-360");
    codes = await dialog.getByRole("listitem").allTextContents();
    expect(new Set(codes).size).toBeGreaterThanOrEqual(8);
    await press("I have kept them");
    await guest.locator("section", { hasText: "Second factor" }).getByText("On", { exact: true }).waitFor();

    await signOut();
    await signInWith(wrongCode(secret));
    await guest.getByRole("alert").waitFor();
    await expectInOrder(guest, "one-more-step-360");
    await guest.getByLabel("Code", { exact: true }).fill(await nextCode());
    await press("Go on");
    await heading("Projects");
    await signOut();
    await signInWith(codes[0] ?? "");
    await heading("Projects");
    await signOut();
    await signInWith(codes[0] ?? "");
    await guest.getByRole("alert").waitFor();
  });

  test("who has an account joins another with their own password and second factor", async () => {
    const { ksar, linkMailedTo } = stage();
    other = await ksar.newAccount();
    await other.must("POST", "/invites", { email, role: "DEVELOPER" });
    await guest.goto(await linkMailedTo(email, "invites"));
    await guest.getByLabel("Your password").fill(password);
    await press("Sign in and join");
    await guest.getByRole("alert").waitFor();
    await expectInOrder(guest, "invite-known-360");
    await guest.getByLabel("Code of your second factor").fill(await nextCode());
    await press("Sign in and join");
    await guest.getByText("Deploy your first service").waitFor();
    await expectInOrder(guest, "empty-360");
    await guest.getByRole("button", { name: "Open navigation" }).click();
    await guest.getByRole("button", { name: /^Accounts: / }).click();
    await guest.getByRole("menuitem", { name: "Atlas Studio" }).click();
    await guest.getByRole("link", { name: "storefront", exact: true }).first().waitFor();
  });

  test("a long list goes on to its end, and whoever comes back finds it as long, and their place in it", async () => {
    const { ksar } = stage();
    const names = Array.from({ length: 60 }, (_, index) => `Project ${index}`);
    for (const name of names) await other.must("POST", "/projects", { name });
    await guest.getByRole("button", { name: "Open navigation" }).click();
    await guest.getByRole("button", { name: /^Accounts: / }).click();
    await guest.getByRole("menuitem", { name: /^Account \d/ }).click();
    const rows = guest.getByRole("list", { name: "Projects" }).getByRole("listitem");
    await expect.poll(() => rows.count(), patience).toBe(50);
    await press("Show more");
    await expect.poll(() => rows.count(), patience).toBe(60);
    await guest.getByRole("link", { name: "Project 3", exact: true }).click();
    await heading("Project 3");
    await guest.goBack();
    await heading("Projects");
    await expect.poll(() => rows.count(), patience).toBe(60);
    await expect.poll(() => guest.evaluate("scrollY"), patience).toBeGreaterThan(1000);
    expect(guest.url()).toBe(`${ksar.dashboardUrl}/`);
    expect(problems).toEqual([]);
    await guest.context().close();
  });
}

/** None of those that are taken now: the clock's window and its neighbours. */
function wrongCode(secret: string): string {
  const taken = [-stepMs, 0, stepMs].map((off) => oneTimeCode(secret, Date.now() + off));
  return ["000000", "111111", "222222", "333333"].find((code) => !taken.includes(code)) ?? "";
}
