/** The document, held against the contract's tables: more than they say is allowed, less or other is not. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { scopedResources, sensitiveResources } from "../kernel/scopes.ts";
import { renderOpenApi } from "../main/openapi-file.ts";
import { contract, contractResources, contractStatuses } from "./contract/contract.fixture.ts";
import { type ContractRow, type Fields, usualErrors } from "./contract/row.fixture.ts";
import { statusOfError } from "./error-response.ts";

interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly format?: string;
  readonly enum?: readonly (string | null)[];
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
}

interface Parameter {
  readonly $ref?: string;
  readonly name: string;
  readonly in: string;
  readonly required: boolean;
  readonly schema: Schema;
}

interface OperationObject {
  readonly parameters: readonly Parameter[];
  readonly requestBody?: { readonly required: boolean; readonly content: Content };
  readonly responses: Readonly<Record<string, { readonly content: Content }>>;
  readonly [extension: `x-${string}`]: unknown;
}

type Content = Readonly<Record<string, { readonly schema: Schema }>>;

interface Document {
  readonly openapi: string;
  readonly info: { readonly version: string };
  readonly security: unknown;
  readonly servers: readonly { readonly url: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, OperationObject>>>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, Schema>>;
    readonly securitySchemes: Readonly<Record<string, object>>;
    readonly responses: Readonly<Record<string, { readonly content: Content }>>;
    readonly parameters: Readonly<Record<string, Parameter>>;
  };
}

const document: Document = JSON.parse(renderOpenApi());

function named<Part extends { readonly $ref?: string }>(part: Part, parts: Readonly<Record<string, Part>>): Part {
  const name = part.$ref?.split("/").at(-1);
  const found = name === undefined ? part : parts[name];
  if (found === undefined) throw new Error(`nothing is named ${name}`);
  return found;
}

function plain(schema: Schema): Schema {
  return named(schema, document.components.schemas);
}

function find(row: ContractRow): OperationObject {
  const [method = "", path = ""] = row.operation.split(" ");
  const operation = document.paths[path]?.[method.toLowerCase()];
  if (operation === undefined) throw new Error(`${row.operation} is missing`);
  return operation;
}

function jsonOf(content: Content | undefined): Schema {
  return plain(content?.["application/json"]?.schema ?? {});
}

/** In the contract's own words: `uuid`, `date-time|null`, an enum's values; `?` after what may be left out. */
function wordsFor(schema: Schema): string {
  const types = [schema.type ?? "any"].flat();
  const values = schema.enum?.filter((value) => value !== null);
  const kind = values?.join("|") ?? schema.format ?? types[0] ?? "any";
  return types.includes("null") ? `${kind}|null` : kind;
}

/** The part of the schema that the contract speaks of, in its notation. */
function fieldsOf(given: Schema, asked: Fields): Fields {
  const schema = plain(given);
  const entries = Object.entries(asked).map(([name, field]): [string, Fields[string]] => {
    const property = schema.properties?.[name];
    if (property === undefined) return [name, "missing"];
    const optional = schema.required?.includes(name) === true ? "" : "?";
    if (Array.isArray(field)) {
      const item = plain(property).items ?? {};
      const [entry] = field as readonly [string | Fields];
      return [name, [typeof entry === "string" ? wordsFor(plain(item)) : fieldsOf(item, entry)]];
    }
    if (typeof field === "object") return [name, fieldsOf(property, field as Fields)];
    const words = wordsFor(plain(property)) + optional;
    // The contract's `string` leaves open what stands in it: an id, one of a few words.
    const isText = field.startsWith("string") && [plain(property).type].flat()[0] === "string";
    return [name, isText && words.endsWith("|null") === field.endsWith("|null") ? field : words];
  });
  return Object.fromEntries(entries);
}

test("the document is OpenAPI 3.1.0 of the interface 1.0.0, under both prefixes, with the bearer scheme for all of it", () => {
  expect([document.openapi, document.info.version]).toEqual(["3.1.0", "1.0.0"]);
  expect(document.servers.map(({ url }) => url)).toEqual(["/api/v1", "/v1"]);
  expect(document.security).toEqual([{ bearer: [] }]);
  expect(document.components.securitySchemes.bearer).toMatchObject({ type: "http", scheme: "bearer" });
  for (const operation of Object.values(document.paths).flatMap((item) => Object.values(item)))
    expect(operation).not.toHaveProperty("security");
});

test.each(contract)("$operation: scope, access and flags", (row) => {
  const operation = find(row);
  if (row.scope !== undefined) expect(operation["x-scope"]).toBe(row.scope);
  if (row.access !== undefined) expect(operation["x-access"]).toBe(row.access);
  if (row.scope !== undefined) expect(operation["x-sensitive"]).toBe(row.flags?.startsWith("S") === true);
  const keys = operation.parameters
    .map((parameter) => named(parameter, document.components.parameters))
    .filter(({ name }) => name === "Idempotency-Key");
  expect(keys).toHaveLength(operation["x-idempotent"] === true ? 1 : 0);
  for (const key of keys)
    expect(key).toMatchObject({ in: "header", required: false, schema: { type: "string", maxLength: 255 } });
  if (row.flags?.endsWith("I") === true) expect(operation["x-idempotent"]).toBe(true);
  // The answer holds a secret, which is never stored to be sent again.
  if (row.operation === "POST /api-keys") expect(operation["x-idempotent"]).toBe(false);
});

test.each(contract)("$operation: parameters, with their bounds and defaults", (row) => {
  const { parameters } = find(row);
  for (const [name, rules] of Object.entries(row.query ?? {})) {
    const parameter = parameters.find((one) => one.in === "query" && one.name === name);
    expect(parameter, name).toMatchObject({ required: row.requiredQuery?.includes(name) === true, schema: rules });
  }
  const ids = parameters.filter((one) => one.in === "path" && one.name === "id");
  expect(ids).toHaveLength(row.operation.includes("{id}") ? 1 : 0);
  for (const id of ids) expect(id).toMatchObject({ required: true, schema: { type: "string", format: "uuid" } });
});

test.each(contract.filter(({ body }) => body !== undefined))("$operation: the body, with its rules", (row) => {
  const { requestBody } = find(row);
  const schema = jsonOf(requestBody?.content);
  // Where every field may be left out, so may the body.
  expect(requestBody?.required).toBe(row.body?.required.length !== 0);
  expect([...(schema.required ?? [])].sort()).toEqual([...(row.body?.required ?? [])].sort());
  expect(schema.properties).toMatchObject(row.body?.fields ?? {});
});

test.each(contract)("$operation: the answer and the errors", (row) => {
  const { responses } = find(row);
  const schema = jsonOf(responses[row.status]?.content);
  if (row.answer === null) expect(schema).toMatchObject({ type: "object", additionalProperties: true });
  else expect(fieldsOf(schema, row.answer)).toEqual(row.answer);
  const statuses = Object.keys(responses).map(Number);
  expect(statuses.filter((status) => status < 400)).toEqual([row.status]);
  expect(statuses).toEqual(expect.arrayContaining([...(row.errors ?? usualErrors)]));
  expect(statuses.includes(404)).toBe(row.operation.includes("{"));
});

test.each(Object.entries(contractResources))("the resource %s has the contract's fields", (name, fields) => {
  expect(fieldsOf(document.components.schemas[name] ?? {}, fields)).toEqual(fields);
});

test("the user guide lists every error code with its status", () => {
  const guide = readFileSync(join(import.meta.dirname, "../../docs/user-guide.md"), "utf8");
  const rows = [...guide.matchAll(/^\| (\d{3}) \| `(\w+)` \|/gm)].map(([, status, code]) => [code, Number(status)]);
  expect(Object.fromEntries(rows)).toEqual(statusOfError);
});

test("every list that takes a cursor takes a limit, and what the contract has as sensitive is", () => {
  for (const [path, item] of Object.entries(document.paths)) {
    for (const [method, operation] of Object.entries(item)) {
      const names = operation.parameters.map(({ name }) => name);
      if (names.includes("cursor")) expect(names, `${method} ${path}`).toContain("limit");
      if (/^\/(billing|api-keys|channels)/.test(path)) expect([path, operation["x-sensitive"]]).toEqual([path, true]);
    }
  }
});

test("there are the granular scopes that were decided on, and what coarse ones do not reach", () => {
  const resources =
    "account activity alerts api-keys audit billing buckets channels cron databases deployments domains env logs members metrics projects services webhooks";
  expect(scopedResources).toEqual(resources.split(" "));
  expect([...sensitiveResources].sort()).toEqual(["api-keys", "billing", "channels", "env", "members"]);
});

test("the codes have the contract's statuses, and a conflict is among the reusable responses", () => {
  expect(statusOfError).toMatchObject(contractStatuses);
  expect(document.components.responses.Conflict?.content["application/json"]?.schema).toEqual({
    $ref: "#/components/schemas/Error",
  });
});
