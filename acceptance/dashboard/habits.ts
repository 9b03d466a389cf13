/** What people expect of any page: the keyboard, the way back, links that lead through the sign-in. */
import { expect, test } from "vitest";
import { expectInOrder } from "../browser.fixture.ts";
import { owner, type Stage } from "./stage.ts";

export function habits(stage: () => Stage): void {
  test("by keyboard alone: the palette leads to a service, and back again", async () => {
    const { goTo, page, places } = stage();
    await goTo("/activity", "Activity");
    await page.keyboard.press("Control+k");
    await page.getByRole("combobox").waitFor();
    await page.getByRole("option", { name: "storefront Service" }).waitFor();
    await page.keyboard.type("storefront serv");
    await expectInOrder(page, "palette");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "storefront", level: 1 }).waitFor();
    expect(new URL(page.url()).pathname).toBe(places.service);
    await page.goBack();
    await page.getByRole("heading", { name: "Activity", level: 1 }).waitFor();
    await page.keyboard.press("Control+k");
    await page.getByRole("combobox").waitFor();
    await page.keyboard.type("storefront vari");
    await page.getByRole("option", { name: /^storefront.*Variables/ }).waitFor();
    await page.keyboard.press("Enter");
    await page.waitForURL(/\/env$/);
    await page.goBack();
    await page.getByRole("heading", { name: "Activity", level: 1 }).waitFor();
    await page.keyboard.press("Control+k");
    await page.getByRole("combobox").waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("combobox").waitFor({ state: "detached" });
  });

  test("what was typed is not lost by a click; a Ksar that is away or slow is said to be, and what is shown stays", async () => {
    const { button, goTo, link, page, places } = stage();
    await goTo(`${places.service}/settings`, "storefront");
    await page.getByLabel("Health check").fill("/healthz");
    await link("Logs").click();
    await page.getByRole("dialog").getByText("Leave without saving?").waitFor();
    await expectInOrder(page, "unsaved");
    await button("Stay here").click();
    expect(await page.getByLabel("Health check").inputValue()).toBe("/healthz");
    await link("Logs").click();
    await button("Leave").click();
    await page.waitForURL(/\/logs$/);

    await goTo(places.service, "storefront");
    await page.route("**/api/v1/**", (route) => route.abort());
    const away = page.getByText("Ksar does not answer: what stands here may be old.");
    // As if they came back to the window, which asks again: sooner than by itself.
    const comeBack = async () => {
      await page.evaluate("dispatchEvent(new Event('visibilitychange'))");
      return away.count();
    };
    await expect.poll(comeBack, { timeout: 30_000 }).toBe(1);
    await page.getByRole("heading", { name: "Latest deployments" }).waitFor();
    await expectInOrder(page, "away");
    await page.unroute("**/api/v1/**");
    await page.getByText("Ksar does not answer").waitFor({ state: "detached" });

    const { promise: comes, resolve: arrive } = Promise.withResolvers<void>();
    await page.route("**/assets/*.js", async (route) => {
      await comes;
      await route.continue();
    });
    await link("Audit log").click();
    await page.getByRole("progressbar", { name: "Loading" }).waitFor();
    await page.getByRole("heading", { name: "Latest deployments" }).waitFor();
    arrive();
    await page.getByRole("heading", { name: "Audit log" }).waitFor();
    await page.unroute("**/assets/*.js");
  });

  test("signed out, an address leads through the sign-in to where it points", async () => {
    const { button, ksar, page, places, problems } = stage();
    await button("Sign out").click();
    await page.getByRole("heading", { name: "Sign in" }).waitFor();
    await page.goto(ksar.dashboardUrl + places.service);
    await page.getByLabel("Email").fill(owner.email);
    await page.getByLabel("Password").fill("wrong password");
    await button("Sign in").click();
    await page.getByText("The email address or the password is wrong.").waitFor();
    await page.getByLabel("Password").fill(owner.password);
    await button("Sign in").click();
    await page.getByRole("heading", { name: "storefront", level: 1 }).waitFor();
    expect(new URL(page.url()).pathname).toBe(places.service);
    const stored = await page.evaluate("JSON.stringify({ ...localStorage, ...sessionStorage })");
    expect(stored).not.toMatch(/ksar_|token/i);
    expect(await page.evaluate("document.cookie")).toBe("");
    expect(problems).toEqual([]);
  });
}
