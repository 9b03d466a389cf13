/** The rows and fields of the contract's tables, and what many of them share. */

export interface ContractRow {
  readonly operation: `${"GET" | "POST" | "PUT" | "PATCH" | "DELETE"} ${string}`;
  /** Left out where the contract declares none. */
  readonly scope?: string;
  readonly access?: "read" | "write" | "admin";
  /** S: sensitive; I: takes an Idempotency-Key. */
  readonly flags?: "S" | "I" | "S, I";
  /** Each parameter's rules, as JSON Schema. */
  readonly query?: Readonly<Record<string, object>>;
  readonly requiredQuery?: readonly string[];
  readonly body?: { readonly required: readonly string[]; readonly fields: Readonly<Record<string, object>> };
  readonly status: number;
  /** The answer's fields and their types, a list's entries in brackets; null: free-form. */
  readonly answer: Fields | null;
  readonly errors?: readonly number[];
}

export interface Fields {
  readonly [name: string]: string | Fields | readonly [string | Fields];
}

/** Section Errors: what every operation may answer with, beside 404 where the path has an id. */
export const usualErrors = [401, 403, 422, 429] as const;

export const ok: Fields = { ok: "boolean" };
export const pagination: Fields = { hasMore: "boolean", nextCursor: "string|null" };
export const text = { type: "string" };
export const uuid = { type: "string", format: "uuid" };
export const boolean = { type: "boolean" };
export const number = { type: "number" };

export function within(maxLength: number, minLength = 1): object {
  return { type: "string", minLength, maxLength };
}

export function nullableText(maxLength: number): object {
  return { type: ["string", "null"], maxLength };
}

export function limit(maximum: number, fallback?: number): object {
  return { type: "integer", minimum: 1, maximum, ...(fallback === undefined ? {} : { default: fallback }) };
}
