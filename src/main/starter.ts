/**
 * What `ksar up` serves on a socket in the data directory while it runs: the proof that it runs, and where. So there is
 * one of it for a data directory, and `ksar down`, `ksar admin` and `ksar doctor` find it.
 */
import type { Server } from "node:http";
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

/** The `ksar up` of this data directory; null when none runs. */
export async function findStarter(socketPath: string): Promise<StarterStatus | null> {
  const client = new ControlClient(socketPath);
  try {
    // Only `serveStarter` below answers here.
    return (await client.call("GET", "/status", undefined, AbortSignal.timeout(2000))) as StarterStatus;
  } catch {
    return null;
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
