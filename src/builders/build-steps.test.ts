import { spawn } from "node:child_process";
import { cp, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { SourceTree } from "../kernel/source-tree.ts";
import { buildSteps, startCommand, workingDirectory } from "./build-steps.ts";
import { detectBuildPlan } from "./detect.ts";
import { explainBuildFailure } from "./explain-build-failure.ts";
import type { BuildPlan } from "./plan.ts";

const examples = fileURLToPath(new URL("../../examples", import.meta.url));
/** The first installation of a package manager, over the network. */
const slow = 180_000;

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "ksar-build-"));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const onDisk = (root: string): SourceTree => ({
  list: (directory) => readdir(join(root, directory)).catch(() => []),
  read: (path) => readFile(join(root, path), "utf8").catch(() => null),
});

async function run(command: readonly string[], workdir: string, env: Readonly<Record<string, string>>) {
  const [program = "", ...args] = command;
  const child = spawn(program, args, {
    cwd: join(folder, "build", workdir),
    env: {
      PATH: process.env.PATH,
      HOME: folder,
      TMPDIR: folder,
      KSAR_CACHE_DIR: join(folder, "cache"),
      // Where a company's own authority signs what comes from the registry.
      NODE_EXTRA_CA_CERTS: process.env.NODE_EXTRA_CA_CERTS,
      ...env,
    },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let log = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.on("data", (chunk) => {
      log += chunk;
    });
  }
  const exitCode = await new Promise<number | null>((resolve) => child.on("close", resolve));
  return { exitCode, log };
}

interface Built {
  readonly plan: BuildPlan;
  readonly log: string;
  /** null when every step went well. */
  readonly failure: string | null;
}

/** A new build folder with the same cache. `source` is a folder to copy, or files by path. */
async function build(source: string | Readonly<Record<string, string>>): Promise<Built> {
  const root = join(folder, "build/source");
  await rm(join(folder, "build"), { recursive: true, force: true });
  await mkdir(root, { recursive: true });
  await mkdir(join(folder, "cache"), { recursive: true });
  if (typeof source === "string") await cp(source, root, { recursive: true });
  else {
    for (const [path, text] of Object.entries(source)) {
      await mkdir(dirname(join(root, path)), { recursive: true });
      await writeFile(join(root, path), text);
    }
  }
  const plan = await detectBuildPlan(onDisk(root), {
    serviceType: "WEB",
    rootDirectory: null,
    builder: "AUTO",
    buildCommand: null,
    startCommand: null,
    outputDirectory: null,
    singlePage: null,
  });
  let log = "";
  for (const step of buildSteps(plan)) {
    const ended = await run(step.command, step.workdir, step.env);
    log += ended.log;
    if (ended.exitCode !== 0) {
      const end = { exitCode: ended.exitCode, signal: null, timedOut: false };
      return { plan, log, failure: explainBuildFailure(step.name, end, log.split("\n")) };
    }
  }
  return { plan, log, failure: null };
}

/** Runs the start command of a program that ends by itself. */
function start(plan: BuildPlan) {
  return run(["sh", "-c", startCommand(plan) ?? ""], workingDirectory(plan), plan.startEnv);
}

const unchanged = "==> Dependencies are unchanged: taken from the cache";

test(
  "npm: installed once, then taken from the cache until the lockfile changes",
  async () => {
    const first = await build(join(examples, "hello-node"));
    expect(first.failure, first.log).toBeNull();
    expect(first.log).toContain("==> Installing: npm ci");
    const again = await build(join(examples, "hello-node"));
    expect(again.failure, again.log).toBeNull();
    expect(again.log).toBe(`${unchanged}\n`);
    const check = ["node", "-e", "import('hono').then((hono) => console.log(typeof hono.Hono))"];
    expect((await run(check, "source", {})).log).toBe("function\n");

    // A release that writes into what it was given does not change what the next one gets.
    const file = "node_modules/hono/package.json";
    await writeFile(join(folder, "build/source", file), "{}");
    const third = await build(join(examples, "hello-node"));
    expect(third.log).toBe(`${unchanged}\n`);
    expect(await readFile(join(folder, "build/source", file), "utf8")).toContain('"hono"');

    const lockfile = await readFile(join(examples, "hello-node/package-lock.json"), "utf8");
    const changed = await build({
      "package.json": await readFile(join(examples, "hello-node/package.json"), "utf8"),
      "package-lock.json": `${lockfile}\n`,
    });
    expect(changed.log).toContain("==> Installing: npm ci");
  },
  slow,
);

test(
  "a cache cut short by a kill is not used",
  async () => {
    await build(join(examples, "hello-node"));
    await rm(join(folder, "cache/installed/key"));
    const { log, failure } = await build(join(examples, "hello-node"));
    expect(failure).toBeNull();
    expect(log).toContain("==> Installing: npm ci");
    expect(await readdir(join(folder, "cache/installed"))).toContain("key");
  },
  slow,
);

const usesDependency = "console.log(require('is-number')(3), process.env.NODE_ENV)";
const integrity = "sha512-41Cifkg6e8TylSpdtTpeLVMqvSBEVzTttHvERD741+pnZ8ANv0004MRL43QKPDlK9cGvNp6NZWZUBlbGXYxxng==";

test.each([
  [
    "pnpm",
    {
      "pnpm-lock.yaml": `lockfileVersion: '9.0'

settings:
  autoInstallPeers: true
  excludeLinksFromLockfile: false

importers:

  .:
    dependencies:
      is-number:
        specifier: 7.0.0
        version: 7.0.0

packages:

  is-number@7.0.0:
    resolution: {integrity: ${integrity}}
    engines: {node: '>=0.12.0'}

snapshots:

  is-number@7.0.0: {}
`,
    },
  ],
  [
    "yarn 1",
    {
      "yarn.lock": `# THIS IS AN AUTOGENERATED FILE. DO NOT EDIT THIS FILE DIRECTLY.
# yarn lockfile v1


is-number@7.0.0:
  version "7.0.0"
  resolved "https://registry.yarnpkg.com/is-number/-/is-number-7.0.0.tgz"
  integrity ${integrity}
`,
    },
  ],
])(
  "%s: brought along, used to build, and not needed the second time",
  async (_, lockfile) => {
    const source = {
      "package.json": JSON.stringify({
        name: "app",
        version: "1.0.0",
        dependencies: { "is-number": "7.0.0" },
        scripts: { build: "node -e \"require('fs').writeFileSync('built', 'yes')\"", start: "node main.js" },
      }),
      "main.js": usesDependency,
      ...lockfile,
    };
    const first = await build(source);
    expect(first.failure, first.log).toBeNull();
    expect(first.log).toMatch(/==> Fetching (pnpm|yarn)@/);
    expect(await readFile(join(folder, "build/source/built"), "utf8")).toBe("yes");
    expect((await start(first.plan)).log).toBe("true production\n");
    const again = await build(source);
    expect(again.failure, again.log).toBeNull();
    expect(again.log).toContain(unchanged);
    expect(again.log).not.toContain("==> Fetching");
    expect((await start(again.plan)).log).toBe("true production\n");
  },
  slow,
);

test(
  "a Vite application is built to files, with its development dependencies",
  async () => {
    const { plan, log, failure } = await build({
      "package.json": JSON.stringify({ devDependencies: { vite: "8.3.8" }, scripts: { build: "vite build" } }),
      "index.html": '<script type="module" src="/main.js"></script>',
      "main.js": "document.body.append('hello');",
    });
    expect(failure, log).toBeNull();
    expect(plan.output).toEqual({ kind: "static", directory: "dist", singlePage: true });
    expect((await stat(join(folder, "build/source/dist/index.html"))).isFile()).toBe(true);
  },
  slow,
);

test(
  "what fails says what to do",
  async () => {
    const stale = await build({
      "package.json": JSON.stringify({ name: "a", version: "1.0.0", main: "a.js", dependencies: { hono: "4.0.0" } }),
      "package-lock.json": JSON.stringify({
        name: "a",
        version: "1.0.0",
        lockfileVersion: 3,
        packages: { "": { name: "a" } },
      }),
    });
    expect(stale.failure, stale.log).toMatch(/^package-lock\.json does not match package\.json/);

    const missing = await build({
      "package.json": JSON.stringify({ main: "a.js", dependencies: { "@ksar-test-none/no-such-package": "1.0.0" } }),
    });
    expect(missing.failure, missing.log).toMatch(
      /^The package @ksar-test-none\/no-such-package is not in the registry/,
    );

    const command = await build({
      "package.json": JSON.stringify({ main: "a.js", scripts: { build: "no-such-tool" } }),
    });
    expect(command.failure, command.log).toMatch(/^The command no-such-tool was not found/);

    const thrown = await build({
      "package.json": JSON.stringify({ main: "a.js", scripts: { build: "node -e \"throw new Error('no config')\"" } }),
    });
    expect(thrown.failure, thrown.log).toMatch(/^The build failed \(exit code 1\): Error: no config\. The build log/);
  },
  slow,
);
