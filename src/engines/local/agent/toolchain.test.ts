import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { BuildFixture } from "../../../builders/build.fixture.ts";
import { compileNpm, ensureToolchain } from "./toolchain.ts";

const folder = mkdtempSync(join(tmpdir(), "ksar-toolchain-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test("an installation finds npm compiled, and leaves nothing of its own there", async () => {
  expect(await ensureToolchain(folder, null)).toEqual({ hasNpm: true });
  await compileNpm(folder);
  const [cache = "", ...others] = readdirSync(join(folder, "node", "compile-cache"));
  expect(others).toEqual([]);
  const code = () => readdirSync(join(folder, "node", "compile-cache", cache));
  const before = code();
  expect(before.length).toBeGreaterThan(100);
  expect(readdirSync(folder).sort()).toEqual(["node", `node-${process.versions.node}`]);

  const build = await BuildFixture.create();
  try {
    build.env = { PATH: `${join(folder, "node", "bin")}:${process.env.PATH}`, NODE_DEBUG_NATIVE: "COMPILE_CACHE" };
    const own = { name: "own", version: "1.0.0", dependencies: { near: "file:near" } };
    const near = { name: "near", version: "1.0.0" };
    const packages = { "": own, near, "node_modules/near": { resolved: "near", link: true } };
    const { log, failure } = await build.build({
      "package.json": JSON.stringify({ ...own, scripts: { start: "true" } }),
      "package-lock.json": JSON.stringify({ ...own, lockfileVersion: 3, packages }),
      "near/package.json": JSON.stringify(near),
    });
    expect(failure, log).toBeNull();
    expect(log).toMatch(/code cache for \S+ \S+arborist\S+ was accepted/);
    expect(log).not.toContain("was rejected");
    expect(readdirSync(join(build.folder, "node-compile-cache"))).toEqual([`${cache}-${process.getuid?.()}`]);
    expect(code()).toEqual(before);
  } finally {
    await build.remove();
  }
});
