import { stat } from "node:fs/promises";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { CompressionCache, isCompressible } from "./compression.ts";
import { temporaryFolder, writeFiles } from "./edge.fixture.ts";

test.each([
  ["text/html; charset=utf-8", true],
  ["application/javascript; charset=utf-8", true],
  ["image/svg+xml", true],
  ["application/ld+json", true],
  ["application/wasm", true],
  ["image/png", false],
  ["application/zip", false],
  ["font/woff2", false],
  ["video/mp4", false],
])("%s is worth compressing: %s", (type, expected) => {
  expect(isCompressible(type, 10_000)).toBe(expected);
  expect(isCompressible(type, 1_023)).toBe(false);
});

test("the cache never holds more than it may, and forgets what was not asked for longest", async () => {
  const folder = await temporaryFolder();
  const names = ["a", "b", "c", "d"];
  // Noise hardly shrinks: each is a little above 10 KB once compressed.
  const noise = () => Buffer.from(crypto.getRandomValues(new Uint8Array(10_000)));
  const contents = new Map(names.map((name) => [name, noise()]));
  await writeFiles(folder, Object.fromEntries(contents));
  const file = async (name: string) => {
    const path = join(folder, name);
    return { path, name, stats: await stat(path) };
  };
  const cache = new CompressionCache(25_000);
  const first = cache.get(await file("a"), "gzip");
  expect(cache.get(await file("a"), "gzip")).toBe(first); // made once
  for (const name of ["b", "a", "c"]) {
    const bytes = await cache.get(await file(name), "gzip");
    expect(gunzipSync(bytes)).toEqual(contents.get(name));
  }
  expect(cache.bytes).toBeLessThanOrEqual(25_000);
  expect(cache.get(await file("a"), "gzip")).toBe(first); // "b" went instead
  for (const name of names) await cache.get(await file(name), "br");
  expect(cache.bytes).toBeLessThanOrEqual(25_000);
});

test("a file that can't be read is tried again", async () => {
  const folder = await temporaryFolder();
  await writeFiles(folder, { a: "a" });
  const cache = new CompressionCache();
  const missing = { path: join(folder, "missing"), name: "/missing", stats: await stat(join(folder, "a")) };
  await expect(cache.get(missing, "br")).rejects.toThrow();
  await writeFiles(folder, { missing: "a" });
  expect((await cache.get(missing, "br")).length).toBeGreaterThan(0);
});
