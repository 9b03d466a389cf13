/** Ends a HAProxy, which need not be a child of this process. */
import { readFileSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";

const pollMs = 10;
const lastPatienceMs = 1_000;

/** In order, then less and less so. `onSoftStop`: it accepts nothing new from then on. */
export async function endProcess(
  pid: number,
  drainMs: number,
  onSoftStop: () => Promise<void> = async () => {},
): Promise<void> {
  const softly = () => signalUntilGone(pid, "SIGUSR1", drainMs, onSoftStop);
  if ((await softly()) || (await signalUntilGone(pid, "SIGTERM", lastPatienceMs))) return;
  await killProcess(pid);
}

/** One that is stopped obeys nothing else. */
export async function killProcess(pid: number): Promise<void> {
  await signalUntilGone(pid, "SIGKILL", lastPatienceMs);
}

async function signalUntilGone(
  pid: number,
  signal: NodeJS.Signals,
  patienceMs: number,
  onSent: () => Promise<void> = async () => {},
): Promise<boolean> {
  const deadline = Date.now() + patienceMs;
  try {
    process.kill(pid, signal);
  } catch {
    return true; // it has ended
  }
  await onSent();
  while (isRunning(pid)) {
    if (Date.now() >= deadline) return false;
    await delay(pollMs);
  }
  return true;
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch {
    return false;
  }
  try {
    // One whose parent has not asked yet how it ended is there and dead; init may take a second over that.
    return !/^\d+ \(.*\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, "latin1"));
  } catch {
    return process.platform !== "linux"; // elsewhere there is no such file
  }
}
