import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

const root = join(import.meta.dirname, "..");

/** `| sentence | title | file |`, below each table's head. */
const rows = readFileSync(join(root, "docs", "contract.md"), "utf8")
  .split("\n")
  .filter((line) => line.startsWith("| ") && !line.startsWith("| the contract says") && !line.startsWith("| ---"))
  .map((line) => line.slice(2, -2).split(" | "));

const titles = new Map<string, readonly string[]>();

function titlesIn(file: string): readonly string[] {
  const known = titles.get(file);
  if (known !== undefined) return known;
  const text = readFileSync(join(root, file), "utf8");
  const found = [...text.matchAll(/(?:\btest|\))\(\s*(["'`])(.*?)\1,/g)].map(([, , title = ""]) => title);
  titles.set(file, found);
  return found;
}

test("every test that docs/contract.md names exists", () => {
  expect(rows.length).toBeGreaterThan(40);
  for (const row of rows) {
    expect(row, row.join(" | ")).toHaveLength(3);
    const [, title = "", file = ""] = row;
    // Quoted, as the title of a test is: a comment that says the same holds nothing.
    expect(titlesIn(file), `${file}: ${title}`).toContain(title);
  }
});
