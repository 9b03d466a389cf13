/**
 * Where the dashboard's files come from. An installed package brings them along. A checkout builds them when the program
 * starts and its sources have changed since (Vite needs some seconds, in a process of its own; nothing but a request
 * for a page waits for it): so `npm ci && npm start` needs no third command, and what is served is what is checked out.
 *
 * A build lies in `dashboard/dist/<fingerprint of what it was made of>`, and comes there complete or not at all: two
 * programs that start at the same time don't disturb each other, and a killed build leaves nothing that is served.
 */
import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { type BuiltFiles, readBuiltFiles } from "../modules/dashboard/built-files.ts";
import { programDir } from "./program.ts";

const run = promisify(execFile);
const buildTimeoutMs = 120_000;
const distDir = join(programDir, "dashboard", "dist");
const builder = join(programDir, "dashboard", "build.ts");

/** Throws with what the build said when there are none and none can be made. */
export async function dashboardFiles(): Promise<BuiltFiles> {
  return readBuiltFiles(existsSync(builder) ? await built() : shipped());
}

/** Where `npm run build` puts them. */
function shipped(): string {
  const directory = join(distDir, "package");
  if (!existsSync(directory)) throw new Error("The dashboard's files are missing from this package: install it again.");
  return directory;
}

async function built(): Promise<string> {
  const directory = join(distDir, fingerprint());
  if (!existsSync(directory)) await run(process.execPath, [builder, directory], { timeout: buildTimeoutMs });
  return directory;
}

/** Of the sources, and of the versions of the libraries. */
function fingerprint(): string {
  const sources = [
    "dashboard/{index.html,build.ts,vite.config.ts}",
    "dashboard/src/**/*",
    "sdk/*.ts",
    "package-lock.json",
  ];
  const hash = createHash("sha256");
  for (const entry of globSync(sources, { cwd: programDir, withFileTypes: true })
    .filter((one) => one.isFile())
    .map((one) => join(one.parentPath, one.name))
    .sort())
    hash
      .update(`${entry.slice(programDir.length)}\n`)
      .update(readFileSync(entry))
      .update("\n");
  return hash.digest("hex").slice(0, 12);
}
