import { expect, test } from "vitest";
import { detect, type Files } from "../detect.fixture.ts";

const managers: readonly (readonly [name: string, files: Files, expected: string])[] = [
  ["npm", { "package-lock.json": {} }, "npm ci --include=dev --no-audit --no-fund --prefer-offline"],
  ["npm, no lockfile", {}, "npm install --include=dev --no-audit --no-fund --prefer-offline"],
  [
    "pnpm 9 and later",
    { "pnpm-lock.yaml": "lockfileVersion: '9.0'\n" },
    "pnpm@10.34.9 pnpm install --frozen-lockfile --prod=false --prefer-offline",
  ],
  [
    "pnpm 8",
    { "pnpm-lock.yaml": "lockfileVersion: '6.0'\n" },
    "pnpm@8.15.9 pnpm install --frozen-lockfile --prod=false --prefer-offline",
  ],
  [
    "yarn 1",
    { "yarn.lock": "# yarn lockfile v1\n" },
    "yarn@1.22.22 yarn install --frozen-lockfile --production=false --non-interactive --prefer-offline",
  ],
  ["yarn berry", { "yarn.lock": "__metadata:\n  version: 8\n" }, "yarn-berry@4.12.0 yarn install --immutable"],
  [
    "several lockfiles",
    { "package-lock.json": {}, "yarn.lock": "", "pnpm-lock.yaml": "" },
    "pnpm@10.34.9 pnpm install --frozen-lockfile --prod=false --prefer-offline",
  ],
];

test.each(managers)("package manager: %s", async (_, files, expected) => {
  const plan = await detect({ "package.json": { dependencies: { a: "1" }, main: "a.js" }, ...files });
  const tool = plan.packageManager?.version ? `${plan.packageManager.name}@${plan.packageManager.version} ` : "";
  expect(tool + plan.steps[0]?.command).toBe(expected);
});

test("the packageManager field decides among lockfiles, and the version", async () => {
  const plan = await detect({
    "package.json": { dependencies: { a: "1" }, main: "a.js", packageManager: "yarn@4.1.0+sha224.abc" },
    "package-lock.json": {},
    "yarn.lock": "",
  });
  expect(plan.packageManager).toEqual({ name: "yarn-berry", version: "4.1.0", lockfile: "yarn.lock" });
  expect(plan.reasons).toContain("yarn.lock → yarn (package-lock.json ignored)");
});

test.each([
  ["no lockfile", { dependencies: { a: "1" } }, {}, "without a lockfile"],
  ["workspaces", { workspaces: ["a"] }, { "package-lock.json": {} }, "in a project of workspaces"],
  [
    "an install script",
    { dependencies: { a: "1" }, scripts: { postinstall: "x" } },
    { "package-lock.json": {} },
    "because of the postinstall script",
  ],
  [
    "a local package",
    { dependencies: { a: "file:./a" } },
    { "package-lock.json": {} },
    "because a comes from a folder",
  ],
] as const)("node_modules is not kept: %s", async (_, pack, files, why) => {
  const plan = await detect({ "package.json": { main: "a.js", ...pack }, ...files });
  expect(plan.steps).toMatchObject([{ name: "install", keyFiles: null }]);
  expect(plan.reasons).toContain(`node_modules is not kept between builds ${why}`);
});
