/** The named parts of the document: a part that is asked for by name is written down once and referred to from then on. */
import { isDeepStrictEqual } from "node:util";
import type { Json } from "../../kernel/json.ts";
import type { JsonObject } from "./json-object.ts";

type Kind = "schemas" | "responses" | "parameters" | "examples" | "headers";

export class Components {
  readonly #parts = new Map<Kind, Map<string, Json>>();

  /** A reference to the part. Two parts of one name must be the same, or clients made from the document would mix them up. */
  refer(kind: Kind, name: string, part: Json): JsonObject {
    const parts = this.#parts.get(kind) ?? new Map<string, Json>();
    this.#parts.set(kind, parts);
    const known = parts.get(name);
    if (known !== undefined && !isDeepStrictEqual(known, part))
      throw new Error(`the API has two different ${kind} named ${name}: give one another title`);
    parts.set(name, part);
    return { $ref: `#/components/${kind}/${name}` };
  }

  /** In the order of their names, so that a new operation changes no more of the file than it must. */
  toJson(): JsonObject {
    return Object.fromEntries(
      [...this.#parts].map(([kind, parts]) => [
        kind,
        Object.fromEntries([...parts].sort(([a], [b]) => (a < b ? -1 : 1))),
      ]),
    );
  }
}

/** A copy of the schema in which every titled one is a reference. */
export function hoist(schema: unknown, components: Components): Json {
  if (Array.isArray(schema)) return schema.map((entry) => hoist(entry, components));
  if (typeof schema !== "object" || schema === null) return schema as Json; // a schema holds nothing but JSON
  const copy: JsonObject = {};
  for (const [keyword, value] of Object.entries(schema)) {
    if (keyword === "title" || value === undefined) continue;
    if (namedSchemas.has(keyword))
      copy[keyword] = Object.fromEntries(Object.entries(value).map(([name, one]) => [name, hoist(one, components)]));
    else copy[keyword] = plainValues.has(keyword) ? (value as Json) : hoist(value, components);
  }
  if (!("title" in schema) || typeof schema.title !== "string") return copy;
  return components.refer("schemas", schema.title, copy);
}

/** Keywords whose value maps names to schemas: a field may itself be called `title`. */
const namedSchemas: ReadonlySet<string> = new Set(["properties", "patternProperties"]);
/** Keywords whose value is data. */
const plainValues: ReadonlySet<string> = new Set(["examples", "default", "const", "enum"]);
