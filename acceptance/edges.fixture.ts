import { execFileSync } from "node:child_process";
import { delimiter, join } from "node:path";

/** Where packages put it is not on everybody's PATH. */
const folders = [...(process.env.PATH ?? "").split(delimiter), "/usr/local/sbin", "/usr/sbin"];

/** What `KSAR_EDGE` can be on this machine. */
export const edges: readonly string[] = ["builtin", ...(folders.some(hasHaproxy) ? ["haproxy"] : [])];

/** 2.6 or newer. */
function hasHaproxy(folder: string): boolean {
  try {
    const told = execFileSync(join(folder, "haproxy"), ["-v"], {
      encoding: "utf8",
      stdio: ["ignore", "pipe", "ignore"],
    });
    const [, major = 0, minor = 0] = /^HA-?Proxy version (\d+)\.(\d+)/i.exec(told) ?? [];
    return Number(major) * 1000 + Number(minor) >= 2006;
  } catch {
    return false;
  }
}
