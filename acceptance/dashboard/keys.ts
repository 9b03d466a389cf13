/** An API key, from its making to its end. */
import { expect, test } from "vitest";
import { expectInOrder } from "../browser.fixture.ts";
import type { Stage } from "./stage.ts";

export function keys(stage: () => Stage): void {
  test("a key is made, shown once, used, and revoked by typing its name", async () => {
    const { button, goTo, ksar, page } = stage();
    await goTo("/keys", "API keys");
    await button("New key").click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Name").fill("CI");
    await dialog.getByLabel("What it may do").selectOption({ label: "Only what is chosen here" });
    await dialog.getByRole("checkbox", { name: "services:read" }).check();
    await expectInOrder(page, "key-new");
    await dialog.getByRole("button", { name: "New key" }).click();
    const key = (await dialog.getByText(/^ksar_\w{40}$/).textContent()) ?? "";
    await dialog.getByRole("button", { name: "I have kept it" }).click();
    const headers = { authorization: `Bearer ${key}` };
    const asked = await fetch(`${ksar.apiUrl}/services`, { headers });
    expect(asked.status).toBe(200);
    expect((await fetch(`${ksar.apiUrl}/projects`, { headers })).status).toBe(403);
    const row = page.getByRole("listitem").filter({ hasText: "services:read" });
    await row.getByRole("button", { name: "Revoke" }).click();
    const confirm = dialog.getByRole("button", { name: "Revoke" });
    expect(await confirm.isDisabled()).toBe(true);
    await dialog.getByRole("textbox").fill(key.slice(0, 13));
    await confirm.click();
    await row.getByText("Revoked").waitFor();
    await expect.poll(async () => (await fetch(`${ksar.apiUrl}/services`, { headers })).status).toBe(401);
  });
}
