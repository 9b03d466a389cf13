/**
 * Statements that come again and again are prepared: the server parses and plans them once per connection instead of each
 * time, which is more than half of what a short query costs. Kysely knows no names of statements; it is given clients
 * that name those that have come often enough. Statements that a program makes up as it goes (lists of values of every
 * length) don't come often, so they neither fill the server's memory nor displace others.
 */
import type { PostgresPool, PostgresPoolClient } from "kysely";
import pg from "pg";

const oftenEnough = 10;
/** Each takes some 20 kB of the server's memory, on every connection that has used it. */
const mostPrepared = 100;
const mostCounted = 5_000;

export class PreparingPool implements PostgresPool {
  readonly options: object;
  readonly #pool: pg.Pool;
  /** How often a text came, or the name that it is prepared under; null when it must not be. */
  readonly #seen = new Map<string, number | string | null>();
  readonly #clients = new WeakMap<pg.PoolClient, PostgresPoolClient>();
  #prepared = 0;

  constructor(pool: pg.Pool) {
    this.#pool = pool;
    this.options = pool.options;
  }

  async connect(): Promise<PostgresPoolClient> {
    const client = await this.#pool.connect();
    const known = this.#clients.get(client);
    if (known !== undefined) return known;
    const preparing = this.#preparing(client);
    this.#clients.set(client, preparing);
    return preparing;
  }

  end(): Promise<void> {
    return this.#pool.end();
  }

  #preparing(client: pg.PoolClient): PostgresPoolClient {
    const query = (text: string, values: unknown[]) => {
      // Without values it is `begin` and its kin, which need no preparing.
      const name = values.length === 0 ? null : this.#nameOf(text);
      if (name === null) return client.query(text, values);
      return client.query({ name, text, values }).catch((error: unknown) => {
        // By a newer Ksar that migrates beside this one. This once it fails; from now on it works.
        if (isOutdated(error)) this.#seen.set(text, null);
        throw error;
      });
    };
    return {
      // Kysely's type has a second form, with cursors, which it only uses when it was given a class of them.
      query: query as unknown as PostgresPoolClient["query"],
      release: (destroy) => client.release(destroy),
    };
  }

  #nameOf(text: string): string | null {
    const seen = this.#seen.get(text) ?? 0;
    if (typeof seen !== "number") return seen;
    if (seen < oftenEnough || this.#prepared >= mostPrepared) {
      if (this.#seen.size < mostCounted) this.#seen.set(text, seen + 1);
      return null;
    }
    this.#prepared += 1;
    const name = `ksar_${this.#prepared}`;
    this.#seen.set(text, name);
    return name;
  }
}

/** "cached plan must not change result type": its table was altered since it was prepared. */
function isOutdated(error: unknown): boolean {
  return error instanceof pg.DatabaseError && error.code === "0A000" && /cached plan/.test(error.message);
}
