import { CamelCasePlugin, Kysely, PostgresDialect, type Transaction } from "kysely";
import pg from "pg";
import type { Tables } from "./tables.ts";

export type Database = Kysely<Tables>;
/** What a repo takes: the pool, or the transaction that its caller opened. */
export type Executor = Database | Transaction<Tables>;

// bigint columns hold counts and versions far below 2^53: as numbers they survive JSON.
pg.types.setTypeParser(pg.types.builtins.INT8, Number);

/** For a connection from the pool: a database that does not answer by then is one that is not there. */
const connectTimeoutMs = 5_000;

export function createPool(connection: pg.PoolConfig, onError: (error: Error) => void): pg.Pool {
  const pool = new pg.Pool({
    max: 20,
    application_name: "ksar",
    connectionTimeoutMillis: connectTimeoutMs,
    ...connection,
  });
  // An idle connection that the server cut: the pool replaces it, and without a listener it would end the process.
  pool.on("error", onError);
  // The same for one that is cut while it is handed out: whoever uses it learns of it from its own query.
  pool.on("connect", (client) => client.on("error", onError));
  return pool;
}

/** Columns are snake_case in SQL and camelCase in TypeScript; what jsonb columns hold is left as it is. */
export function createDatabase(pool: pg.Pool): Database {
  return new Kysely<Tables>({
    dialect: new PostgresDialect({ pool }),
    plugins: [new CamelCasePlugin({ maintainNestedObjectKeys: true })],
  });
}

/** Whether a unique constraint refused a row (SQLSTATE 23505). */
export function isUniqueViolation(error: unknown): boolean {
  return error instanceof pg.DatabaseError && error.code === "23505";
}

/** SQLSTATE: connection exceptions (08), shutting down or starting up (57P0x), no connection left (53300). */
const unavailableStates = /^(08|57P0[123]|53300)/;
const unreachable: ReadonlySet<string> = new Set([
  "ECONNREFUSED",
  "ECONNRESET",
  "ENOENT",
  "EPIPE",
  "ETIMEDOUT",
  "EAI_AGAIN",
]);

/** Whether the database could not be asked, so that the same request may succeed later. */
export function isUnavailable(error: unknown): boolean {
  if (error instanceof pg.DatabaseError) return unavailableStates.test(error.code ?? "");
  if (!(error instanceof Error)) return false;
  if ("syscall" in error && "code" in error) return unreachable.has(String(error.code));
  // Without a code, from pg and pg-pool themselves.
  return /^(Connection terminated|timeout exceeded when trying to connect|Client has encountered a connection error)/.test(
    error.message,
  );
}
