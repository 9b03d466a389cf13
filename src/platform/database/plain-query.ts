/**
 * For what reads a great deal, page after page: the statement as Kysely compiles it, asked of the driver itself. On the way
 * through Kysely (0.29) dead results keep each other alive until the next full collection: a million rows made the process
 * grow by 60 to 110 MB, and so by some 10.
 */
import type { RawBuilder } from "kysely";
import type pg from "pg";
import type { Database } from "./database.ts";

/** Columns come as they are called in the statement. */
export type PlainQuery = <Row>(statement: RawBuilder<Row>) => Promise<readonly Row[]>;

export function createPlainQuery(database: Database, pool: pg.Pool): PlainQuery {
  return async <Row>(statement: RawBuilder<Row>) => {
    const { sql, parameters } = statement.compile(database);
    // What the columns are is the statement's to say, as with Kysely's own raw statements.
    return (await pool.query(sql, [...parameters])).rows as Row[];
  };
}
