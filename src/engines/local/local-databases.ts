/** Tenants' databases, from the control plane's side: the agent runs them, and their superuser comes through their sockets. */
import { constants } from "node:fs";
import { lstat, open } from "node:fs/promises";
import { join } from "node:path";
import type { DatabaseHost, DatabaseSpec, DatabaseStatus } from "../engine.ts";
import type { Layout } from "./layout.ts";

export type AgentCall = <Answer>(method: "GET" | "POST", path: string, body?: unknown) => Promise<Answer>;

export class LocalDatabases implements DatabaseHost {
  readonly #layout: Layout;
  readonly #call: AgentCall;

  constructor(layout: Layout, call: AgentCall) {
    this.#layout = layout;
    this.#call = call;
  }

  async start(spec: DatabaseSpec): Promise<void> {
    await this.#call("POST", "/databases/start", spec);
  }

  async list(): Promise<readonly DatabaseStatus[]> {
    return this.#call<readonly DatabaseStatus[]>("GET", "/databases");
  }

  async stop(id: string): Promise<void> {
    await this.#call("POST", "/databases/stop", { id });
  }

  async remove(id: string): Promise<void> {
    await this.#call("POST", "/databases/remove", { id });
  }

  /**
   * The folder is the database's own: should its server be broken, a link there must not lead Ksar to another's. Where the
   * system can, the socket is reached by the opened folder, so that the length of its path does not matter either.
   */
  async reach<Result>(
    id: string,
    port: number,
    use: (address: { readonly host: string; readonly port: number }) => Promise<Result>,
  ): Promise<Result> {
    const folder = join(this.#layout.database(id), "socket");
    const handle = await open(folder, constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW);
    try {
      const host = process.platform === "linux" ? `/proc/self/fd/${handle.fd}` : folder;
      const socket = await lstat(join(host, `.s.PGSQL.${port}`));
      if (!socket.isSocket()) throw new Error(`what stands for the socket of database ${id} is none`);
      return await use({ host, port });
    } finally {
      await handle.close();
    }
  }
}
