/** Where this program lies, and which one it is. */
import { createHash } from "node:crypto";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { dirname, extname, join } from "node:path";
import { fileURLToPath } from "node:url";

export const programDir = join(dirname(fileURLToPath(import.meta.url)), "..", "..");
export const migrationsDir = join(programDir, "migrations");

/** The entry of one of Ksar's processes or threads; `.ts` in a checkout, `.js` in what `npm run build` made. */
export function entry(name: "agent" | "edge" | "edge-thread"): string {
  return join(dirname(fileURLToPath(import.meta.url)), name + extname(fileURLToPath(import.meta.url)));
}

function readVersion(): string {
  const value: unknown = JSON.parse(readFileSync(join(programDir, "package.json"), "utf8"));
  if (typeof value === "object" && value !== null && "version" in value && typeof value.version === "string")
    return value.version;
  throw new Error("package.json has no version");
}

export const version = readVersion();

/** Tells one state of the program's files from another: after an update agent and edge are replaced by it. */
export const build = `${version}+${fingerprint(join(dirname(fileURLToPath(import.meta.url)), ".."))}`;

function fingerprint(folder: string): string {
  const hash = createHash("sha256");
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const path = join(entry.parentPath, entry.name);
    const { mtimeMs, size } = statSync(path);
    hash.update(`${path.slice(folder.length)} ${mtimeMs} ${size}\n`);
  }
  return hash.digest("hex").slice(0, 12);
}
