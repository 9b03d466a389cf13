/**
 * Every page, wide and narrow, light and dark, and from right to left. Each is loaded once; window, colours and language
 * change under it, as they do for a person who turns a phone or chooses in another window.
 */
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { expectInOrder, narrow, openPage, wide } from "../browser.fixture.ts";
import { owner, type Stage } from "./stage.ts";

export function everyPage(stage: () => Stage): void {
  test("every page is in order: wide and narrow, light and dark, and from right to left", async () => {
    const { browser, ksar, places, signIn } = stage();
    const visits: readonly (readonly [string, string])[] = [
      ["/new", "new-service"],
      ["/", "home"],
      [places.project, "project"],
      [places.service, "service"],
      [`${places.service}/deployments`, "deployments"],
      [`${places.service}/metrics`, "metrics"],
      [`${places.service}/logs`, "logs"],
      [`${places.service}/env`, "env"],
      [`${places.service}/settings`, "service-settings"],
      [places.deployment, "deployment"],
      ["/databases", "databases"],
      [places.database, "database"],
      ["/buckets", "buckets"],
      [places.bucket, "bucket"],
      ["/cron", "cron"],
      [places.cronJob, "cron-job"],
      [places.cronRun, "cron-run"],
      ["/alerts", "alerts"],
      ["/channels", "channels"],
      [places.channel, "channel"],
      ["/webhooks", "webhooks"],
      [places.webhook, "webhook"],
      ["/activity", "activity"],
      ["/audit", "audit"],
      ["/billing", "billing"],
      ["/billing/plan", "billing-plan"],
      ["/billing/credit", "billing-credit"],
      ["/billing/statement", "billing-statement"],
      ["/billing/invoices", "billing-invoices"],
      [places.invoice, "billing-invoice"],
      ["/billing/identity", "billing-identity"],
      ["/members", "members"],
      ["/keys", "keys"],
      ["/settings", "account"],
      ["/profile", "profile"],
      ["/nothing/here", "not-found"],
    ];
    // Two windows: one waits for its page while the other is looked at.
    const rest = [...visits];
    const visitors = await Promise.all([openPage(browser), openPage(browser)]);
    await Promise.all(
      visitors.map(async ({ page, problems }, index) => {
        if (index === 0) {
          await page.goto(`${ksar.dashboardUrl}/sign-in`);
          await page.getByRole("heading", { name: "Sign in" }).waitFor();
          await expectInOrderEverywhere(page, "sign-in");
        }
        await signIn(page, owner);
        for (let next = rest.shift(); next !== undefined; next = rest.shift()) {
          const [path, name] = next;
          await page.goto(ksar.dashboardUrl + path);
          await page.locator("#content h1").first().waitFor();
          await expectInOrderEverywhere(page, name);
        }
        expect(problems).toEqual([]);
        await page.context().close();
      }),
    );
  }, 300_000);
}

async function expectInOrderEverywhere(page: Page, name: string): Promise<void> {
  await expectInOrder(page, name);
  await page.emulateMedia({ colorScheme: "dark" });
  await expectInOrder(page, `${name}-dark`, "colours");
  await page.setViewportSize(narrow);
  await page.emulateMedia({ colorScheme: "light" });
  // In this language the same is judged below, from the other side.
  await expectInOrder(page, `${name}-360`, "size");
  await chooseElsewhere(page, "ar");
  expect(await page.locator("html").getAttribute("dir")).toBe("rtl");
  await expectInOrder(page, `${name}-360-ar`);
  await chooseElsewhere(page, "en");
  await page.setViewportSize(wide);
}

/** A language, in another window of the same browser. */
async function chooseElsewhere(page: Page, locale: string): Promise<void> {
  await page.evaluate(
    `localStorage.setItem("ksar.locale", "${locale}"); dispatchEvent(new StorageEvent("storage", { key: "ksar.locale" }))`,
  );
  await page.locator(`html[lang=${locale}]`).waitFor();
}
