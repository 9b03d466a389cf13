/** The server's processes and what they leave behind. */
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import {
  chmodSync,
  chownSync,
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import type { SystemUser } from "./system-user.ts";

export function makeFolder(path: string, owner: SystemUser | null): void {
  mkdirSync(path, { recursive: true, mode: 0o700 });
  chmodSync(path, 0o700);
  if (owner !== null) chownSync(path, owner.uid, owner.gid);
}

export function spawnAs(
  program: string,
  args: readonly string[],
  logFile: string,
  asUser: SystemUser | null,
): ChildProcess {
  mkdirSync(dirname(logFile), { recursive: true, mode: 0o700 });
  const log = openSync(logFile, "a", 0o600);
  const child = spawn(program, args, {
    // Detached: a Ctrl-C in the operator's terminal must reach Ksar alone, which then stops the server in order.
    detached: true,
    stdio: ["ignore", log, log],
    cwd: "/",
    env: { LANG: "C.UTF-8", TZ: "UTC" },
    ...(asUser === null ? {} : { uid: asUser.uid, gid: asUser.gid }),
  });
  closeSync(log);
  return child;
}

/** The process that the cluster's lock file names, if there is such a one: the server, or somebody else's since a reboot. */
export function serverPid(directory: string): number | null {
  try {
    const pid = Number(readFileSync(join(directory, "postmaster.pid"), "utf8").split("\n")[0]);
    if (!(pid > 0)) return null;
    process.kill(pid, 0);
    return pid;
  } catch {
    return null;
  }
}

/** By its command line; true where the system doesn't tell. */
export function isServerOf(pid: number, directory: string): boolean {
  try {
    const command = existsSync("/proc/self/cmdline")
      ? readFileSync(`/proc/${pid}/cmdline`, "utf8")
      : execFileSync("ps", ["-o", "command=", "-p", String(pid)], { encoding: "utf8" });
    return command.includes(directory);
  } catch {
    return true;
  }
}

/**
 * PostgreSQL does not start beside a lock file that names a living process, somebody else's since a reboot, nor beside an
 * empty one, which a power cut leaves. A server takes its parent's number for a leftover, and still looks whether
 * processes of an old server are there: so the file gets this process's.
 */
export function disown(lockFile: string): void {
  if (!existsSync(lockFile)) return;
  const text = readFileSync(lockFile, "utf8");
  if (text.trim() === "") rmSync(lockFile);
  else writeFileSync(lockFile, text.replace(/^\d+/, String(process.pid)));
}
