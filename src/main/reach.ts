/**
 * Root's home problem: when Ksar runs as root from a checkout or with a data directory that other users can't traverse
 * (below a home of mode 0700, mostly), neither PostgreSQL's user nor a tenant's could reach anything of it. Then Ksar
 * gives itself a mount namespace in which both are bound to a place that everybody can reach, and starts itself again
 * in there: one set of paths for the whole program, nothing copied, nothing left behind.
 */
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { chmodSync, existsSync, mkdirSync, statSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { OperatorError } from "../kernel/errors.ts";

export class UnreachableError extends OperatorError {
  override readonly name = "UnreachableError";
}

/** Set for the process inside the namespace: the data directory's own path. */
export const knownAsVariable = "KSAR_DATA_DIR_KNOWN_AS";

const bindAndGo = `set -e
mount --bind "$1" "$3"; mount --bind "$2" "$4"; shift 4
exec "$@"`;

/**
 * Returns when everybody can reach both folders; otherwise does not return, but starts the program again where they can.
 * Throws where that does not help: a folder that is itself closed is so wherever it is bound to.
 */
export function ensureReachable(programDir: string, dataDir: string): void {
  if (process.getuid?.() !== 0 || process.env[knownAsVariable] !== undefined) return;
  for (const folder of [programDir, join(programDir, "node_modules")]) {
    if (existsSync(folder) && !isOpen(folder))
      throw new UnreachableError(
        `Ksar runs as root, and other users cannot enter ${folder}: PostgreSQL, whose program is in there, could not run. ` +
          `Open it (chmod -R go+rX ${programDir}), or start Ksar as an ordinary user.`,
      );
  }
  if (isTraversable(programDir) && isTraversable(dataDir)) return;
  const base = join("/run", `ksar-${createHash("sha256").update(dataDir).digest("hex").slice(0, 12)}`);
  const places = { program: join(base, "program"), data: join(base, "data") };
  try {
    execFileSync("unshare", ["--mount", "--propagation", "private", "true"], { stdio: "ignore" });
    for (const path of [base, places.program, places.data]) {
      mkdirSync(path, { recursive: true });
      chmodSync(path, 0o711);
    }
  } catch {
    const hidden = isTraversable(dataDir) ? programDir : dataDir;
    throw new UnreachableError(
      `Ksar runs as root, and other users cannot reach ${hidden}: PostgreSQL and the services could not run. ` +
        "Move the checkout and KSAR_DATA_DIR to a place such as /srv/ksar, or start Ksar as an ordinary user.",
    );
  }
  if (process.execve === undefined) throw new UnreachableError("This needs Node 24: start Ksar with bin/ksar.js.");
  const inside = (path: string) => join(places.program, relative(programDir, path));
  const node = process.execPath.startsWith(programDir) ? inside(process.execPath) : process.execPath;
  const script = process.argv[1] === undefined ? [] : [inside(process.argv[1])];
  const unshare = execFileSync("/bin/sh", ["-c", "command -v unshare"], { encoding: "utf8" }).trim();
  process.execve(
    unshare,
    [
      "unshare",
      "--mount",
      "--propagation",
      "private",
      "/bin/sh",
      "-c",
      bindAndGo,
      "sh",
      programDir,
      dataDir,
      places.program,
      places.data,
      node,
      ...script,
      ...process.argv.slice(2),
    ],
    { ...process.env, KSAR_DATA_DIR: places.data, [knownAsVariable]: dataDir },
  );
}

/** Whether users without any right of their own may pass through every folder down to the path. */
function isTraversable(path: string): boolean {
  for (let at = path; ; at = dirname(at)) {
    if (!isOpen(at)) return false;
    if (at === dirname(at)) return true;
  }
}

function isOpen(folder: string): boolean {
  return (statSync(folder).mode & 0o001) !== 0;
}
