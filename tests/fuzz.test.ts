/**
 * Every operation, driven with input made from its own schemas and bent: no answer is a 5xx, none hangs, and each is within
 * its schema. What fails is printed with the seed and path that make it again.
 */
import { Ajv, type AnySchema } from "ajv";
import formats from "ajv-formats";
import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { declaredOperations } from "../src/main/openapi-file.ts";
import { ErrorSchema } from "../src/operation/error-response.ts";
import type { Operation } from "../src/operation/operation.ts";
import { startTestApi, type TestApi } from "./api.fixture.ts";
import type { JsonSchema } from "./broken-values.fixture.ts";
import { type Example, makeWorld, type World } from "./examples/world.ts";
import { examples } from "./operations.fixture.ts";

const ajv = formats.default(new Ajv({ strict: false }));
const isError = ajv.compile(ErrorSchema as AnySchema);
const runsPerOperation = 60;
const msPerOperation = 3_000;

let api: TestApi;
let world: World;

beforeAll(async () => {
  api = await startTestApi();
  world = await makeWorld(api);
});
afterAll(() => api.close());

const nasty = fc.oneof(
  fc.constantFrom(
    "",
    " ",
    "\0",
    "\ud800",
    "null",
    "-1",
    "1e999",
    "9007199254740993",
    "%00",
    "../..",
    "'; drop table x;--",
    "💥",
    "a".repeat(400),
  ),
  fc.string({ unit: "binary", maxLength: 40 }),
);
const anything = fc.oneof(nasty, fc.jsonValue({ maxDepth: 3 }), fc.double(), fc.constantFrom(null, true, [], {}));

function valueFor(schema: JsonSchema): fc.Arbitrary<unknown> {
  if (schema.enum !== undefined) return fc.constantFrom(...schema.enum);
  const types = typeof schema.type === "string" ? [schema.type] : (schema.type ?? ["string"]);
  return fc.oneof(...types.map((type) => valueForType(type, schema)));
}

function valueForType(type: string, schema: JsonSchema): fc.Arbitrary<unknown> {
  switch (type) {
    case "integer":
      return fc.integer({ min: schema.minimum ?? -(2 ** 31), max: schema.maximum ?? 2 ** 31 });
    case "number":
      return fc.double({ min: schema.minimum ?? -1e6, max: schema.maximum ?? 1e6, noNaN: true });
    case "boolean":
      return fc.boolean();
    case "null":
      return fc.constant(null);
    case "array":
      return fc.array(valueFor(schema.items ?? {}), { maxLength: 4 });
    case "object":
      return fc.dictionary(fc.string({ maxLength: 10 }), valueFor({ type: ["string", "null"] }), { maxKeys: 4 });
    default:
      return schema.format === "uuid" ? fc.uuid() : fc.string({ maxLength: Math.min(schema.maxLength ?? 60, 60) });
  }
}

function objectOf(schema: JsonSchema | undefined): fc.Arbitrary<Record<string, unknown>> {
  const fields = Object.entries(schema?.properties ?? {}).map(([name, rule]) => [
    name,
    fc.oneof({ arbitrary: valueFor(rule), weight: 4 }, { arbitrary: anything, weight: 1 }),
  ]);
  return fc.record(Object.fromEntries(fields), { requiredKeys: [] });
}

interface Bent {
  readonly id: string | null;
  readonly query: Record<string, unknown>;
  readonly body: Record<string, unknown>;
  readonly mix: boolean;
  readonly raw: string | null;
  readonly idempotencyKey: string | null;
}

function bentOf(operation: Operation): fc.Arbitrary<Bent> {
  return fc.record({
    id: fc.option(fc.oneof(fc.uuid(), nasty), { freq: 4 }),
    query: objectOf(operation.query as JsonSchema | undefined),
    body: objectOf(operation.body as JsonSchema | undefined),
    mix: fc.boolean(),
    raw: fc.option(nasty, { freq: 8 }),
    idempotencyKey: fc.option(fc.stringMatching(/^[ -~]{0,40}$/), { freq: 4 }),
  });
}

function pathOf(operation: Operation, example: Example, bent: Bent): string {
  const path = operation.path.replace(/\{(\w+)\}/g, (_all, name: string) =>
    encodeURIComponent(
      (name === "id" ? (bent.id?.toWellFormed() ?? example.params?.[name]) : example.params?.[name]) ?? "x",
    ),
  );
  const query = Object.entries(bent.query)
    // A stream would be followed for ever.
    .filter(([name]) => name !== "follow")
    .map(
      ([name, value]) =>
        `${name}=${encodeURIComponent((typeof value === "string" ? value : JSON.stringify(value)).toWellFormed())}`,
    );
  return `${path}?${query.join("&")}`;
}

test.each(declaredOperations())(
  "$id: no 5xx, and no answer outside its schema",
  async (operation) => {
    const isResponse = ajv.compile(operation.response as AnySchema);
    const make = examples[operation.id];
    if (make === undefined) throw new Error(`no example for ${operation.id}`);
    // Made anew once a request has changed something: making it costs more than what is tried.
    let unused: Example | null = null;
    await fc.assert(
      fc.asyncProperty(bentOf(operation), async (bent) => {
        const example = unused ?? (await make(world));
        const body = bent.mix ? { ...(example.body as object), ...bent.body } : bent.body;
        const hasBody = operation.method !== "GET";
        const answer = await api.call(operation.method, pathOf(operation, example, bent), {
          key: world.account.key,
          ...(hasBody ? (bent.raw === null ? { body } : { raw: bent.raw }) : {}),
          headers: bent.idempotencyKey === null ? {} : { "idempotency-key": bent.idempotencyKey },
        });
        unused = hasBody && answer.status < 400 ? null : example;
        expect(answer.status, JSON.stringify(answer.body)).toBeLessThan(500);
        // A text where the declaration has one: a CSV file.
        if (typeof answer.body === "string") return;
        const fits = answer.status < 400 ? isResponse(answer.body) : isError(answer.body);
        expect(fits, `${answer.status} ${JSON.stringify(answer.body)} ${JSON.stringify(isResponse.errors)}`).toBe(true);
      }),
      { numRuns: runsPerOperation, interruptAfterTimeLimit: msPerOperation, markInterruptAsFailure: false },
    );
  },
  60_000,
);
