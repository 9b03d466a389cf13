/**
 * Many rows in one statement. As one JSON value they are parsed by the database some three times as fast as a list of
 * parameters, and there may be more than the 65,535 values that a statement takes. Not for bytes, which JSON has none of.
 */
import { sql } from "kysely";
import type { Executor } from "./database.ts";

/** `columns` as the table has them, each with its type. Nothing of it comes from a caller. */
export async function insertRows<Column extends string>(
  executor: Executor,
  table: string,
  columns: Readonly<Record<Column, string>>,
  rows: readonly Readonly<Record<Column, unknown>>[],
): Promise<void> {
  if (rows.length === 0) return;
  const names = Object.keys(columns);
  // Raw: what is in the JSON is called as in TypeScript, and the columns by the plugin's names for it.
  const given = sql.raw(names.map((name) => `"${name}"`).join());
  const typed = sql.raw(
    Object.entries<string>(columns)
      .map(([name, type]) => `"${name}" ${type}`)
      .join(),
  );
  await sql`insert into ${sql.table(table)} (${sql.join(names.map((name) => sql.ref(name)))})
    select ${given} from json_to_recordset(${JSON.stringify(rows)}::json) as given (${typed})`.execute(executor);
}
