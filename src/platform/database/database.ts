import { CamelCasePlugin, Kysely, PostgresDialect, type PostgresPool, type Transaction } from "kysely";
import pg from "pg";
import { PreparingPool } from "./prepared-statements.ts";
import type { Tables } from "./tables.ts";

export type Database = Kysely<Tables>;
/** What a repo takes: the pool, or the transaction that its caller opened. */
export type Executor = Database | Transaction<Tables>;

// bigint columns hold counts and versions far below 2^53: as numbers they survive JSON.
pg.types.setTypeParser(pg.types.builtins.INT8, Number);

export function createPool(connection: pg.PoolConfig, onError: (error: Error) => void): pg.Pool {
  const pool = new pg.Pool({
    max: 20,
    application_name: "ksar",
    // A server that hangs, or connections that are all taken: whoever asks is told, instead of waiting for ever.
    connectionTimeoutMillis: 10_000,
    ...connection,
  });
  // An idle connection that the server cut: the pool replaces it, and without a listener it would end the process.
  pool.on("error", onError);
  // The same for one that is cut while it is handed out: whoever uses it learns of it from its own query.
  pool.on("connect", (client) => client.on("error", onError));
  return pool;
}

export function createDatabase(pool: pg.Pool): Database {
  return databaseOver(new PreparingPool(pool));
}

/** Columns are snake_case in SQL and camelCase in TypeScript; what jsonb columns hold is left as it is. */
export function databaseOver(pool: PostgresPool): Database {
  return new Kysely<Tables>({
    dialect: new PostgresDialect({ pool }),
    plugins: [new CamelCasePlugin({ maintainNestedObjectKeys: true })],
  });
}

/** Whether a unique constraint refused a row (SQLSTATE 23505). */
export function isUniqueViolation(error: unknown): boolean {
  return error instanceof pg.DatabaseError && error.code === "23505";
}

/** Whether the server itself has said that the statement failed: then, and only then, nothing of it is in force. */
export function wasRefused(error: unknown): boolean {
  // 40003: not known whether it was completed.
  return error instanceof pg.DatabaseError && !awayStates.test(error.code ?? "") && error.code !== "40003";
}

/** SQLSTATE classes of a server that can't serve now: connection exceptions, insufficient resources, shutting down or starting. */
const awayStates = /^(08|53|57P)/;
const awayCodes = /^(ECONNREFUSED|ECONNRESET|ENOENT|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|EAI_AGAIN)$/;
/** pg has no codes for these. */
const awayMessages =
  /^(Connection terminated|timeout expired|timeout exceeded when trying to connect|Client (was closed|has encountered a connection error) and is not queryable)/;

/**
 * Whether a query failed because the database was away: nothing is wrong with what was asked, and it may be asked again.
 * For errors of queries: other parts' socket errors would look alike, and come in errors of their own.
 */
export function isDatabaseAway(error: unknown): boolean {
  if (error instanceof pg.DatabaseError) return awayStates.test(error.code ?? "");
  if (!(error instanceof Error)) return false;
  const { code, syscall } = error as NodeJS.ErrnoException;
  if (syscall !== undefined) return awayCodes.test(code ?? "") && /^(connect|read|write|getaddrinfo)$/.test(syscall);
  return awayMessages.test(error.message);
}
