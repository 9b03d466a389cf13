/**
 * The proof that nothing is missed: what holds for every operation, made from the table of operations itself. Each test
 * takes a request that succeeds (operations.fixture.ts) and breaks one thing about it.
 */
import { Ajv, type AnySchema } from "ajv";
import formats from "ajv-formats";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { scopedResources, sensitiveResources } from "../src/kernel/scopes.ts";
import { declaredOperations } from "../src/main/openapi-file.ts";
import { refusalFor } from "../src/operation/authorize.ts";
import { ErrorSchema } from "../src/operation/error-response.ts";
import { isMutation, type Operation, takesIdempotencyKey } from "../src/operation/operation.ts";
import { type Answer, startTestApi, type TestAccount, type TestApi } from "./api.fixture.ts";
import { broken, type JsonSchema, onBounds } from "./broken-values.fixture.ts";
import { type Example, makeWorld, type World } from "./examples/world.ts";
import { examples } from "./operations.fixture.ts";

const operations = declaredOperations();
const unknownId = "01980000-0000-7000-8000-000000000000";
const ajv = formats.default(new Ajv({ strict: false, allErrors: true }));
const isError = ajv.compile(ErrorSchema as AnySchema);

let api: TestApi;
let world: World;
let other: TestAccount;

beforeAll(async () => {
  api = await startTestApi();
  world = await makeWorld(api);
  other = await api.newAccount();
});
afterAll(() => api.close());

async function exampleOf(operation: Operation): Promise<Example> {
  const make = examples[operation.id];
  if (make === undefined) throw new Error(`${operation.id} has no example in tests/examples/`);
  return make(world);
}

function pathOf(operation: Operation, example: Example): string {
  const path = operation.path.replace(/\{(\w+)\}/g, (_all, name: string) => example.params?.[name] ?? unknownId);
  return example.query === undefined ? path : `${path}?${example.query}`;
}

function send(
  operation: Operation,
  example: Example,
  key: string | null = world.account.key,
  headers: Record<string, string> = {},
): Promise<Answer> {
  return api.call(operation.method, pathOf(operation, example), {
    ...(key === null ? {} : { key }),
    ...(example.body === undefined ? {} : { body: example.body }),
    headers,
  });
}

function expectError(answer: Answer, status: number, code: string): void {
  expect([answer.status, answer.body?.error?.code], JSON.stringify(answer.body)).toEqual([status, code]);
  expect(isError(answer.body), JSON.stringify(isError.errors)).toBe(true);
  expect(answer.headers["x-request-id"]).toEqual(expect.any(String));
}

const withId = operations.filter(({ path }) => path.includes("{id}"));
const mutations = operations.filter(isMutation);

test("every operation has an example, and every example an operation", () => {
  expect(Object.keys(examples).sort()).toEqual(operations.map(({ id }) => id).sort());
});

test("a mutation says what it changes; what leads to rights, money or secrets is sensitive", () => {
  for (const operation of operations) {
    if (isMutation(operation)) expect(operation.entity, operation.id).toEqual(expect.any(String));
    const [resource = ""] = operation.scope.split(":");
    if (sensitiveResources.has(resource)) expect(operation.sensitive, operation.id).toBe(true);
    expect(operation.scope.endsWith(":read"), operation.id).toBe(!isMutation(operation));
    if (!isMutation(operation)) continue;
    expect(operation.access, `${operation.id} changes something`).not.toBe("read");
  }
});

test.each(operations)(
  "$id succeeds, within its response schema, with the headers of every answer",
  async (operation) => {
    const answer = await send(operation, await exampleOf(operation));
    expect(answer.status, JSON.stringify(answer.body)).toBe(operation.status);
    const isResponse = ajv.compile(operation.response as AnySchema);
    expect(isResponse(answer.body), JSON.stringify(isResponse.errors)).toBe(true);
    for (const name of ["x-request-id", "x-ratelimit-limit", "x-ratelimit-remaining", "x-ratelimit-reset"]) {
      expect(String(answer.headers[name] ?? ""), name).not.toBe("");
    }
  },
);

describe("authentication", () => {
  test.each(operations)(
    "$id: no key, a malformed, an unknown and a revoked one are the same 401",
    async (operation) => {
      const example = await exampleOf(operation);
      const { body } = await world.account.call("POST", "/api-keys", { name: "Revoked" });
      expect((await send(operation, { params: {} }, body.apiKey.key)).status).not.toBe(401);
      await world.account.call("POST", `/api-keys/${body.apiKey.id}/revoke`);
      const unknown = `${world.account.key.slice(0, 5)}${"0".repeat(40)}`;
      const bodies = [];
      for (const key of [null, "nonsense", unknown, body.apiKey.key]) {
        const answer = await send(operation, example, key);
        expectError(answer, 401, "unauthorized");
        bodies.push(answer.body);
      }
      expect(new Set(bodies.map((one) => JSON.stringify(one))).size).toBe(1);
    },
  );
});

describe("authorization", () => {
  const coarse = ["read", "write"];
  const keys = new Map<string, string>();
  beforeAll(async () => {
    const granular = scopedResources.flatMap((resource) => [`${resource}:read`, `${resource}:write`]);
    for (const scope of [...coarse, ...granular]) {
      const made = await world.account.call("POST", "/api-keys", { name: scope, scopes: [scope] });
      keys.set(scope, made.body.apiKey.key);
    }
    for (const role of ["VIEWER", "DEVELOPER"] as const) {
      keys.set(role, (await api.newMember(world.account.accountId, role)).key);
    }
  });

  test.each(operations)(
    "$id: each scope and each lower role is let through or refused by the rules",
    async (operation) => {
      for (const [name, key] of keys) {
        const isRole = name === "VIEWER" || name === "DEVELOPER";
        const refusal = refusalFor(operation, {
          role: isRole ? name : "ADMIN",
          scopes: isRole ? [] : [name],
          accountSuspended: false,
          lacksSecondFactor: false,
        });
        const answer = await send(operation, await exampleOf(operation), key);
        if (refusal === null) expect(answer.status, `${name}: ${JSON.stringify(answer.body)}`).toBe(operation.status);
        else expectError(answer, 403, refusal);
      }
    },
  );

  test.each(operations)(
    "$id: a suspended account reads, and settles its bills, and changes nothing else",
    async (operation) => {
      const example = await exampleOf(operation);
      const { accountId } = world.account;
      await api.query("update accounts set suspended_at = now() where id = $1", [accountId]);
      const fresh = await api.newMember(accountId, "ADMIN"); // nobody believes anything of its key yet
      try {
        const answer = await send(operation, example, fresh.key);
        if (isMutation(operation) && !operation.scope.startsWith("billing:"))
          expectError(answer, 403, "account_suspended");
        else expect(answer.status).toBe(operation.status);
      } finally {
        await api.query("update accounts set suspended_at = null where id = $1", [accountId]);
      }
    },
  );
});

describe("ids", () => {
  test.each(withId)("$id: another account's and an unknown id are the same 404", async (operation) => {
    const example = await exampleOf(operation);
    const foreign = await send(operation, example, other.key);
    expectError(foreign, 404, "not_found");
    const unknown = await send(operation, { ...example, params: { ...example.params, id: unknownId } });
    expect(unknown.body).toEqual(foreign.body);
    expect(unknown.status).toBe(404);
  });

  test.each(withId)("$id: a malformed id is a 422 that says where", async (operation) => {
    const example = await exampleOf(operation);
    for (const id of ["not-a-uuid", "1", `${unknownId}0`, "%00"]) {
      const answer = await send(operation, { ...example, params: { ...example.params, id } });
      expectError(answer, 422, "validation_failed");
      expect(answer.body.error.details[0].in).toBe("path");
    }
  });
});

describe("bodies", () => {
  const withBody = operations.filter(({ body }) => body !== undefined);

  test.each(withBody)("$id: each field just past its bound, and of each wrong type, is refused", async (operation) => {
    const example = await exampleOf(operation);
    const schema = operation.body as JsonSchema;
    for (const [field, rule] of Object.entries(schema.properties ?? {})) {
      for (const { what, value } of broken(rule)) {
        const answer = await send(operation, { ...example, body: { ...(example.body as object), [field]: value } });
        expect([answer.status, answer.body.error?.code], `${field}: ${what}`).toEqual([422, "validation_failed"]);
        const places = answer.body.error.details.map((one: { in: string; path: string }) => one.in + one.path);
        expect(places.join(), `${field}: ${what}`).toContain(`body/${field}`);
      }
    }
  });

  test.each(withBody)("$id: each field on its bounds is let through", async (operation) => {
    const schema = operation.body as JsonSchema;
    for (const [field, rule] of Object.entries(schema.properties ?? {})) {
      for (const { what, value } of onBounds(rule)) {
        const example = await exampleOf(operation);
        const answer = await send(operation, { ...example, body: { ...(example.body as object), [field]: value } });
        const isRefused = answer.status === 422 && !isOwnRule(answer);
        expect(isRefused, `${field}: ${what}: ${JSON.stringify(answer.body)}`).toBe(false);
        expect(answer.status).toBeLessThan(500);
      }
    }
  });

  /** A rule that no schema can say, such as what a repository's address looks like. */
  function isOwnRule(answer: Answer): boolean {
    const own = ["repository_url", "git_ref", "scope", "network", "size", "email", "url", "cron", "amount"];
    if (answer.body.error.code === "gateway_cannot_charge") return true;
    return answer.body.error.details.every((one: { code: string }) => own.includes(one.code));
  }

  test.each(withBody)(
    "$id: a missing, an unknown and a duplicated field, an array, a text and nothing",
    async (operation) => {
      const example = await exampleOf(operation);
      const schema = operation.body as JsonSchema;
      const body = example.body as Record<string, unknown>;
      for (const field of schema.required ?? []) {
        const { [field]: _missing, ...rest } = body;
        const answer = await send(operation, { ...example, body: rest });
        expectError(answer, 422, "validation_failed");
        expect(answer.body.error.details[0]).toMatchObject({ in: "body", path: `/${field}`, code: "required" });
      }
      for (const wrong of [{ ...body, unknownField: 1 }, [], "text", 7]) {
        expectError(await send(operation, { ...example, body: wrong }), 422, "validation_failed");
      }
      if (operation.bodyOptional !== true) {
        expectError(await send(operation, { ...example, body: undefined }), 422, "validation_failed");
      }
    },
  );

  test.each(withBody)("$id: hostile JSON is a clear 4xx", async (operation) => {
    const path = pathOf(operation, await exampleOf(operation));
    const hostile: readonly (readonly [string, number])[] = [
      ["{", 422],
      ['{"a":1}}', 422],
      [`${"[".repeat(10_000)}${"]".repeat(10_000)}`, 422],
      [`{"a":${'{"a":'.repeat(10_000)}1${"}".repeat(10_000)}}`, 422],
      ['{"__proto__":{"admin":true}}', 422],
      ['{"constructor":{"prototype":{"admin":true}}}', 422],
      ['{"name":"\\u0000"}', 422],
      ['{"name":"\\ud800"}', 422],
      [JSON.stringify({ name: "x".repeat(2 * 1024 * 1024) }), 413],
    ];
    for (const [raw, status] of hostile) {
      const answer = await api.call(operation.method, path, { key: world.account.key, raw });
      expect(answer.status, raw.slice(0, 40)).toBe(status);
      expect(isError(answer.body)).toBe(true);
    }
  });
});

describe("queries", () => {
  test.each(operations)(
    "$id: each parameter just past its bound, unknown ones and hostile text are refused",
    async (operation) => {
      const example = await exampleOf(operation);
      const properties = (operation.query as JsonSchema | undefined)?.properties ?? {};
      const refused: string[] = ["unknownParameter=1"];
      for (const [name, rule] of Object.entries(properties)) {
        for (const { value } of broken(rule)) {
          // Everything in a query is text: types are broken by text that is no such thing.
          if (typeof value === "number" && rule.type === "string") continue;
          if (typeof value === "string" && value !== "text") refused.push(`${name}=${encodeURIComponent(value)}`);
          if (typeof value === "number" && rule.maximum !== undefined) refused.push(`${name}=${value}`);
        }
        refused.push(`${name}=%00`);
      }
      for (const query of refused) {
        const answer = await send(operation, { ...example, query });
        if (answer.status === 200 && query.endsWith("=7")) continue;
        expectError(answer, 422, "validation_failed");
        expect(answer.body.error.details[0].in, query).toBe("query");
      }
    },
  );
});

describe("mutations", () => {
  async function entries(): Promise<readonly { readonly action: string; readonly entity_id: string }[]> {
    return api.query("select * from audit_entries where account_id = $1 order by id", [world.account.accountId]);
  }

  test.each(mutations)("$id leaves exactly one audit entry, and none when it is refused", async (operation) => {
    const example = await exampleOf(operation);
    const before = (await entries()).length;
    await send(operation, { ...example, query: "unknownParameter=1" });
    expect((await entries()).length).toBe(before);
    expect((await send(operation, example)).status).toBe(operation.status);
    const after = await entries();
    expect(after.length).toBe(before + 1);
    expect(after.at(-1)).toMatchObject({
      action: operation.id,
      entity_type: operation.entity,
      entity_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      surface: "API",
      actor_name: expect.any(String),
      api_key_id: expect.any(String),
      ip_address: "127.0.0.1",
    });
  });

  test.each(mutations.filter(takesIdempotencyKey))("$id: a repeated Idempotency-Key acts once", async (operation) => {
    const example = await exampleOf(operation);
    const headers = { "idempotency-key": `once-${operation.id}` };
    const first = await send(operation, example, world.account.key, headers);
    expect(first.status).toBe(operation.status);
    expect(first.headers["idempotency-replayed"]).toBeUndefined();
    const before = (await entries()).length;
    const second = await send(operation, example, world.account.key, headers);
    expect([second.status, second.body]).toEqual([first.status, first.body]);
    expect(second.headers["idempotency-replayed"]).toBe("true");
    expect((await entries()).length).toBe(before);
    const others = await send(operation, await exampleOf(operation), world.account.key, headers);
    const isSame = JSON.stringify(example) === JSON.stringify(await exampleOf(operation));
    if (!isSame) expectError(others, 422, "idempotency_key_reused");
  });

  test.each(mutations.filter((one) => one.answersWithSecret === true))(
    "$id: its secret is never stored",
    async (operation) => {
      const headers = { "idempotency-key": `secret-${operation.id}` };
      const example = await exampleOf(operation);
      const first = await send(operation, example, world.account.key, headers);
      const second = await send(operation, example, world.account.key, headers);
      expect(second.body).not.toEqual(first.body);
      expect(await api.query("select * from idempotency_keys where key = $1", [headers["idempotency-key"]])).toEqual(
        [],
      );
    },
  );
});
