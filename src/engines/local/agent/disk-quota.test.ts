import { expect, test } from "vitest";
import { type DiskParts, excessOf } from "./disk-quota.ts";

const megabyte = 2 ** 20;
const little: DiskParts = { folder: 10, home: 10, tmp: 10, cache: 10, unnamed: 10, tooManyFiles: false };

test.each<[string, Partial<DiskParts>, RegExp, readonly string[]]>([
  ["temporary files", { tmp: 200 * megabyte }, /200 MB, most of it in its temporary files/, ["tmp", "cache"]],
  ["nameless files", { unnamed: 150 * megabyte }, /150 MB, most of it in files that it has deleted/, ["tmp", "cache"]],
  ["home", { home: 101 * megabyte }, /101 MB, most of it in HOME/, ["tmp", "cache", "home"]],
  ["home and folder", { home: 60 * megabyte, folder: 60 * megabyte }, /120 MB/, ["tmp", "cache", "home"]],
  [
    "too many files",
    { tooManyFiles: true },
    /more files than a service may have \(1000000\)/,
    ["tmp", "cache", "home"],
  ],
])("too much: %s", (_, parts, words, scratch) => {
  const excess = excessOf({ ...little, ...parts }, 100);
  expect(excess?.words).toMatch(words);
  expect(excess?.scratch).toEqual(scratch);
});

test("what is in the release folder is not promised to go", () => {
  expect(excessOf({ ...little, folder: 200 * megabyte }, 100)?.outcome).toMatch(/until the next deployment/);
});

test("as much as there is, is not too much", () => {
  expect(
    excessOf({ folder: 100 * megabyte, home: 0, tmp: 0, cache: 0, unnamed: 0, tooManyFiles: false }, 100),
  ).toBeNull();
});
