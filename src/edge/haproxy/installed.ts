/** Which HAProxy this machine has. */
import { execFileSync } from "node:child_process";
import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";

export interface InstalledHaproxy {
  readonly path: string;
  /** Such as `2.6.12-1+deb12u4`. */
  readonly version: string;
}

/** Servers that can be added at run time with health checks, and maps changed with them, are whole from this one on. */
export const oldestUsable = "2.6";

/** Where packages put it; the PATH of an ordinary user often lacks these. */
const usualFolders = ["/usr/local/sbin", "/usr/sbin", "/sbin", "/usr/local/bin"];

/** `searchPath` is that of the environment; null when there is none, or one that does not tell its version. */
export function findHaproxy(searchPath: string): InstalledHaproxy | null {
  for (const folder of [...searchPath.split(delimiter), ...usualFolders]) {
    if (folder === "") continue;
    const path = join(folder, "haproxy");
    try {
      accessSync(path, constants.X_OK);
      const version = versionIn(execFileSync(path, ["-v"], { encoding: "utf8", timeout: 5_000 }));
      if (version !== null) return { path, version };
    } catch {
      // Not there, or not for us to run: the next folder may have one.
    }
  }
  return null;
}

/** From the first line of `haproxy -v`. */
export function versionIn(output: string): string | null {
  return /^HA-?Proxy version (\d+\.\d+\S*)/i.exec(output)?.[1] ?? null;
}

export function isUsable(version: string): boolean {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  const [leastMajor = 0, leastMinor = 0] = oldestUsable.split(".").map(Number);
  return major > leastMajor || (major === leastMajor && minor >= leastMinor);
}
