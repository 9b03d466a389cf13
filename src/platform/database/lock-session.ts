/**
 * Locks that die with their holder. One connection holds PostgreSQL advisory locks for the whole process: after a
 * `kill -9`, a crash or a cut network the server ends the session and everything it held is free again at once, with
 * no lease to wait for. When the connection is lost while the process lives, `lost` aborts: work done under a lock
 * must stop, because somebody else may hold it now.
 */
import pg from "pg";

export class LockSession {
  readonly #client: pg.Client;
  readonly #held = new Set<string>();
  readonly #lost = new AbortController();
  /** One query after the other. */
  #turn: Promise<unknown> = Promise.resolve();

  private constructor(client: pg.Client) {
    this.#client = client;
    const end = (error?: Error) =>
      this.#lost.abort(error ?? new Error("the database session that held the locks has ended"));
    client.on("error", end);
    client.on("end", () => end());
  }

  static async open(connection: pg.ClientConfig): Promise<LockSession> {
    const client = new pg.Client({ ...connection, application_name: "ksar locks", keepAlive: true });
    await client.connect();
    return new LockSession(client);
  }

  /** Aborts when the session is lost, or closed. */
  get lost(): AbortSignal {
    return this.#lost.signal;
  }

  /** Does the work if nobody, here or elsewhere, holds the lock of that name; false when somebody does. */
  async withLock(name: string, work: () => Promise<void>): Promise<boolean> {
    // The server would grant a lock twice to one session: within the process the set decides.
    if (this.#held.has(name)) return false;
    this.#held.add(name);
    try {
      if (!(await this.acquire(name))) return false;
      try {
        await work();
        return true;
      } finally {
        if (!this.#lost.signal.aborted)
          await this.#query("select pg_advisory_unlock(hashtextextended($1, 0)) as done", name);
      }
    } finally {
      this.#held.delete(name);
    }
  }

  /** Takes a lock for as long as the process lives; false when somebody holds it. */
  async acquire(name: string): Promise<boolean> {
    this.#lost.signal.throwIfAborted();
    return this.#query("select pg_try_advisory_lock(hashtextextended($1, 0)) as done", name);
  }

  /** Calls back at each NOTIFY on the channel, for as long as the session lasts: what came before or after is not told. */
  async listen(channel: string, heard: () => void): Promise<void> {
    this.#lost.signal.throwIfAborted();
    this.#client.on("notification", (message) => {
      if (message.channel === channel) heard();
    });
    await this.#inTurn(() => this.#client.query(`listen ${this.#client.escapeIdentifier(channel)}`));
  }

  async #query(text: string, name: string): Promise<boolean> {
    const { rows } = await this.#inTurn(() => this.#client.query<{ done: boolean }>(text, [name]));
    return rows[0]?.done === true;
  }

  #inTurn<Result>(query: () => Promise<Result>): Promise<Result> {
    const turn = this.#turn.then(query);
    this.#turn = turn.catch(() => undefined);
    return turn;
  }

  async close(): Promise<void> {
    await this.#client.end();
  }
}
