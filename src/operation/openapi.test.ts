/** The document as a whole: valid, linted, and every example in it true to its schema. */
import { createConfig, lintFromString } from "@redocly/openapi-core";
import { Validator } from "@seriousme/openapi-schema-validator";
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import formats from "ajv-formats";
import { expect, test } from "vitest";
import { renderOpenApi } from "../main/openapi-file.ts";
import { type ErrorBody, statusOfError } from "./error-response.ts";

interface MediaType {
  readonly schema: object;
  readonly example?: unknown;
  readonly examples?: Record<string, Reference>;
}

interface Reference {
  readonly $ref: string;
}

interface Response {
  readonly description: string;
  readonly headers: Record<string, Reference>;
  readonly content: Record<string, MediaType>;
}

interface Parameter {
  readonly name: string;
  readonly schema: object;
  readonly example?: unknown;
  readonly examples?: Record<string, { readonly value: unknown }>;
}

interface OperationObject {
  readonly operationId: string;
  readonly parameters: readonly (Parameter | Reference)[];
  readonly requestBody?: { readonly content: Record<string, MediaType> };
  readonly responses: Record<string, Response | Reference>;
}

interface ErrorExample {
  readonly value: ErrorBody;
}

interface Document {
  readonly paths: Record<string, Record<string, OperationObject>>;
  readonly components: { readonly schemas: Record<string, object> };
}

const text = renderOpenApi();
const document: Document = JSON.parse(text);
const operations = Object.values(document.paths).flatMap((item) => Object.values(item));
const responses = operations.flatMap((operation) =>
  Object.entries(operation.responses).map(([status, response]) => ({
    status: Number(status),
    response: resolve<Response>(response),
    place: `${operation.operationId} ${status}`,
  })),
);

/** What a reference points at; the document refers to itself alone. */
function resolve<Part>(part: Part | Reference): Part {
  if (typeof part !== "object" || part === null || !("$ref" in part)) return part as Part;
  const names = part.$ref.slice(2).split("/");
  return names.reduce<unknown>((here, name) => (here as Record<string, unknown>)[name], document) as Part;
}

async function lint(source: string): Promise<string[]> {
  const config = await createConfig({
    extends: ["recommended-strict"],
    // Beyond that set: what a reader misses most.
    rules: {
      "parameter-description": "error",
      "operation-singular-tag": "error",
      "component-name-unique": "error",
      "spec-example-values": "error",
      "array-parameter-serialization": "error",
    },
  });
  const problems = await lintFromString({ source, absoluteRef: "/openapi.json", config });
  return problems.map(({ ruleId, message, location }) => `${ruleId}: ${message} (${location[0]?.pointer})`);
}

/** An id is a uuid, never the word `credentials`: nobody can mean the one and reach the other. */
const accepted =
  "no-ambiguous-paths: Paths should resolve unambiguously. Found two ambiguous paths: `/buckets/{id}/credentials`";

test("a strict linter finds no error and nothing to warn of", async () => {
  expect((await lint(text)).filter((problem) => !problem.startsWith(accepted))).toEqual([]);
});

test.each([
  ["no summary", (all: typeof operations) => Object.assign(all[0] ?? {}, { summary: undefined }), "operation-summary"],
  ["one id twice", (all: typeof operations) => Object.assign(all[0] ?? {}, all[1]), "operation-operationId-unique"],
  ["a wrong field", (all: typeof operations) => Object.assign(all[0] ?? {}, { nonsense: 1 }), "struct"],
])("the linter does look: %s", async (_what, spoil, rule) => {
  const spoiled: Document = JSON.parse(text);
  spoil(Object.values(spoiled.paths).flatMap((item) => Object.values(item)));
  expect((await lint(JSON.stringify(spoiled))).join("\n")).toContain(rule);
});

test("it is valid by the JSON Schema of OpenAPI 3.1", async () => {
  expect(await new Validator().validate(JSON.parse(text))).toEqual({ valid: true });
  const spoiled = await new Validator().validate({ ...JSON.parse(text), paths: { "no-slash": {} } });
  expect(spoiled.valid).toBe(false);
});

// The package is CommonJS: its default export arrives wrapped.
const ajv = formats.default(new Ajv2020({ strict: true, allowUnionTypes: true, allErrors: true }));
ajv.addKeyword("components");
ajv.addSchema({ $id: "api", components: document.components });

/** The schema as a function; its references lead into the document. */
function compile(schema: object): ValidateFunction {
  const source = JSON.stringify(schema).replaceAll('"#/components/', '"api#/components/');
  const known = compiled.get(source) ?? ajv.compile(JSON.parse(source));
  compiled.set(source, known);
  return known;
}
const compiled = new Map<string, ValidateFunction>();

/** null: the value keeps to the schema. */
function faults(schema: object, value: unknown): unknown {
  const validate = compile(schema);
  return validate(value) ? null : validate.errors;
}

test("every schema is one by JSON Schema 2020-12, without a word that it does not know", () => {
  const { schemas } = document.components;
  expect(Object.keys(schemas).length).toBeGreaterThan(10);
  for (const schema of Object.values(schemas)) compile(schema);
  for (const { parameters } of operations) for (const parameter of parameters) compile(resolve(parameter).schema);
  expect(() => compile({ type: "string", nonsense: 1 })).toThrow(/unknown keyword/);
});

test("every request body, every answer and every parameter has an example that keeps to its schema", () => {
  for (const { operationId, parameters, requestBody } of operations) {
    for (const { schema, example } of Object.values(requestBody?.content ?? {}))
      expect([operationId, faults(schema, example)]).toEqual([operationId, null]);
    for (const { name, schema, example, examples } of parameters.map(resolve<Parameter>)) {
      const value = example ?? examples?.default?.value;
      expect([operationId, name, faults(schema, value)]).toEqual([operationId, name, null]);
    }
  }
  for (const { place, status, response } of responses) {
    for (const [type, { schema, example }] of Object.entries(response.content)) {
      if (status < 300) expect([place, type, faults(schema, example)]).toEqual([place, type, null]);
    }
  }
});

test("every refusal has an example of the envelope for each code that it can carry, and no other", () => {
  const refusals = responses.filter(({ status }) => status >= 400);
  expect(refusals.length).toBeGreaterThan(operations.length * 5);
  for (const { place, status, response } of refusals) {
    const { schema, examples = {} } = response.content["application/json"] ?? { schema: {} };
    expect(Object.keys(examples), place).not.toEqual([]);
    for (const [code, reference] of Object.entries(examples)) {
      const { value } = resolve<ErrorExample>(reference);
      expect([value.error.code, statusOfError[value.error.code]]).toEqual([code, status]);
      expect([place, faults(schema, value)]).toEqual([place, null]);
    }
  }
});

test("every answer names its headers", () => {
  for (const { place, status, response } of responses) {
    const names = Object.keys(response.headers);
    expect(names, place).toContain("X-Request-Id");
    expect(names.includes("X-RateLimit-Remaining"), place).toBe(status !== 401);
    expect(names.includes("Retry-After"), place).toBe(status === 429);
  }
});
