/** From how a task ended to how its run did: status, exit code, and a sentence. */
import { constants } from "node:os";
import type { TaskStatus } from "../../engines/engine.ts";

/** As `timeout` of the coreutils has it. */
const timeoutCode = 124;
/** As shells have it. */
const signalBase = 128;

export interface TaskEnd {
  readonly status: "SUCCESS" | "FAILED";
  readonly exitCode: number | null;
  readonly error: string | null;
}

export function endOf(task: TaskStatus, timeoutSeconds: number): TaskEnd {
  const failed = (exitCode: number | null, error: string): TaskEnd => ({ status: "FAILED", exitCode, error });
  const code = task.exitCode ?? signalCode(task.signal);
  if (task.error !== null) return failed(null, `The command could not be started: ${task.error}`);
  if (task.timedOut)
    return failed(timeoutCode, `It took longer than its ${timeoutSeconds} s, and was killed with all that it started.`);
  if (task.cause !== null) return failed(code, task.cause);
  if (task.outOfMemory && code !== 0)
    return failed(code, "Something of it was killed because it used all the memory that the service has.");
  if (code === null)
    return failed(null, "The machine stopped while it ran. Whatever it had to do may be done in part.");
  if (code === 0) return { status: "SUCCESS", exitCode: 0, error: null };
  return failed(
    code,
    task.signal === null ? `The command ended with code ${code}.` : `It was ended by ${task.signal}.`,
  );
}

export const vanished: TaskEnd = {
  status: "FAILED",
  exitCode: null,
  error: "What ran it is gone, and how it ended was not seen. Whatever it had to do may be done in part.",
};

function signalCode(signal: string | null): number | null {
  const number = Object.entries(constants.signals).find(([name]) => name === signal)?.[1];
  return number === undefined ? null : signalBase + number;
}
