/**
 * One transaction for what a library writes and what we write beside it, where the library is given a `Database` once and
 * for all instead of a transaction for each call. Whatever runs within `run` and asks `database` takes part in it.
 *
 * The transaction begins with the first statement that is no plain SELECT: what comes before it (a password that is hashed)
 * holds no connection, and who only reads takes none. So a row that is read first and written later is not locked in
 * between, as without a transaction.
 */
import { AsyncLocalStorage } from "node:async_hooks";
import type { PostgresPoolClient } from "kysely";
import type pg from "pg";
import { type Database, databaseOver } from "./database.ts";

export class UnitOfWork {
  /** Outside `run` the pool, as any other. It opens no transactions of its own. */
  readonly database: Database;
  readonly #pool: pg.Pool;
  readonly #current = new AsyncLocalStorage<Unit>();

  constructor(pool: pg.Pool) {
    this.#pool = pool;
    this.database = databaseOver({
      options: pool.options,
      connect: async () => clientOf(this.#current.getStore() ?? pool),
      end: () => pool.end(),
    });
  }

  /** Commits when `work` is done; when it throws, or the database refuses, nothing of it has happened. */
  async run<Result>(work: () => Promise<Result>): Promise<Result> {
    const unit = new Unit(this.#pool);
    try {
      const result = await this.#current.run(unit, work);
      await unit.commit();
      return result;
    } catch (error) {
      await unit.rollback();
      throw error;
    }
  }
}

type Query = (text: string, values: unknown[]) => Promise<pg.QueryResult>;

const plainRead = /^\s*select\b(?!.*\bfor (no key update|update|key share|share)\b)/is;
const control = /^\s*(begin|start transaction|commit|rollback|savepoint)\b/i;

class Unit {
  readonly #pool: pg.Pool;
  /** The connection of the transaction, once that has begun. */
  #begun: Promise<pg.PoolClient> | null = null;

  constructor(pool: pg.Pool) {
    this.#pool = pool;
  }

  readonly query: Query = async (text, values) => {
    if (this.#begun === null && plainRead.test(text)) return this.#pool.query(text, values);
    this.#begun ??= this.#begin();
    return (await this.#begun).query(text, values);
  };

  async commit(): Promise<void> {
    if (this.#begun === null) return;
    const client = await this.#begun;
    const { command } = await client.query("commit");
    // Where a statement failed, and whoever sent it went on, the server rolls back and calls that a success.
    if (command !== "COMMIT") throw new Error("a statement of the unit of work had failed");
    this.#begun = null;
    client.release();
  }

  async rollback(): Promise<void> {
    const client = await this.#begun?.catch(() => null);
    if (client === undefined || client === null) return;
    await client.query("rollback").then(
      () => client.release(),
      () => client.release(true),
    );
  }

  async #begin(): Promise<pg.PoolClient> {
    const client = await this.#pool.connect();
    try {
      await client.query("begin");
      return client;
    } catch (error) {
      client.release(true);
      throw error;
    }
  }
}

/** What Kysely takes for a connection: for one statement, which finds its way by itself. */
function clientOf(target: { readonly query: Query }): PostgresPoolClient {
  const query: Query = async (text, values) => {
    if (control.test(text)) throw new Error("what takes part in a unit of work opens no transaction of its own");
    return target.query(text, values);
  };
  // Kysely's type has a second form, with cursors, which it only uses when it was given a class of them.
  return { query: query as unknown as PostgresPoolClient["query"], release: () => undefined };
}
