/** The dashboard, as people use it: in a real browser, against the real program. */
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type GitServer, startGitServer } from "../tests/git-server.fixture.ts";
import { webApp } from "./apps.ts";
import { expectInOrder, hasChromium, launchBrowser, narrow, openPage } from "./browser.fixture.ts";
import { type Ksar, startKsar } from "./ksar.fixture.ts";

const owner = { email: "salma@example.com", password: "correct horse" };

describe.skipIf(!hasChromium)("the dashboard", () => {
  let ksar: Ksar;
  let git: GitServer;
  let repository: Awaited<ReturnType<GitServer["addRepository"]>>;
  let browser: Browser;
  let page: Page;
  let problems: string[];
  let serviceUrl = "";
  let servicePath = "";
  let projectPath = "";
  let deploymentPath = "";
  let invoicePath = "";
  let cronPath = "";
  let cronRunPath = "";
  let channelPath = "";
  let webhookPath = "";

  beforeAll(async () => {
    [ksar, git, browser] = await Promise.all([startKsar(), startGitServer(), launchBrowser()]);
    repository = await git.addRepository("storefront", webApp("one"));
    ({ page, problems } = await openPage(browser));
  });
  afterAll(async () => {
    await browser?.close();
    await Promise.all([ksar?.close(), git?.close()]);
  });

  const button = (name: string) => page.getByRole("button", { name, exact: true });
  const link = (name: string) => page.getByRole("link", { name, exact: true });
  const goTo = async (path: string, heading: string) => {
    await page.goto(ksar.dashboardUrl + path);
    await page.getByRole("heading", { name: heading, exact: true, level: 1 }).waitFor();
  };

  async function signIn(on: Page, { email, password }: typeof owner): Promise<void> {
    await on.goto(`${ksar.dashboardUrl}/sign-in`);
    await on.locator("input[name=email]").fill(email);
    await on.locator("input[name=password]").fill(password);
    await on.locator("button[type=submit]").click();
    await on.locator("#content h1").waitFor();
  }

  test("a newcomer gets from the one-time link to a live service", async () => {
    const signup = ksar.facts.find(({ event }) => event === "signup")?.url;
    await page.goto(signup);
    await page.getByLabel("Name of the account").fill("Atlas Studio");
    await page.getByLabel("Email").fill(owner.email);
    await page.getByLabel("Password").fill(owner.password);
    await expectInOrder(page, "sign-up");
    await button("Sign up").click();
    await page.getByText(/^ksar_\w{40}$/).waitFor();
    await expectInOrder(page, "sign-up-done");
    await button("Deploy something").click();
    await page.getByText("Deploy your first service").waitFor();
    await expectInOrder(page, "empty");

    await link("Deploy from a repository").click();
    await page.getByLabel("Repository").fill(repository.url);
    expect(await page.getByLabel("Name", { exact: true }).inputValue()).toBe("storefront");
    await page.getByText("Branch, folder and commands").click();
    await page.getByLabel("Variables").fill("GREETING=\"hello\"\n# a remark\nexport TOKEN='s3cret'");
    await expectInOrder(page, "new-service");
    await button("Deploy").click();
    await page.getByText("It is live").waitFor({ timeout: 90_000 });
    await page.getByText("Node.js", { exact: true }).waitFor();
    await page.getByText("==> Live").waitFor();
    await expectInOrder(page, "deployment-live");
    deploymentPath = new URL(page.url()).pathname;
    serviceUrl = (await link("Open the address").getAttribute("href")) ?? "";
    expect((await ksar.visit(serviceUrl)).text).toBe("one");
    expect(JSON.parse((await ksar.visit(serviceUrl, { path: "/env" })).text)).toMatchObject({
      GREETING: "hello",
      TOKEN: "s3cret",
    });
    await link("storefront").click();
    await page.getByRole("heading", { name: "storefront", level: 1 }).waitFor();
    servicePath = new URL(page.url()).pathname;
    projectPath = (await page.locator("a[href^='/projects/']").first().getAttribute("href")) ?? "";
    // The link is spent, and says so.
    const again = await openPage(browser);
    await again.page.goto(signup);
    await again.page.getByText("This link does not work any more").waitFor();
    await again.page.context().close();
  });

  test("a failed build says what to do, and what serves goes on", async () => {
    const broken = {
      name: "web",
      version: "1.0.0",
      scripts: { build: "node no-such-file.js", start: "node server.js" },
    };
    await repository.commit({ "package.json": JSON.stringify(broken) }, { message: "Break the build" });
    await goTo(servicePath, "storefront");
    await button("Deploy").click();
    await page.getByText("This deployment failed").waitFor({ timeout: 60_000 });
    await page.getByText("What served before goes on serving.").waitFor();
    await page.getByLabel("Search in the log").fill("no-such-file");
    await page.getByText(/^1 of \d+$|^0 of \d+$/).waitFor();
    await page.getByLabel("Search in the log").press("Enter");
    await page.getByText(/^1 of \d+$/).waitFor();
    await expectInOrder(page, "deployment-failed");
    expect((await ksar.visit(serviceUrl)).text).toBe("one");
  });

  test("an earlier deployment is brought back", async () => {
    await repository.commit(webApp("two"), { message: "Answer two" });
    await goTo(`${servicePath}/deployments`, "storefront");
    await button("Deploy").click();
    await page.getByText("It is live").waitFor({ timeout: 60_000 });
    expect((await ksar.visit(serviceUrl)).text).toBe("two");
    await page.goBack();
    await button("Roll back to this").click();
    await page.getByRole("dialog").getByRole("button", { name: "Roll back to this" }).click();
    await page.waitForURL(/\/deployments\/[0-9a-f-]+$/);
    await page.getByText("It is live").waitFor({ timeout: 60_000 });
    expect((await ksar.visit(serviceUrl)).text).toBe("one");
  });

  test("variables are masked, shown when asked for, and pasted", async () => {
    await goTo(`${servicePath}/env`, "storefront");
    await page.getByText("TOKEN", { exact: true }).waitFor();
    expect(await page.getByText("s3cret").count()).toBe(0);
    await button("Show the value: TOKEN").click();
    await page.getByText("s3cret").waitFor();
    await button("Paste a .env").click();
    await page.getByRole("textbox", { name: ".env" }).fill("COLOUR=blue");
    await button("Save").click();
    await page.getByText("COLOUR", { exact: true }).waitFor();
    await button("Restart now").click();
    await page.getByText("It is live").waitFor({ timeout: 60_000 });
    expect((await ksar.visit(serviceUrl, { path: "/env" })).text).toContain('"COLOUR":"blue"');
  });

  test("a key is made, shown once, used, and revoked by typing its name", async () => {
    await goTo("/keys", "API keys");
    await button("New key").click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Name").fill("CI");
    await dialog.getByLabel("What it may do").selectOption({ label: "Only what is chosen here" });
    await dialog.getByRole("checkbox", { name: "services:read" }).check();
    await expectInOrder(page, "key-new");
    await dialog.getByRole("button", { name: "New key" }).click();
    const key = (await dialog.getByText(/^ksar_\w{40}$/).textContent()) ?? "";
    await dialog.getByRole("button", { name: "I have kept it" }).click();
    const headers = { authorization: `Bearer ${key}` };
    const asked = await fetch(`${ksar.apiUrl}/services`, { headers });
    expect(asked.status).toBe(200);
    expect((await fetch(`${ksar.apiUrl}/projects`, { headers })).status).toBe(403);
    const row = page.getByRole("listitem").filter({ hasText: "services:read" });
    await row.getByRole("button", { name: "Revoke" }).click();
    const confirm = dialog.getByRole("button", { name: "Revoke" });
    expect(await confirm.isDisabled()).toBe(true);
    await dialog.getByRole("textbox").fill(key.slice(0, 13));
    await confirm.click();
    await row.getByText("Revoked").waitFor();
    await expect.poll(async () => (await fetch(`${ksar.apiUrl}/services`, { headers })).status).toBe(401);
  });

  test("an invite is accepted, and what the role lacks is said, not refused", async () => {
    await goTo("/members", "Members");
    await button("Invite somebody").click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Email").fill("yassine@example.com");
    await dialog.getByLabel("Role").selectOption({ label: "Viewer" });
    await dialog.getByRole("button", { name: "Send the invite" }).click();
    const address = (await dialog.getByText(/\/invites\//).textContent()) ?? "";
    const guest = await openPage(browser, { size: narrow });
    await guest.page.goto(address);
    await guest.page.getByRole("heading", { name: "Join Atlas Studio" }).waitFor();
    await expectInOrder(guest.page, "invite-360");
    await guest.page.getByLabel("Your name").fill("Yassine");
    await guest.page.getByLabel("Password").fill("battery staple");
    await guest.page.getByRole("button", { name: "Sign up and join" }).click();
    await guest.page.getByRole("link", { name: "storefront", exact: true }).first().waitFor();
    await guest.page.goto(`${ksar.dashboardUrl}/audit`);
    await guest.page.getByText("This page needs the role Admin; yours is Viewer.").waitFor();
    await expectInOrder(guest.page, "no-access-360");
    await guest.page.goto(`${ksar.dashboardUrl}/billing/credit`);
    await guest.page.getByText("To change something here takes the role Admin.").waitFor();
    await guest.page.getByRole("button", { name: /^To the checkout \(This needs the role Admin/ }).waitFor();
    await guest.page.goto(ksar.dashboardUrl + servicePath);
    const deploy = guest.page.getByRole("button", { name: /^Deploy \(This needs the role Developer/ });
    expect(await deploy.getAttribute("aria-disabled")).toBe("true");
    expect(guest.problems).toEqual([]);
    await guest.page.context().close();
  });

  test("credit is topped up at the checkout, a plan is bought, and its invoice is there", async () => {
    const pay = async (amount: string) => {
      await button(`Pay ${amount}`).click();
      await page.getByRole("heading", { name: "Payment received" }).waitFor();
      await link("Back to billing").click();
      await page.getByText(`${amount} came in on`).waitFor();
    };
    const section = (name: string) => page.locator("section").filter({ has: page.getByRole("heading", { name }) });
    await goTo("/billing", "Billing");
    await page.getByText("The free plan costs nothing and has no end.").waitFor();
    await link("Top up").click();
    await page.getByLabel("Amount (MAD)").fill("5");
    await button("To the checkout").click();
    await page
      .getByText(/should be from 10 to 50000 MAD/)
      .first()
      .waitFor();
    await page.getByLabel("Amount (MAD)").fill("50");
    await button("To the checkout").click();
    await button("Let the payment fail").click();
    await link("Back to billing").click();
    await page.getByText("Nothing was taken, and nothing has changed.").waitFor();
    await link("Top up").click();
    await page.getByText("Not on the plan FREE").waitFor();
    await page.getByLabel("Amount (MAD)").fill("200");
    await button("To the checkout").click();
    await pay("MAD\u00a0200.00");
    await section("Credit").getByText("MAD\u00a0200.00").waitFor();

    await link("Plan").click();
    await page.getByRole("radio", { name: "DEV" }).check();
    await button("Continue").click();
    await button("Confirm").click();
    await page.getByRole("dialog").getByText("MAD\u00a058.80").waitFor();
    await expectInOrder(page, "billing-plan-price");
    await button("To the checkout").click();
    await pay("MAD\u00a058.80");
    await expectInOrder(page, "billing-paid");
    await section("Plan").getByText("DEV").waitFor();
    await page.getByText(/^The period ends on /).waitFor();
    await section("Credit").getByText("MAD\u00a0200.00").waitFor();

    await link("Statement").click();
    const movements = page.getByRole("list", { name: "Statement" }).getByRole("listitem");
    await movements.first().waitFor();
    expect(await movements.getByText(/^[+-]MAD/).allTextContents()).toEqual([
      "-MAD\u00a058.80",
      "+MAD\u00a058.80",
      "+MAD\u00a0200.00",
    ]);

    await link("Plan").click();
    await button("Cancel the plan").click();
    await page.getByRole("dialog").getByRole("button", { name: "Cancel the plan" }).click();
    await button("Keep the plan").click();
    await button("Cancel the plan").waitFor();

    await link("Invoices").click();
    await page.getByRole("link", { name: /^F-\d{4}-\d+$/ }).click();
    await page.getByRole("heading", { name: /^Invoice F-/ }).waitFor();
    invoicePath = new URL(page.url()).pathname;
    const pdf = await fetch((await link("PDF").getAttribute("href")) ?? "");
    expect([pdf.status, pdf.headers.get("content-type")]).toEqual([200, "application/pdf"]);
  });

  test("what runs by itself: metrics, a cron job and its log, an alert, a channel, a webhook", async () => {
    await goTo(`${servicePath}/metrics`, "storefront");
    await page.getByRole("img", { name: /^CPU\. Used: Latest [\d.]+ cores/ }).waitFor();
    await page.getByRole("img", { name: /^Requests a minute\./ }).waitFor();
    await page.getByText("24 hours", { exact: true }).click();
    await page.getByRole("img", { name: /^Memory\. Used: Latest \d/ }).waitFor();

    const dialog = page.getByRole("dialog");
    await goTo("/cron", "Cron jobs");
    await button("New job").click();
    await dialog.getByLabel("Name").fill("Report");
    await dialog.getByLabel("Command").fill('echo "$GREETING from the job"');
    await dialog.getByLabel("Schedule").fill("0 25 * * *");
    await dialog.getByText("This is not a schedule yet.").waitFor();
    await dialog.getByRole("button", { name: "New job" }).click();
    await dialog
      .getByRole("alert")
      .getByText(/is not a cron expression/)
      .waitFor();
    await dialog.getByLabel("Schedule").fill("30 2 * * 1");
    await dialog.getByLabel("Time zone").selectOption("Africa/Casablanca");
    await dialog.getByText("Next times (Africa/Casablanca)").waitFor();
    await expect.poll(() => dialog.getByText(/^Monday.*02:30/).count()).toBe(5);
    await dialog.getByLabel("Runs in").selectOption({ label: "storefront" });
    await expectInOrder(page, "cron-new");
    await dialog.getByRole("button", { name: "New job" }).click();
    await page.getByRole("heading", { name: "Report", level: 1 }).waitFor();
    cronPath = new URL(page.url()).pathname;
    await button("Run now").click();
    await page.getByRole("listitem").getByText("Succeeded").waitFor();
    await page.getByRole("listitem").getByRole("link").click();
    await page.getByText("hello from the job").waitFor();
    cronRunPath = new URL(page.url()).pathname;

    await goTo("/alerts", "Alerts");
    await button("New alert").click();
    await dialog.getByLabel("Name").fill("Too much memory");
    await dialog.getByLabel("What is watched").selectOption({ label: "Memory (MiB)" });
    await dialog.getByLabel("Service").selectOption({ label: "storefront" });
    await dialog.getByText(/^Now it is [\d.]+\.$/).waitFor();
    await dialog.getByLabel("Threshold").fill("400");
    await expectInOrder(page, "alert-new");
    await dialog.getByRole("button", { name: "New alert" }).click();
    await page.getByText("Memory (MiB) > 400 · storefront").waitFor();

    await goTo("/channels", "Notifications");
    await button("New channel").click();
    await dialog.getByLabel("Kind").selectOption({ label: "Webhook" });
    await dialog.getByLabel("URL").fill("https://hooks.invalid/ksar");
    await expectInOrder(page, "channel-new");
    await dialog.getByRole("button", { name: "New channel" }).click();
    await page.getByRole("heading", { name: "https://hooks.invalid/ksar", level: 1 }).waitFor();
    channelPath = new URL(page.url()).pathname;
    await button("Send a test").click();
    await page.getByRole("alert").getByText("The test did not arrive").waitFor();

    await goTo("/webhooks", "Webhooks");
    await button("New webhook").click();
    await dialog.getByLabel("URL").fill("https://hooks.invalid/events");
    await dialog.getByRole("button", { name: "New webhook" }).click();
    await dialog.getByText(/^whsec_/).waitFor();
    await dialog.getByRole("button", { name: "I have kept it" }).click();
    await page.getByRole("heading", { name: "https://hooks.invalid/events", level: 1 }).waitFor();
    webhookPath = new URL(page.url()).pathname;
    await button("Send a ping").click();
    await page.getByText(/^Attempts: \d+$/).click();
    await page.getByText(/^Attempt 1/).waitFor();
    expect(problems).toEqual([]);
  });

  test("every page is in order: wide and narrow, light and dark, and from right to left", async () => {
    const places: readonly (readonly [string, string])[] = [
      ["/", "home"],
      [projectPath, "project"],
      [servicePath, "service"],
      [`${servicePath}/deployments`, "deployments"],
      [`${servicePath}/metrics`, "metrics"],
      [`${servicePath}/logs`, "logs"],
      [`${servicePath}/env`, "env"],
      [`${servicePath}/settings`, "service-settings"],
      [deploymentPath, "deployment"],
      ["/buckets", "buckets"],
      ["/cron", "cron"],
      [cronPath, "cron-job"],
      [cronRunPath, "cron-run"],
      ["/alerts", "alerts"],
      ["/channels", "channels"],
      [channelPath, "channel"],
      ["/webhooks", "webhooks"],
      [webhookPath, "webhook"],
      ["/activity", "activity"],
      ["/audit", "audit"],
      ["/billing", "billing"],
      ["/billing/plan", "billing-plan"],
      ["/billing/credit", "billing-credit"],
      ["/billing/statement", "billing-statement"],
      ["/billing/invoices", "billing-invoices"],
      [invoicePath, "billing-invoice"],
      ["/billing/identity", "billing-identity"],
      ["/members", "members"],
      ["/keys", "keys"],
      ["/settings", "account"],
      ["/profile", "profile"],
      ["/nothing/here", "not-found"],
    ];
    // Colours and sides are the same tokens everywhere: some pages of each kind show what they do.
    const some = places.filter(([, name]) =>
      ["home", "deployment", "env", "billing", "metrics", "channel"].includes(name),
    );
    const visitors = [
      { suffix: "", options: {}, visits: places },
      { suffix: "-dark", options: { dark: true }, visits: some },
      { suffix: "-360", options: { size: narrow }, visits: places },
      { suffix: "-360-ar", options: { size: narrow, locale: "ar" }, visits: some },
    ] as const;
    await Promise.all(
      visitors.map(async ({ suffix, options, visits }) => {
        const visitor = await openPage(browser, options);
        await expectInOrder(await at(visitor.page, "/sign-in"), `sign-in${suffix}`);
        await signIn(visitor.page, owner);
        expect(await visitor.page.locator("html").getAttribute("dir")).toBe(suffix.endsWith("-ar") ? "rtl" : "ltr");
        for (const [path, name] of visits) {
          await visitor.page.goto(ksar.dashboardUrl + path);
          await visitor.page.locator("#content h1").first().waitFor();
          await expectInOrder(visitor.page, name + suffix);
        }
        expect(visitor.problems).toEqual([]);
        await visitor.page.context().close();
      }),
    );
  });

  async function at(on: Page, path: string): Promise<Page> {
    await on.goto(ksar.dashboardUrl + path);
    await on.locator("h1").first().waitFor();
    return on;
  }

  test("by keyboard alone: the palette leads to a service, and back again", async () => {
    await goTo("/activity", "Activity");
    await page.keyboard.press("Control+k");
    await page.getByRole("combobox").waitFor();
    await page.getByRole("option", { name: "storefront Service" }).waitFor();
    await page.keyboard.type("storefront serv");
    await expectInOrder(page, "palette");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "storefront", level: 1 }).waitFor();
    expect(new URL(page.url()).pathname).toBe(servicePath);
    await page.goBack();
    await page.getByRole("heading", { name: "Activity", level: 1 }).waitFor();
  });

  test("signed out, an address leads through the sign-in to where it points", async () => {
    await button("Sign out").click();
    await page.getByRole("heading", { name: "Sign in" }).waitFor();
    await page.goto(ksar.dashboardUrl + servicePath);
    await page.getByLabel("Email").fill(owner.email);
    await page.getByLabel("Password").fill("wrong password");
    await button("Sign in").click();
    await page.getByText("The email address or the password is wrong.").waitFor();
    await page.getByLabel("Password").fill(owner.password);
    await button("Sign in").click();
    await page.getByRole("heading", { name: "storefront", level: 1 }).waitFor();
    expect(new URL(page.url()).pathname).toBe(servicePath);
    const stored = await page.evaluate("JSON.stringify({ ...localStorage, ...sessionStorage })");
    expect(stored).not.toMatch(/ksar_|token/i);
    expect(await page.evaluate("document.cookie")).toBe("");
    expect(problems).toEqual([]);
  });
});
