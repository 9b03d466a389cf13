import { readdir, readFile, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { instances, tableOf, temporaryFolder } from "./edge.fixture.ts";
import { BrokenTableError, parseRoutingTable, readRoutingTable, writeRoutingTable } from "./snapshot.ts";

const table = tableOf(3, {
  "a.example.com": instances({ id: "i", host: "127.0.0.1", port: 4001 }),
  "b.example.com": { kind: "static", artifactId: "0190-abc", singlePage: true },
  "c.example.com": { kind: "notice", notice: "STOPPED" },
});

test("what is written is read again, world-readable and without leftovers", async () => {
  const file = join(await temporaryFolder(), "edge", "routes.json");
  const umask = process.umask(0o077);
  try {
    await writeRoutingTable(file, tableOf(1, {}));
    await writeRoutingTable(file, table);
  } finally {
    process.umask(umask);
  }
  expect(await readRoutingTable(file)).toEqual(table);
  expect((await stat(file)).mode & 0o777).toBe(0o644);
  expect(await readdir(dirname(file))).toEqual(["routes.json"]);
});

test("a missing file is no table", async () => {
  expect(await readRoutingTable(join(await temporaryFolder(), "routes.json"))).toBeNull();
});

test("a failed write leaves the old table", async () => {
  const file = join(await temporaryFolder(), "routes.json");
  await writeRoutingTable(file, table);
  await expect(writeRoutingTable(join(file, "below-a-file"), table)).rejects.toThrow();
  expect(JSON.parse(await readFile(file, "utf8"))).toEqual(table);
});

test.each([
  ["not JSON", "{"],
  ["no routes", `{"version":1}`],
  [
    "an unknown notice",
    JSON.stringify({ version: 1, routes: [{ host: "a", serviceId: "s", target: { kind: "notice", notice: "X" } }] }),
  ],
  ["a host in upper case", JSON.stringify(tableOf(1, { "A.example": { kind: "notice", notice: "STOPPED" } }))],
  [
    "an artifact that leads elsewhere",
    JSON.stringify(tableOf(1, { a: { kind: "static", artifactId: "..", singlePage: false } })),
  ],
  ["port 0", JSON.stringify(tableOf(1, { a: instances({ id: "i", host: "h", port: 0 }) }))],
  ["a host twice", JSON.stringify({ version: 1, routes: [...table.routes, ...table.routes] })],
])("refuses %s", (_, text) => {
  expect(() => parseRoutingTable(text)).toThrow(BrokenTableError);
});

test("what is wrong is named by its place", () => {
  const broken = tableOf(1, { a: instances({ id: "i", host: "h", port: 1 }, { id: "j", host: "h", port: 70_000 }) });
  expect(() => parseRoutingTable(JSON.stringify(broken))).toThrow(
    "/routes/0/target/instances/1/port is not an integer",
  );
});

test("anything is either refused or a table with sane hosts and artifacts", () => {
  fc.assert(
    fc.property(
      fc.oneof(
        fc.string(),
        fc.json(),
        fc.jsonValue().map((value) => JSON.stringify({ version: 1, routes: [value] })),
      ),
      (text) => {
        try {
          const parsed = parseRoutingTable(text);
          expect(Number.isInteger(parsed.version)).toBe(true);
        } catch (error) {
          expect(error).toBeInstanceOf(BrokenTableError);
        }
      },
    ),
  );
});
