import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

const root = join(import.meta.dirname, "..");

/** `| sentence | title | file |`, below each table's head. */
const rows = readFileSync(join(root, "docs", "contract.md"), "utf8")
  .split("\n")
  .filter((line) => line.startsWith("| ") && !line.startsWith("| the contract says") && !line.startsWith("| ---"))
  .map((line) => line.slice(2, -2).split(" | "));

test("every test that docs/contract.md names exists", () => {
  expect(rows.length).toBeGreaterThan(40);
  for (const row of rows) {
    expect(row, row.join(" | ")).toHaveLength(3);
    const [, title = "", file = ""] = row;
    expect(readFileSync(join(root, file), "utf8"), `${file}: ${title}`).toContain(title);
  }
});
