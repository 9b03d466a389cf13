/** The sandbox's page in a real browser, as wide as a small phone. */
import { existsSync } from "node:fs";
import { type Browser, chromium, type Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startPayments, type TestPayments } from "../../../tests/payments.fixture.ts";

const executablePath = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"].find((path) =>
  existsSync(path),
);
let world: TestPayments;
let browser: Browser | null = null;

beforeAll(async () => {
  world = await startPayments();
  if (executablePath === undefined) return;
  browser = await chromium.launch({ executablePath, args: ["--headless", "--no-sandbox", "--disable-gpu"] });
});
afterAll(async () => {
  await browser?.close();
  await world.close();
});

async function newPage(): Promise<Page> {
  if (browser === null) throw new Error("there is no browser");
  const page = await browser.newPage({ viewport: { width: 360, height: 740 }, locale: "fr-MA" });
  page.on("console", (message) => {
    if (message.type() === "error") throw new Error(message.text());
  });
  return page;
}

function widthOf(page: Page): Promise<number> {
  return page.evaluate("document.documentElement.scrollWidth");
}

test.runIf(executablePath !== undefined)("a person pays with two clicks, on 360 px, in either language", async () => {
  const { id, url } = await world.open(1_234_567_890);
  const page = await newPage();
  await page.goto(url);
  expect(await page.title()).toBe("Paiement · Ksar");
  expect(await widthOf(page)).toBe(360);
  await page.getByRole("link", { name: "English" }).click();
  expect(await page.getByText("Sandbox: no money is taken").isVisible()).toBe(true);
  await page.getByRole("button", { name: "Pay MAD 12,345,678.90" }).click();
  await page.getByRole("heading", { name: "Payment received" }).waitFor();
  expect(await widthOf(page)).toBe(360);
  expect(await world.posted()).toHaveLength(1);
  // Back and once more, as people do.
  await page.goBack();
  await page.reload();
  expect(await page.getByRole("heading", { name: "Payment received" }).isVisible()).toBe(true);
  expect(await world.status(id)).toBe("PAID");
});
