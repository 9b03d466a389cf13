/** Credit, a plan, and what is kept of it. */
import { expect, test } from "vitest";
import { expectInOrder } from "../browser.fixture.ts";
import type { Stage } from "./stage.ts";

export function paying(stage: () => Stage): void {
  test("credit is topped up at the checkout, a plan is bought, and its invoice is there", async () => {
    const { button, goTo, link, page, places } = stage();
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
    places.invoice = new URL(page.url()).pathname;
    const pdf = await fetch((await link("PDF").getAttribute("href")) ?? "");
    expect([pdf.status, pdf.headers.get("content-type")]).toEqual([200, "application/pdf"]);
  });
}
