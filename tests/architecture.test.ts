/**
 * The dependency rule of docs/architecture.md, over the real import graph:
 * kernel ← platform ← {operation, builders, engines, edge, storage} ← modules ← main, no cycles, and a module reaches another one
 * through types alone. What stands outside `src` and speaks to the program from outside imports nothing of it.
 */
import { globSync, readFileSync } from "node:fs";
import { dirname, join, normalize, relative } from "node:path";
import { expect, test } from "vitest";

const root = join(import.meta.dirname, "..");
const layers: Readonly<Record<string, number>> = {
  kernel: 0,
  platform: 1,
  operation: 2,
  builders: 2,
  engines: 2,
  edge: 2,
  storage: 2,
  modules: 3,
  main: 4,
};

interface Import {
  readonly from: string;
  readonly to: string;
  readonly typeOnly: boolean;
}

function importsOf(file: string): Import[] {
  const text = readFileSync(join(root, file), "utf8");
  const statements = text.matchAll(/^(?:import|export)\s+(type\s+)?(?:[^;"']*?\sfrom\s+)?["'](\.[^"']+)["'];/gm);
  return [...statements].map(([, type, path = ""]) => ({
    from: file,
    to: normalize(join(dirname(file), path)),
    typeOnly: type !== undefined,
  }));
}

const files = globSync("src/**/*.ts", { cwd: root }).filter((file) => !/\.(test|fixture)\.ts$/.test(file));
const imports = files.flatMap(importsOf);

function partOf(file: string): string {
  return file.split("/")[1] ?? "";
}

test("the graph was read: the rules below have something to judge", () => {
  expect(imports.length).toBeGreaterThan(100);
  expect(imports.every((one) => files.includes(one.to) || one.to.endsWith(".json"))).toBe(true);
});

test("imports only lead down", () => {
  const up = imports.filter(({ from, to }) => {
    const [mine, theirs] = [partOf(from), partOf(to)];
    return (layers[mine] ?? -1) < (layers[theirs] ?? 99) || (mine !== theirs && layers[mine] === layers[theirs]);
  });
  expect(up).toEqual([]);
});

test("a module reaches another module through types alone", () => {
  const values = imports.filter(({ from, to, typeOnly }) => {
    const [, mine, ours] = from.split("/");
    const [, theirs, other] = to.split("/");
    return mine === "modules" && theirs === "modules" && ours !== other && !typeOnly;
  });
  expect(values).toEqual([]);
});

test("no file imports itself by way of others", () => {
  const next = Map.groupBy(
    imports.filter((one) => !one.typeOnly),
    (one) => one.from,
  );
  const done = new Set<string>();
  const visit = (file: string, path: readonly string[]): void => {
    if (path.includes(file)) throw new Error(`cycle: ${[...path, file].join(" → ")}`);
    if (done.has(file)) return;
    for (const { to } of next.get(file) ?? []) visit(to, [...path, file]);
    done.add(file);
  };
  for (const file of files) visit(file, []);
});

test("what speaks to the program from outside imports nothing of it", () => {
  const outside = globSync("{acceptance,cli,mcp,dashboard,sdk}/**/*.{ts,tsx}", { cwd: root });
  expect(outside.flatMap(importsOf).filter(({ to }) => relative("src", to).startsWith("..") === false)).toEqual([]);
});

test("process.env is read in main alone", () => {
  const readers = files.filter(
    (file) => !file.startsWith("src/main/") && /\bprocess\.env\b/.test(readFileSync(join(root, file), "utf8")),
  );
  expect(readers).toEqual([]);
});

test("SQL stands in repos alone", () => {
  const elsewhere = files.filter(
    (file) =>
      file.startsWith("src/modules/") &&
      !file.endsWith(".repo.ts") &&
      /\b(selectFrom|insertInto|updateTable|deleteFrom)\(|\bsql`/.test(readFileSync(join(root, file), "utf8")),
  );
  expect(elsewhere).toEqual([]);
});
