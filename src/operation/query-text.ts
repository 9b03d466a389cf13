/**
 * What a query's text may not be, before Ajv turns it into the schema's types: it takes `0x10`, ` 5 ` and `1e999` for
 * numbers, and lets the infinite one through every bound.
 */
import type { TObject } from "typebox";
import type { Violation } from "../kernel/errors.ts";
import { reasonNotToStore } from "./storable-text.ts";

/** As it was parsed: a parameter that is given twice is a list. */
export type Query = Readonly<Record<string, string | readonly string[]>>;

/** The parameters that are numbers. */
export function numbersOf(schema: TObject | undefined): ReadonlySet<string> {
  const properties: Readonly<Record<string, { readonly type?: unknown }>> = schema?.properties ?? {};
  return new Set(
    Object.entries(properties).flatMap(([name, { type }]) => (type === "integer" || type === "number" ? [name] : [])),
  );
}

const plainNumber = /^-?\d{1,15}(\.\d{1,15})?$/;

export function violationOfQuery(query: Query, numbers: ReadonlySet<string>): Violation | null {
  const reason = reasonNotToStore(query);
  if (reason !== null) return { in: "query", path: "", message: reason, code: "text" };
  for (const name of numbers) {
    const value = query[name];
    if (typeof value === "string" && !plainNumber.test(value))
      return { in: "query", path: `/${name}`, message: "must be a number such as 20", code: "type" };
  }
  return null;
}
