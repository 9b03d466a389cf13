import { readdirSync, readFileSync } from "node:fs";

/**
 * The processes of this machine, whatever their namespace, on whose command lines the word stands; those that have ended
 * and wait to be reaped have none. The shells around what a service runs name the service's folder.
 */
export function processesWith(word: string): readonly number[] {
  return readdirSync("/proc").flatMap((name) => {
    try {
      return /^\d+$/.test(name) && readFileSync(`/proc/${name}/cmdline`, "utf8").includes(word) ? [Number(name)] : [];
    } catch {
      return [];
    }
  });
}

/** The processes that one has started, and that have not ended meanwhile. */
export function childrenOf(parent: number): readonly number[] {
  return readdirSync("/proc").flatMap((name) => {
    try {
      const stat = /^\d+$/.test(name) ? readFileSync(`/proc/${name}/stat`, "latin1") : "";
      return Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1]) === parent ? [Number(name)] : [];
    } catch {
      return [];
    }
  });
}

/** Others end when they like: what has ended meanwhile needs no signal. */
export function signalIfAlive(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "ESRCH")) throw error;
  }
}
