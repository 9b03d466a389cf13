/** A database from its making to its password; it stays for the tests behind it. */
import { expect, test } from "vitest";
import { expectInOrder } from "../browser.fixture.ts";
import type { Stage } from "./stage.ts";

export function databases(stage: () => Stage): void {
  test("a database is made, its connection shown on demand, its password changed, and another deleted by its name", async () => {
    const { button, goTo, page, places, problems } = stage();
    const dialog = page.getByRole("dialog");
    const make = async (name: string) => {
      await button("New database").click();
      await dialog.getByLabel("Name").fill(name);
      await expectInOrder(page, "database-new");
      await dialog.getByRole("button", { name: "New database" }).click();
      await page.getByRole("heading", { name, level: 1 }).waitFor();
      await page.getByText("Available", { exact: true }).waitFor({ timeout: 60_000 });
    };
    await goTo("/databases", "Databases");
    await expectInOrder(page, "databases-none");
    await make("orders");
    places.database = new URL(page.url()).pathname;
    const address = page.getByText(/^postgres:\/\/app:/);
    expect(await address.count()).toBe(0);
    await button("Show").click();
    const before = await address.textContent();
    await expectInOrder(page, "database-connection");
    await button("Actions").click();
    await page.getByRole("menuitem", { name: "New password" }).click();
    await dialog.getByRole("button", { name: "New password" }).click();
    await expect.poll(() => address.textContent(), { timeout: 30_000 }).not.toBe(before);

    await goTo("/databases", "Databases");
    await make("scratch");
    await button("Actions").click();
    await page.getByRole("menuitem", { name: "Delete" }).click();
    expect(await dialog.getByRole("button", { name: "Delete" }).isDisabled()).toBe(true);
    await dialog.getByRole("textbox").fill("scratch");
    await dialog.getByRole("button", { name: "Delete" }).click();
    await page.getByRole("heading", { name: "Databases", level: 1 }).waitFor();
    await page.getByText("orders", { exact: true }).waitFor();
    await page.getByText("scratch", { exact: true }).waitFor({ state: "detached" });
    expect(problems).toEqual([]);
  });
}
