import { ControlClient } from "../platform/control-client.ts";
import { ControlError } from "../platform/control-server.ts";
import type { EdgeStatus } from "./control-routes.ts";
import type { TrafficBatch } from "./metering/traffic.ts";
import { type RoutingTable, writeRoutingTable } from "./snapshot.ts";

/** No edge answers on the socket. A table is on disk all the same, and the edge that comes next serves it. */
export class EdgeUnreachableError extends Error {
  override readonly name = "EdgeUnreachableError";
}

/** How long the edge may take to answer; it takes milliseconds. */
const answerTimeoutMs = 10_000;

/** The control plane's hold of the edge. */
export class EdgeControl {
  readonly #tableFile: string;
  readonly #socketPath: string;
  #applying: Promise<void> = Promise.resolve();

  constructor(options: { readonly socketPath: string; readonly tableFile: string }) {
    this.#tableFile = options.tableFile;
    this.#socketPath = options.socketPath;
  }

  /**
   * Writes the table, then has the edge put it in force: once this settles, no new request follows an older one.
   * Calls take effect in their order. Throws `EdgeUnreachableError` when the table is written and nobody took it.
   */
  apply(table: RoutingTable): Promise<void> {
    const turn = this.#applying.then(async () => {
      await writeRoutingTable(this.#tableFile, table);
      await this.#call("POST", "/reload");
    });
    this.#applying = turn.catch(() => {});
    return turn;
  }

  /** How many requests and upgraded connections each instance carries. */
  async inFlight(ids: readonly string[]): Promise<ReadonlyMap<string, number>> {
    const counts = await this.#call("POST", "/in-flight", { instanceIds: ids });
    return new Map(Object.entries(counts as Record<string, number>)); // the edge of this same release wrote it
  }

  /** null when no edge answers. */
  async status(): Promise<EdgeStatus | null> {
    try {
      return (await this.#call("GET", "/status")) as EdgeStatus; // likewise
    } catch (error) {
      if (error instanceof EdgeUnreachableError) return null;
      throw error;
    }
  }

  /** The oldest windows of traffic that were not acknowledged yet. */
  async trafficBatches(limit: number): Promise<readonly TrafficBatch[]> {
    return (await this.#call("GET", `/metering/batches?limit=${limit}`)) as readonly TrafficBatch[]; // likewise
  }

  /** They are counted: the edge need not keep them. */
  async acknowledgeTraffic(batchIds: readonly string[]): Promise<void> {
    await this.#call("POST", "/metering/acknowledge", { batchIds });
  }

  /** Settles once the edge has begun to drain; it exits when it is done, after `drainMs` at the latest. */
  async shutdown(drainMs: number): Promise<void> {
    await this.#call("POST", "/shutdown", { drainMs });
  }

  /** Settles once the calls of `apply` under way have. */
  async close(): Promise<void> {
    await this.#applying;
  }

  async #call(method: "GET" | "POST", path: string, body?: unknown): Promise<unknown> {
    // A connection of its own for each call: a kept one would still lead to the edge that a newer one has replaced.
    const client = new ControlClient(this.#socketPath);
    try {
      return await client.call(method, path, body, AbortSignal.timeout(answerTimeoutMs));
    } catch (error) {
      if (error instanceof ControlError) throw error;
      throw new EdgeUnreachableError(`The edge does not answer: ${error instanceof Error ? error.message : error}`);
    } finally {
      await client.close();
    }
  }
}
