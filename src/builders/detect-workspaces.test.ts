import { expect, test } from "vitest";
import { buildSteps, startCommand } from "./build-steps.ts";
import { detect, type Files } from "./detect.fixture.ts";

const web = { "apps/web/package.json": { dependencies: { next: "1" }, scripts: { build: "next build" } } };

test.each<readonly [string, Files, string, string | null]>([
  ["npm", { "package.json": { workspaces: ["apps/*"] }, "package-lock.json": {} }, "npm ci", ""],
  [
    "yarn, the older form",
    { "package.json": { workspaces: { packages: ["apps/web"] } }, "yarn.lock": "" },
    "yarn install",
    "",
  ],
  [
    "pnpm",
    {
      "package.json": {},
      "pnpm-workspace.yaml": "packages:\n  # all\n  - 'apps/*' # here\n  - lib\n",
      "pnpm-lock.yaml": "",
    },
    "pnpm install",
    "",
  ],
  [
    "pnpm, in one line",
    { "package.json": {}, "pnpm-workspace.yaml": 'packages: ["apps/**"]\n', "pnpm-lock.yaml": "" },
    "pnpm install",
    "",
  ],
  ["not among the packages", { "package.json": { workspaces: ["libs/*"] } }, "npm install", null],
  [
    "excluded",
    { "package.json": {}, "pnpm-workspace.yaml": "packages:\n- apps/*\n- '!apps/web'\n" },
    "npm install",
    null,
  ],
  [
    "with a lockfile of its own",
    { "package.json": { workspaces: ["apps/*"] }, "apps/web/package-lock.json": {} },
    "npm ci",
    null,
  ],
  ["no workspace", { "package.json": {} }, "npm install", null],
])("%s", async (_, files, command, root) => {
  const plan = await detect({ ...web, ...files }, { rootDirectory: "apps/web" });
  expect(plan.workspaceRoot).toBe(root);
  expect(plan.steps[0]?.command).toMatch(new RegExp(`^${command}`));
  expect(buildSteps(plan).map((step) => step.workdir)).toEqual([
    root === null ? "source/apps/web" : "source",
    "source/apps/web",
  ]);
});

test("programs of the workspace and of the package itself are found", async () => {
  const files = { ...web, "package.json": { workspaces: ["apps/*"], engines: { node: ">=20" } } };
  const plan = await detect(files, { rootDirectory: "./apps/web/" });
  expect(startCommand(plan)).toBe(
    'export PATH="$PWD/node_modules/.bin:$PWD/../../node_modules/.bin:$PATH"; exec next start',
  );
  expect(plan.wantedNode).toEqual({ range: ">=20", file: "engines of package.json" });
  expect(plan.reasons).toContain("installed with the workspace in the repository's root");
  expect(plan.steps[0]).toMatchObject({ keyFiles: null });
});
