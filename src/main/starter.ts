/**
 * What `ksar up` serves on a socket in the data directory while it runs: the proof that it runs, and where. So there is
 * one of it for a data directory, and `ksar down`, `ksar admin` and `ksar doctor` find it.
 */
import type { Server } from "node:http";
import { OperatorError } from "../kernel/errors.ts";
import { ControlClient } from "../platform/control-client.ts";
import { serveControlSocket } from "../platform/control-server.ts";
import { version } from "./program.ts";

export interface StarterStatus {
  readonly pid: number;
  readonly version: string;
  readonly dashboardUrl: string;
  readonly apiUrl: string;
  readonly edgeUrl: string;
  /** For S3 clients on this machine. */
  readonly storageUrl: string;
  readonly ready: boolean;
}

/** One runs, and says nothing. A message for the operator. */
export class SilentStarterError extends OperatorError {
  override readonly name = "SilentStarterError";
}

/** Long: whoever took a late answer for none would start a second one, or end the database under the first. */
const patienceMs = 30_000;

/** The `ksar up` of this data directory; null when none runs. */
export async function findStarter(socketPath: string, answerMs = patienceMs): Promise<StarterStatus | null> {
  const client = new ControlClient(socketPath);
  const late = AbortSignal.timeout(answerMs);
  try {
    // Only `serveStarter` below answers here.
    return (await client.call("GET", "/status", undefined, late)) as StarterStatus;
  } catch {
    // Nobody listens, or who did is ending.
    if (!late.aborted) return null;
    throw new SilentStarterError(
      `Ksar runs, but did not answer on ${socketPath} within ${answerMs / 1000} s: the machine is overloaded, or the process of "ksar up" is stopped. Try again, or find that process (pgrep -af ksar) and end it with "kill -9"; the next "ksar up" takes over what it ran.`,
    );
  } finally {
    await client.close();
  }
}

export interface StarterState {
  urls: Pick<StarterStatus, "dashboardUrl" | "apiUrl" | "edgeUrl" | "storageUrl">;
  ready: boolean;
}

export function serveStarter(socketPath: string, state: StarterState, stop: () => void): Promise<Server> {
  return serveControlSocket(socketPath, {
    "GET /status": async () =>
      ({ pid: process.pid, version, ...state.urls, ready: state.ready }) satisfies StarterStatus,
    "POST /stop": async () => stop(),
  });
}
