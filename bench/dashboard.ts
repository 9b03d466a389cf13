/**
 * What the dashboard costs a visitor: the JavaScript of its first page as it is sent, the time until that page can be
 * used on a processor slowed four times, against the same page unslowed; and the longest task (in the processor's time)
 * while a log of 100,000 lines arrives, and while it is scrolled, against one of 1,000.
 */
import type { Browser, CDPSession, Page } from "playwright-core";
import { launchBrowser, openPage } from "../acceptance/browser.fixture.ts";
import { type Ksar, startKsar } from "../acceptance/ksar.fixture.ts";

const rounds = 5;
const slowdown = 4;
const [fewLines, manyLines] = [1_000, 100_000];
const frames = 200;
const limitBytes = 200_000;
const limitMs = 50;

export async function run(): Promise<void> {
  const ksar = await startKsar();
  const browser = await launchBrowser();
  try {
    const account = await ksar.newAccount();
    const { page } = await openPage(browser);
    await signIn(page, ksar, (await account.must("GET", "/members")).data[0].email);
    const cdp = await page.context().newCDPSession(page);

    const bytes = await sentScripts(page, cdp, `${ksar.dashboardUrl}/`);
    console.log(
      `  first load: ${(bytes / 1000).toFixed(0)} kB of JavaScript (brotli), ${((100 * bytes) / limitBytes).toFixed(0)} % of the ${limitBytes / 1000} kB allowed`,
    );
    const plain = await usableAfter(page, cdp, 1, `${ksar.dashboardUrl}/`);
    const slowed = await usableAfter(page, cdp, slowdown, `${ksar.dashboardUrl}/`);
    console.log(
      `  usable after ${slowed.toFixed(0)} ms at ${slowdown}× slowdown, ${plain.toFixed(0)} ms without: ${(slowed / plain).toFixed(2)}`,
    );

    const service = await account.newService({ name: "Log", repoUrl: "https://example.com/none.git" });
    const address = `${ksar.dashboardUrl}/services/${service.id}/logs`;
    const few = await logCost(browser, page, address, fewLines);
    const many = await logCost(browser, page, address, manyLines);
    console.log(
      `  log of ${manyLines} lines: longest task ${many.arriving.toFixed(0)} ms arriving, ${many.scrolling.toFixed(0)} ms scrolling, of the ${limitMs} allowed; of ${fewLines}: ${few.arriving.toFixed(0)} and ${few.scrolling.toFixed(0)}; a scrolled frame ${many.frame.toFixed(0)} ms against ${few.frame.toFixed(0)}: ${(many.frame / few.frame).toFixed(2)}`,
    );
  } finally {
    await browser.close();
    await ksar.close();
  }
}

async function signIn(page: Page, ksar: Ksar, email: string): Promise<void> {
  await page.goto(`${ksar.dashboardUrl}/sign-in`);
  await page.getByLabel("Email").fill(email);
  await page.getByLabel("Password").fill("correct horse");
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.locator("#content h1").waitFor();
}

/** Body bytes of the scripts as they came over the wire, with nothing cached. */
async function sentScripts(page: Page, cdp: CDPSession, address: string): Promise<number> {
  await cdp.send("Network.setCacheDisabled", { cacheDisabled: true });
  await page.goto(address);
  await page.locator("#content h1").waitFor();
  await page.waitForLoadState("networkidle");
  const sizes: unknown = await page.evaluate(
    "performance.getEntriesByType('resource').filter((one) => one.name.endsWith('.js')).map((one) => one.encodedBodySize)",
  );
  return (sizes as number[]).reduce((sum, size) => sum + size, 0); // as the line above makes them
}

/** The median time until the page's heading and actions are there, nothing cached. */
async function usableAfter(page: Page, cdp: CDPSession, rate: number, address: string): Promise<number> {
  await cdp.send("Emulation.setCPUThrottlingRate", { rate });
  const times: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const began = performance.now();
    await page.goto(address, { waitUntil: "commit" });
    await page.getByRole("button", { name: "New project" }).waitFor();
    times.push(performance.now() - began);
  }
  await cdp.send("Emulation.setCPUThrottlingRate", { rate: 1 });
  return times.toSorted((a, b) => a - b)[Math.floor(rounds / 2)] ?? Number.NaN;
}

interface LogCost {
  /** ms of the processor, of the longest task. */
  readonly arriving: number;
  readonly scrolling: number;
  /** ms of a clock, of the frames of a scroll. */
  readonly frame: number;
}

async function logCost(browser: Browser, page: Page, address: string, lines: number): Promise<LogCost> {
  const events = Array.from({ length: lines }, (_, index) => {
    const line = `\u001b[32m${index}\u001b[0m a line of a service's log, as long as most of them are`;
    return `id: 1:${index}\ndata: ${JSON.stringify({ timestamp: "2026-11-21T08:00:00.000Z", line, instance: "0" })}\n\n`;
  });
  // The stream's end would be taken for a broken connection; the view's cost is what is measured.
  await page.unrouteAll();
  await page.route("**/logs?follow=true*", (route) =>
    route.fulfill({ contentType: "text/event-stream", body: `${events.join("")}event: end\ndata: {}\n\n` }),
  );
  const arriving = await longestTask(browser, page, async () => {
    await page.goto(address);
    await page.getByText(`${lines - 1} a line`).waitFor({ timeout: 120_000 });
  });
  let frame = Number.NaN;
  const scrolling = await longestTask(browser, page, async () => {
    const began = performance.now();
    await page.evaluate(`(async () => {
      const box = document.querySelector("section[aria-label=Log]");
      for (let step = 0; step < ${frames}; step += 1) {
        box.scrollTop = box.scrollHeight * ((step * 37) % ${frames}) / ${frames};
        await new Promise(requestAnimationFrame);
      }
    })()`);
    frame = (performance.now() - began) / frames;
  });
  return { arriving, scrolling, frame };
}

interface TraceEvent {
  readonly name: string;
  readonly pid: number;
  readonly tid: number;
  /** Microseconds on the processor, which a busy machine does not lengthen. */
  readonly tdur?: number;
  readonly args: { readonly name?: string };
}

/** ms of the processor that the longest task of the page's main thread took. */
async function longestTask(browser: Browser, page: Page, run: () => Promise<void>): Promise<number> {
  await browser.startTracing(page, { categories: ["toplevel", "disabled-by-default-devtools.timeline"] });
  await run();
  const { traceEvents } = JSON.parse((await browser.stopTracing()).toString()) as { traceEvents: TraceEvent[] }; // Chromium's trace format
  const threadOf = ({ pid, tid }: TraceEvent) => `${pid} ${tid}`;
  const main = new Set(
    traceEvents.filter(({ name, args }) => name === "thread_name" && args.name === "CrRendererMain").map(threadOf),
  );
  const tasks = traceEvents.filter((one) => one.name === "RunTask" && main.has(threadOf(one)));
  return Math.max(0, ...tasks.map(({ tdur }) => (tdur ?? 0) / 1000));
}

if (import.meta.main) await run();
