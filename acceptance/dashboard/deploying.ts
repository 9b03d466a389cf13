/** From the one-time link to a live service, a failed build, a roll-back, variables. */
import { expect, test } from "vitest";
import { webApp } from "../apps.ts";
import { expectInOrder, openPage } from "../browser.fixture.ts";
import { owner, type Stage } from "./stage.ts";

export function deploying(stage: () => Stage): void {
  test("a newcomer gets from the one-time link to a live service", async () => {
    const { browser, button, ksar, link, page, places, repository } = stage();
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
    await page.getByRole("heading", { name: "New service" }).waitFor();
    await page.getByLabel("Repository").fill(repository.url);
    expect(await page.getByLabel("Name", { exact: true }).inputValue()).toBe("storefront");
    await page.getByText("Branch, folder, commands and variables").click();
    await page.getByLabel("Variables").fill("GREETING=\"hello\"\n# a remark\nexport TOKEN='s3cret'");
    await expectInOrder(page, "new-service");
    await button("Deploy").click();
    await page.getByText("It is live").waitFor({ timeout: 90_000 });
    await page.getByText("Node.js", { exact: true }).waitFor();
    await page.getByText("==> Live").waitFor();
    await expectInOrder(page, "deployment-live");
    places.deployment = new URL(page.url()).pathname;
    places.url = (await link("Open the address").getAttribute("href")) ?? "";
    expect((await ksar.visit(places.url)).text).toBe("one");
    expect(JSON.parse((await ksar.visit(places.url, { path: "/env" })).text)).toMatchObject({
      GREETING: "hello",
      TOKEN: "s3cret",
    });
    await link("storefront").click();
    await page.getByRole("heading", { name: "storefront", level: 1 }).waitFor();
    places.service = new URL(page.url()).pathname;
    places.project = (await page.locator("a[href^='/projects/']").first().getAttribute("href")) ?? "";
    // The link is spent, and says so.
    const again = await openPage(browser);
    await again.page.goto(signup);
    await again.page.getByText("This link does not work any more").waitFor();
    await again.page.context().close();
  });

  test("a failed build says what to do, and what serves goes on", async () => {
    const { button, goTo, ksar, page, places, repository } = stage();
    const broken = {
      name: "web",
      version: "1.0.0",
      scripts: { build: "node no-such-file.js", start: "node server.js" },
    };
    await repository.commit({ "package.json": JSON.stringify(broken) }, { message: "Break the build" });
    await goTo(places.service, "storefront");
    await button("Deploy").click();
    await page.getByText("This deployment failed").waitFor({ timeout: 60_000 });
    await page.getByText("What served before goes on serving.").waitFor();
    await page.getByLabel("Search in the log").fill("no-such-file");
    await page.getByText(/^1 of \d+$|^0 of \d+$/).waitFor();
    await page.getByLabel("Search in the log").press("Enter");
    await page.getByText(/^1 of \d+$/).waitFor();
    await expectInOrder(page, "deployment-failed");
    expect((await ksar.visit(places.url)).text).toBe("one");
  });

  test("an earlier deployment is brought back", async () => {
    const { button, goTo, ksar, page, places, repository } = stage();
    await repository.commit(webApp("two"), { message: "Answer two" });
    await goTo(`${places.service}/deployments`, "storefront");
    await button("Deploy").click();
    await page.getByText("It is live").waitFor({ timeout: 60_000 });
    expect((await ksar.visit(places.url)).text).toBe("two");
    await page.goBack();
    await button("Roll back to this").click();
    await page.getByRole("dialog").getByRole("button", { name: "Roll back to this" }).click();
    await page.waitForURL(/\/deployments\/[0-9a-f-]+$/);
    await page.getByText("It is live").waitFor({ timeout: 60_000 });
    expect((await ksar.visit(places.url)).text).toBe("one");
  });

  test("variables are masked, shown when asked for, and pasted", async () => {
    const { button, goTo, ksar, page, places } = stage();
    await goTo(`${places.service}/env`, "storefront");
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
    expect((await ksar.visit(places.url, { path: "/env" })).text).toContain('"COLOUR":"blue"');
  });
}
