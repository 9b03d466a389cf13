/** What breaks one rule of a JSON schema, and what stands just on the right side of each: made from the schema itself. */
export interface JsonSchema {
  readonly type?: string | readonly string[];
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly items?: JsonSchema;
  readonly enum?: readonly unknown[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly maxItems?: number;
  readonly pattern?: string;
  readonly format?: string;
  readonly additionalProperties?: boolean | JsonSchema;
}

export interface Variant {
  readonly what: string;
  readonly value: unknown;
}

function types(schema: JsonSchema): readonly string[] {
  return typeof schema.type === "string" ? [schema.type] : (schema.type ?? []);
}

const samples: readonly (readonly [string, unknown])[] = [
  ["string", "text"],
  ["integer", 7],
  ["number", 7.5],
  ["boolean", true],
  ["array", []],
  ["object", {}],
  ["null", null],
];

/** Values that the schema must refuse. */
export function broken(schema: JsonSchema): readonly Variant[] {
  const own = types(schema);
  const variants: Variant[] = [];
  for (const [type, value] of samples) {
    const fits = own.includes(type) || (type === "integer" && own.includes("number"));
    if (own.length > 0 && !fits) variants.push({ what: `a ${type}`, value });
  }
  if (schema.enum !== undefined) variants.push({ what: "none of the choices", value: "no-such-choice" });
  if (schema.minimum !== undefined) variants.push({ what: "below the minimum", value: schema.minimum - 1 });
  if (schema.maximum !== undefined) variants.push({ what: "above the maximum", value: schema.maximum + 1 });
  if ((schema.minLength ?? 0) > 0) variants.push({ what: "too short", value: "" });
  if (schema.maxLength !== undefined && schema.maxLength < 100_000) {
    variants.push({ what: "too long", value: longText(schema, schema.maxLength + 1) });
  }
  if (schema.maxItems !== undefined) {
    variants.push({ what: "too many", value: Array(schema.maxItems + 1).fill("read") });
  }
  if (schema.format === "uuid") variants.push({ what: "no uuid", value: "not-a-uuid" });
  return variants;
}

/** Values on the bounds, which the schema must let through. */
export function onBounds(schema: JsonSchema): readonly Variant[] {
  const variants: Variant[] = [];
  if (schema.enum !== undefined) {
    for (const value of schema.enum) variants.push({ what: `the choice ${String(value)}`, value });
    return variants;
  }
  if (schema.minimum !== undefined) variants.push({ what: "the minimum", value: schema.minimum });
  if (schema.maximum !== undefined) variants.push({ what: "the maximum", value: schema.maximum });
  if (schema.maxLength !== undefined && schema.pattern === undefined && schema.format === undefined) {
    variants.push({ what: "the longest", value: longText(schema, schema.maxLength) });
  }
  if (types(schema).includes("null")) variants.push({ what: "null", value: null });
  return variants;
}

function longText(schema: JsonSchema, length: number): string {
  return schema.pattern?.startsWith("^/") === true ? `/${"a".repeat(length - 1)}` : "a".repeat(length);
}
