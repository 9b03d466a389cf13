/** A bucket and its credential, whose secret is shown once. */
import { expect, test } from "vitest";
import { expectInOrder } from "../browser.fixture.ts";
import type { Stage } from "./stage.ts";

export function buckets(stage: () => Stage): void {
  test("a bucket is made, and a credential shown once, ready to be pasted", async () => {
    const { button, goTo, page, places, problems } = stage();
    const dialog = page.getByRole("dialog");
    await goTo("/buckets", "Buckets");
    await button("New bucket").click();
    await dialog.getByLabel("Name").fill("atlas-photos");
    await dialog.getByRole("button", { name: "New bucket" }).click();
    await page.getByRole("heading", { name: "atlas-photos", level: 1 }).waitFor();
    places.bucket = new URL(page.url()).pathname;
    await button("New credential").click();
    await dialog.getByLabel("What it is for").fill("Uploads");
    await dialog.getByRole("button", { name: "New credential" }).click();
    await dialog.getByText("Your new credential").waitFor();
    await dialog
      .locator("pre")
      .getByText(/AWS_ACCESS_KEY_ID/)
      .waitFor();
    await expectInOrder(page, "bucket-credential");
    await dialog.getByRole("button", { name: "I have kept it" }).click();
    await page.getByText("Uploads", { exact: true }).waitFor();
    await page.locator("pre").waitFor({ state: "detached" });
    expect(problems).toEqual([]);
  });
}
