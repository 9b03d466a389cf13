/** The tables of docs/billing.md, for the tests that hold the code against them. */
import { readFileSync } from "node:fs";
import { join } from "node:path";

const lines = readFileSync(join(import.meta.dirname, "../../../docs/billing.md"), "utf8").split("\n");
/** The rows of the table with that head, by column. */
export function table(...head: readonly string[]): readonly Readonly<Record<string, string>>[] {
  const at = lines.indexOf(`| ${head.join(" | ")} |`);
  if (at < 0) throw new Error(`docs/billing.md has no table ${head.join(", ")}`);
  const rows = lines.slice(at + 2, lines.indexOf("", at));
  return rows.map((line) => {
    const cells = line.slice(2, -2).split(" | ");
    return Object.fromEntries(
      cells.map((cell, n) => [head.indexOf(head[n] ?? "") === n ? (head[n] ?? "") : `to ${head[n]}`, cell]),
    );
  });
}
