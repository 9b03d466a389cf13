/**
 * A query that is built and compiled once and then run with other values: for the few that make up most of the traffic,
 * where putting a query together costs as much as running it.
 */
import type { Compilable, CompiledQuery } from "kysely";
import type { Executor } from "./database.ts";

type Values = Readonly<Record<string, unknown>>;

/** Stands for a value in the compiled query. */
class Placeholder {
  readonly name: string;

  constructor(name: string) {
    this.name = name;
  }
}

/**
 * `build` is called once for each set of values that are there (neither undefined nor null), with placeholders in their
 * stead: it may only hand them on to the query, and look at which of them are there.
 */
export function statement<Given extends object, Row>(
  build: (database: Executor, values: Given) => Compilable<Row>,
): (executor: Executor, values: Given) => Promise<Row[]> {
  const compiled = new Map<string, CompiledQuery<Row>>();
  return async (executor, given) => {
    const values = given as Values; // any object is one
    const present = Object.keys(values).filter((name) => values[name] !== undefined && values[name] !== null);
    const shape = present.join();
    let query = compiled.get(shape);
    if (query === undefined) {
      query = compile(build, executor, present);
      compiled.set(shape, query);
    }
    const parameters = query.parameters.map((value) => (value instanceof Placeholder ? values[value.name] : value));
    const { rows } = await executor.executeQuery<Row>({ ...query, parameters });
    return rows;
  };
}

function compile<Given, Row>(
  build: (database: Executor, values: Given) => Compilable<Row>,
  executor: Executor,
  present: readonly string[],
): CompiledQuery<Row> {
  const placeholders = Object.fromEntries(present.map((name) => [name, new Placeholder(name)]));
  // What it says of its values is true again when the query is run.
  const query = build(executor, placeholders as Given).compile();
  const used = new Set(query.parameters.map((value) => (value instanceof Placeholder ? value.name : null)));
  const lost = present.find((name) => !used.has(name));
  if (lost !== undefined) throw new Error(`the query was given ${lost} and does not use it as it is`);
  return query;
}
