/** Builds sources as an engine would: in a folder that becomes a release under another name, with a kept cache. */
import { spawn } from "node:child_process";
import { cp, mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect } from "vitest";
import type { SourceTree } from "../kernel/source-tree.ts";
import { buildSteps, keepStep, startCommand, workingDirectory } from "./build-steps.ts";
import { detectBuildPlan } from "./detect.ts";
import { explainBuildFailure } from "./explain-build-failure.ts";
import type { BuildPlan, BuildSettings } from "./plan.ts";

export const examples = fileURLToPath(new URL("../../examples", import.meta.url));

const defaults: BuildSettings = {
  serviceType: "WEB",
  rootDirectory: null,
  builder: "AUTO",
  buildCommand: null,
  startCommand: null,
  outputDirectory: null,
  singlePage: null,
};

interface Built {
  readonly plan: BuildPlan;
  readonly log: string;
  /** null when every step went well. */
  readonly failure: string | null;
}

type Environment = Readonly<Record<string, string>>;

export class BuildFixture {
  readonly folder: string;
  /** The service's own variables. */
  env: Environment = {};
  #place = "build";

  private constructor(folder: string) {
    this.folder = folder;
  }

  static async create(): Promise<BuildFixture> {
    return new BuildFixture(await mkdtemp(join(tmpdir(), "ksar-build-")));
  }

  remove(): Promise<void> {
    return rm(this.folder, { recursive: true, force: true });
  }

  /** The checked-out source, wherever it is now. */
  path(name: string): string {
    return join(this.folder, this.#place, "source", name);
  }

  async run(command: readonly string[], workdir: string, env: Environment) {
    const [program = "", ...args] = command;
    const child = spawn(program, args, {
      cwd: join(this.folder, this.#place, workdir),
      env: {
        PATH: process.env.PATH,
        HOME: this.folder,
        TMPDIR: this.folder,
        KSAR_CACHE_DIR: join(this.folder, "cache"),
        // Where a company's own authority signs what comes from the registry.
        NODE_EXTRA_CA_CERTS: process.env.NODE_EXTRA_CA_CERTS,
        ...env,
        ...this.env,
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

  /** A new build folder with the same cache. `source` is a folder to copy, or files by path. */
  async build(
    source: string | Readonly<Record<string, string>>,
    settings: Partial<BuildSettings> = {},
  ): Promise<Built> {
    for (const place of ["build", "release"]) await rm(join(this.folder, place), { recursive: true, force: true });
    this.#place = "build";
    await mkdir(this.path(""), { recursive: true });
    await mkdir(join(this.folder, "cache"), { recursive: true });
    if (typeof source === "string") await cp(source, this.path(""), { recursive: true });
    else {
      for (const [path, text] of Object.entries(source)) {
        await mkdir(dirname(this.path(path)), { recursive: true });
        await writeFile(this.path(path), text);
      }
    }
    const plan = await detectBuildPlan(onDisk(this.path("")), { ...defaults, ...settings });
    let log = "";
    for (const step of buildSteps(plan)) {
      const ended = await this.run(step.command, step.workdir, step.env);
      log += ended.log;
      if (ended.exitCode !== 0) {
        const end = { exitCode: ended.exitCode, signal: null, timedOut: false, outOfMemory: false };
        return { plan, log, failure: explainBuildFailure(step.name, end, log.split("\n")) };
      }
    }
    return { plan, log, failure: null };
  }

  /** The build folder gets the release's name. */
  async promote(): Promise<void> {
    await rename(join(this.folder, "build"), join(this.folder, "release"));
    this.#place = "release";
  }

  /** As after the release went live; nothing where the installation has kept it already. */
  async keepInstalled(plan: BuildPlan): Promise<void> {
    const step = keepStep(plan);
    if (step !== null) expect(await this.run(step.command, step.workdir, {})).toEqual({ exitCode: 0, log: "" });
  }

  /** Runs the start command of a program that ends by itself. */
  start(plan: BuildPlan) {
    return this.run(["sh", "-c", startCommand(plan) ?? ""], workingDirectory(plan), plan.startEnv);
  }
}

const onDisk = (root: string): SourceTree => ({
  list: (directory) => readdir(join(root, directory)).catch(() => []),
  read: (path) => readFile(join(root, path), "utf8").catch(() => null),
});
