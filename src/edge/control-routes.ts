import { ControlError, type ControlHandler } from "../platform/control-server.ts";
import type { EdgeServer } from "./edge-server.ts";

export interface EdgeStatus {
  readonly pid: number;
  readonly version: string;
  /** ISO 8601. */
  readonly startedAt: string;
  readonly port: number;
  /** Of the table in force; 0 when there is none. */
  readonly tableVersion: number;
  readonly connections: number;
}

export interface ControlRoutesOptions {
  readonly server: EdgeServer;
  readonly version: string;
  readonly startedAt: Date;
  /** Begins to drain; the process ends when that is done. */
  readonly shutdown: (drainMs: number) => void;
}

/** What the edge answers on its control socket; `EdgeControl` is the other side. */
export function controlRoutes(options: ControlRoutesOptions): Readonly<Record<string, ControlHandler>> {
  const { server } = options;
  return {
    "GET /status": async (): Promise<EdgeStatus> => ({
      pid: process.pid,
      version: options.version,
      startedAt: options.startedAt.toISOString(),
      port: server.port,
      tableVersion: server.tableVersion,
      connections: await server.connections(),
    }),
    "POST /reload": async () => {
      try {
        return { tableVersion: await server.reload() };
      } catch (error) {
        const reason = error instanceof Error ? error.message : String(error);
        throw new ControlError(422, `The routing table was not taken: ${reason}`);
      }
    },
    "POST /in-flight": async ({ body }) => {
      const { instanceIds } = body as { instanceIds: readonly string[] }; // our own `EdgeControl` wrote it
      return server.inFlight(instanceIds);
    },
    "POST /shutdown": async ({ body }) => {
      const { drainMs } = body as { drainMs: number }; // likewise
      options.shutdown(drainMs);
    },
  };
}
