import { ControlError, type ControlHandler } from "../platform/control-server.ts";
import type { Edge } from "./edge-server.ts";
import type { Spool } from "./metering/spool.ts";

export interface EdgeStatus {
  readonly pid: number;
  readonly version: string;
  /** `built in`, or which HAProxy. */
  readonly software: string;
  /** ISO 8601. */
  readonly startedAt: string;
  readonly port: number;
  /** Of the table in force; 0 when there is none. */
  readonly tableVersion: number;
  readonly connections: number;
}

export interface ControlRoutesOptions {
  readonly edge: Edge;
  readonly spool: Pick<Spool, "oldest" | "acknowledge">;
  readonly version: string;
  readonly software: string;
  readonly startedAt: Date;
  /** Begins to drain; the process ends when that is done. */
  readonly shutdown: (drainMs: number) => void;
}

/** What the edge answers on its control socket; `EdgeControl` is the other side. */
export function controlRoutes(options: ControlRoutesOptions): Readonly<Record<string, ControlHandler>> {
  const { edge, spool } = options;
  return {
    "GET /status": async (): Promise<EdgeStatus> => ({
      pid: process.pid,
      version: options.version,
      software: options.software,
      startedAt: options.startedAt.toISOString(),
      port: edge.port,
      tableVersion: edge.tableVersion,
      // HAProxy may be on its way back: this edge answers all the same.
      connections: await edge.connections().catch(() => 0),
    }),
    "POST /reload": async () => {
      try {
        return { tableVersion: await edge.reload() };
      } catch (error) {
        const reason = error instanceof Error ? error.message : String(error);
        throw new ControlError(422, `The routing table was not taken: ${reason}`);
      }
    },
    "POST /in-flight": async ({ body }) => {
      const { instanceIds } = body as { instanceIds: readonly string[] }; // our own `EdgeControl` wrote it
      return edge.inFlight(instanceIds);
    },
    "GET /metering/batches": async ({ query }) => spool.oldest(Number(query.get("limit"))),
    "POST /metering/acknowledge": async ({ body }) => {
      const { batchIds } = body as { batchIds: readonly string[] }; // likewise
      await spool.acknowledge(batchIds);
    },
    "POST /shutdown": async ({ body }) => {
      const { drainMs } = body as { drainMs: number }; // likewise
      options.shutdown(drainMs);
    },
  };
}
