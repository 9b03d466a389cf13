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

/**
 * The process of a data directory's Ksar whose command line holds the words; 0 when there is none. Of several the newest:
 * one that it has replaced may be draining still. What it is just about to start has its command line until it becomes
 * another program, and is not meant.
 */
export function partOf(dataDir: string, words: string): number {
  const ours = new Set(processesWith(dataDir));
  const found = processesWith(words).filter((one) => ours.has(one));
  return found.findLast((one) => !found.includes(parentOf(one) ?? 0)) ?? 0;
}

/** `kill -9` of that part; the id of the process that it was. */
export function killPart(dataDir: string, words: string): number {
  const pid = partOf(dataDir, words);
  // To 0 it would go to whoever runs the tests.
  if (pid === 0) throw new Error(`no process of ${dataDir} has ${words} on its command line`);
  process.kill(pid, "SIGKILL");
  return pid;
}

/** The processes that one has started, and that have not ended meanwhile. */
export function childrenOf(parent: number): readonly number[] {
  return readdirSync("/proc").flatMap((name) =>
    /^\d+$/.test(name) && parentOf(Number(name)) === parent ? [Number(name)] : [],
  );
}

/** null when it has ended. */
function parentOf(pid: number): number | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
    return Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1]);
  } catch {
    return null;
  }
}

/** Others end when they like: what has ended meanwhile needs no signal. */
export function signalIfAlive(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "ESRCH")) throw error;
  }
}
