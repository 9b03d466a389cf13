/** A person at the dashboard: the system's Chromium, and what is wrong with a page for anybody. */
import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { type Browser, chromium, type Page } from "playwright-core";
import { expect } from "vitest";

const executablePath = process.env.KSAR_TEST_CHROMIUM ?? "/usr/bin/chromium";
/** A folder for a picture of every page that a test looks at; none are taken without it. */
const pictures = process.env.KSAR_TEST_PICTURES ?? null;
const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

export const hasChromium = existsSync(executablePath);

export function launchBrowser(): Promise<Browser> {
  const quiet = ["--disable-background-networking", "--disable-component-update", "--disable-sync"];
  return chromium.launch({ executablePath, args: ["--headless", "--no-sandbox", "--disable-gpu", ...quiet] });
}

export const wide = { width: 1280, height: 800 };
export const narrow = { width: 360, height: 740 };

/** A page of somebody's own, and what went wrong in it: exceptions, and what the page's policy refused. */
export async function openPage(
  browser: Browser,
  options: { readonly size?: typeof wide; readonly locale?: string; readonly dark?: boolean } = {},
): Promise<{ page: Page; problems: string[] }> {
  const context = await browser.newContext({
    viewport: options.size ?? wide,
    locale: options.locale ?? "en",
    colorScheme: options.dark === true ? "dark" : "light",
    reducedMotion: "reduce",
  });
  const page = await context.newPage();
  page.setDefaultTimeout(60_000);
  const problems: string[] = [];
  page.on("pageerror", (error) => problems.push(error.message));
  page.on("console", (message) => {
    if (/Content Security Policy/i.test(message.text())) problems.push(message.text());
  });
  return { page, problems };
}

interface Violation {
  readonly id: string;
  readonly impact: string | null;
  readonly nodes: readonly { readonly html: string; readonly failureSummary: string }[];
}

/** All of it, its colours alone, or only whether it fits the window: what can be another than when it was last judged. */
type Judged = "all" | "colours" | "size";

/** No serious violation of accessibility, and nothing to scroll sideways for; a picture where they are wanted. */
export async function expectInOrder(page: Page, name: string, judged: Judged = "all"): Promise<void> {
  await expect.poll(() => page.locator("[data-loading]").count(), { timeout: 30_000 }).toBe(0);
  if (pictures !== null) {
    mkdirSync(pictures, { recursive: true });
    await page.screenshot({ path: join(pictures, `${name}.png`) });
  }
  const overflow = await page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth");
  expect(overflow, `${name}: wider than the window by`).toBeLessThanOrEqual(0);
  if (judged === "size") return;
  if (!(await page.evaluate("'axe' in globalThis"))) await page.evaluate(axe);
  const violations = await page.evaluate(
    async (rules) => {
      // What the line above has put there.
      const { axe } = globalThis as unknown as { axe: { run(options: object): Promise<{ violations: Violation[] }> } };
      const { violations: found } = await axe.run({ resultTypes: ["violations"], ...rules });
      return found.filter(({ impact }) => impact === "serious" || impact === "critical");
    },
    judged === "colours" ? { runOnly: ["color-contrast"] } : {},
  );
  expect(
    violations.map(({ id, nodes }) => [id, ...nodes.map(({ html, failureSummary }) => `${html} ${failureSummary}`)]),
    `${name}: accessibility`,
  ).toEqual([]);
}
