/** The few schema forms that recur across the API; everything else is TypeBox itself. */
import { type Static, type TProperties, type TSchema, Type } from "typebox";
import { uuidPattern } from "../kernel/ids.ts";
import type { Json } from "../kernel/json.ts";

/** An object of exactly these fields. With a title it becomes a named schema of the OpenAPI document. */
export function Closed<Properties extends TProperties>(
  properties: Properties,
  options: { title?: string; description?: string; minProperties?: number; examples?: readonly Json[] } = {},
) {
  return Type.Object(properties, { additionalProperties: false, ...options });
}

/** Always present, may be null. One `type` array instead of `anyOf`: shorter to read and faster to serialize. */
export function Nullable<Schema extends TSchema & { type: string }>(schema: Schema) {
  const { type, ...rest } = schema;
  const withEnum = "enum" in rest && Array.isArray(rest.enum) ? { enum: [...rest.enum, null] } : {};
  return Type.Unsafe<Static<Schema> | null>({ ...rest, type: [type, "null"], ...withEnum });
}

export function Choice<const Value extends string>(values: readonly Value[], description?: string) {
  // `Type.Enum` leaves out the type, which Ajv's strict mode and many code generators want.
  return Type.Unsafe<Value>({
    type: "string",
    enum: [...values],
    ...(description === undefined ? {} : { description }),
  }) as ChoiceSchema<Value>;
}
// The intersection only tells the compiler what the value above plainly holds.
type ChoiceSchema<Value extends string> = ReturnType<typeof Type.Unsafe<Value>> & { type: "string"; enum: Value[] };

export const Uuid = Type.String({ format: "uuid", pattern: uuidPattern });
export const DateTime = Type.String({ format: "date-time" });
export const Ok = Closed({ ok: Type.Boolean({ const: true }) }, { title: "Ok" });

export function limit(maximum: number, fallback: number) {
  return Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum,
      default: fallback,
      description: `How many at most, 1 to ${maximum}; ${fallback} when left out.`,
    }),
  );
}

export const cursor = Type.Optional(
  Type.String({
    minLength: 1,
    maxLength: 200,
    description: "`nextCursor` of the page before; the first page when left out.",
  }),
);

/** Paging style A. */
export function PageOf<Item extends TSchema>(item: Item) {
  return Closed({
    data: Type.Array(item),
    pagination: Closed(
      {
        hasMore: Type.Boolean({ description: "Whether there is a next page.", examples: [true] }),
        nextCursor: Nullable(Type.String({ description: "`cursor` of the next page; null on the last one." })),
      },
      { title: "Pagination" },
    ),
  });
}
