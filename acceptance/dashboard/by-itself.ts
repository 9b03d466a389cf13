/** What goes on without anybody: metrics, cron jobs, alerts, channels, webhooks. */
import { expect, test } from "vitest";
import { expectInOrder } from "../browser.fixture.ts";
import type { Stage } from "./stage.ts";

export function byItself(stage: () => Stage): void {
  test("what runs by itself: metrics, a cron job and its log, an alert, a channel, a webhook", async () => {
    const { button, goTo, page, places, problems } = stage();
    await goTo(`${places.service}/metrics`, "storefront");
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
    places.cronJob = new URL(page.url()).pathname;
    await button("Run now").click();
    await page.getByRole("listitem").getByText("Succeeded").waitFor();
    await page.getByRole("listitem").getByRole("link").click();
    await page.getByText("hello from the job").waitFor();
    places.cronRun = new URL(page.url()).pathname;

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
    places.channel = new URL(page.url()).pathname;
    await button("Send a test").click();
    await page.getByRole("alert").getByText("The test did not arrive").waitFor();

    await goTo("/webhooks", "Webhooks");
    await button("New webhook").click();
    await dialog.getByLabel("URL").fill("https://hooks.invalid/events");
    await dialog.getByRole("button", { name: "New webhook" }).click();
    await dialog.getByText(/^whsec_/).waitFor();
    await dialog.getByRole("button", { name: "I have kept it" }).click();
    await page.getByRole("heading", { name: "https://hooks.invalid/events", level: 1 }).waitFor();
    places.webhook = new URL(page.url()).pathname;
    await button("Send a ping").click();
    await page.getByText(/^Attempts: \d+$/).click();
    await page.getByText(/^Attempt 1/).waitFor();
    expect(problems).toEqual([]);
  });
}
