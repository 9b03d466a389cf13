import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startTestApi, type TestAccount, type TestApi } from "../../tests/api.fixture.ts";
import { renderOpenApi } from "../main/openapi-file.ts";

let api: TestApi;
let account: TestAccount;

beforeAll(async () => {
  api = await startTestApi();
  account = await api.newAccount();
});
afterAll(() => api.close());

interface Document {
  readonly paths: Record<string, Record<string, OperationObject>>;
  readonly components: { readonly responses: Record<string, Response> };
}

interface OperationObject {
  readonly operationId: string;
  readonly responses: Record<string, Response>;
}

interface Response {
  readonly $ref?: string;
  readonly headers: Record<string, unknown>;
}

const document: Document = JSON.parse(renderOpenApi());
const operations = Object.entries(document.paths).flatMap(([path, item]) =>
  Object.entries(item).map(([method, { operationId, responses }]) => ({
    id: operationId,
    method: method.toUpperCase(),
    path,
    responses,
  })),
);
const someId = "01980000-0000-7000-8000-000000000000";

test("openapi.json is what the declarations say: run `npm run generate` after changing them", () => {
  expect(readFileSync(join(import.meta.dirname, "../../openapi.json"), "utf8")).toBe(renderOpenApi());
});

test("the description is served under both prefixes, without a key", async () => {
  for (const path of ["/api/v1/openapi.json", "/v1/openapi.json"]) {
    const answer = await api.call("GET", path);
    expect(answer.status).toBe(200);
    expect(answer.body.openapi).toBe("3.1.0");
    expect(answer.body.info.version).toBe("1.0.0");
    expect(answer.body.security).toEqual([{ bearer: [] }]);
  }
});

test.each(operations)(
  "$id: no key, a malformed, an unknown and a revoked one answer 401 alike, under both prefixes",
  async ({ method, path }) => {
    const url = path.replaceAll(/\{\w+\}/g, someId);
    const unknown = `${account.key.slice(0, 5)}${"0".repeat(40)}`;
    for (const prefix of ["/api/v1", "/v1"]) {
      const answers = [
        await api.call(method, prefix + url),
        await api.call(method, prefix + url, { key: "nonsense" }),
        await api.call(method, prefix + url, { key: unknown, body: method === "GET" ? undefined : {} }),
      ];
      for (const answer of answers) {
        expect(answer.status).toBe(401);
        expect(answer.body).toEqual({ error: { code: "unauthorized", message: expect.any(String) } });
        expect(answer.headers["x-request-id"]).toEqual(expect.any(String));
      }
    }
  },
);

test.each(operations.filter(({ path }) => path.includes("{id}")))(
  "$id: a malformed id is a 422 that says where",
  async ({ method, path }) => {
    const answer = await api.call(method, path.replace("{id}", "not-a-uuid").replace("{name}", "A"), {
      key: account.key,
      ...(method === "GET" ? {} : { body: {} }),
    });
    expect(answer.status).toBe(422);
    expect(answer.body.error.code).toBe("validation_failed");
  },
);

test.each([
  ["malformed JSON", "{", 422, "validation_failed"],
  ["a prototype in disguise", '{"name":"a","__proto__":{"x":1}}', 422, "validation_failed"],
  ["an array", "[]", 422, "validation_failed"],
  ["nothing where a body is needed", "", 422, "validation_failed"],
  ["a body over 1 MiB", JSON.stringify({ name: "x".repeat(1024 * 1024) }), 413, "payload_too_large"],
])("%s is refused", async (_what, raw, status, code) => {
  const answer = await api.call("POST", "/projects", { key: account.key, raw });
  expect([answer.status, answer.body.error.code]).toEqual([status, code]);
});

test("another content type is a 415, an unknown path a 404, another method a 405 that says which are allowed", async () => {
  const text = await api.call("POST", "/projects", {
    key: account.key,
    raw: "name=a",
    headers: { "content-type": "application/x-www-form-urlencoded" },
  });
  expect([text.status, text.body.error.code]).toEqual([415, "unsupported_media_type"]);
  const nowhere = await api.call("GET", "/nowhere", { key: account.key });
  expect([nowhere.status, nowhere.body.error.code]).toEqual([404, "not_found"]);
  const wrongMethod = await api.call("PUT", "/projects", { key: account.key, body: {} });
  expect([wrongMethod.status, wrongMethod.body.error.code, wrongMethod.headers.allow]).toEqual([
    405,
    "method_not_allowed",
    "GET, POST, HEAD",
  ]);
});

test.each(operations)("$id: every other method is a 405 that names this one", async ({ method, path }) => {
  const url = path.replaceAll(/\{\w+\}/g, someId);
  const isHere = (form: string) => new RegExp(`^${form.replaceAll(/\{\w+\}/g, "[^/]+")}$`).test(url);
  const taken = operations.filter((one) => isHere(one.path)).map((one) => one.method);
  for (const prefix of ["/api/v1", "/v1"]) {
    for (const other of ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "PROPFIND"]) {
      if (taken.includes(other === "HEAD" ? "GET" : other)) continue;
      const { status, headers, body } = await api.call(other, `${prefix}${url}?a=b`, { key: account.key });
      expect([other, status, headers.allow?.toString().split(", ")]).toEqual([
        other,
        405,
        expect.arrayContaining([method]),
      ]);
      if (other !== "HEAD") expect(body.error.code).toBe("method_not_allowed");
    }
  }
});

test.each(operations)(
  "$id: refuses a body that is not JSON, or too large, as its description says",
  async (operation) => {
    const { method, path, responses } = operation;
    const send = (raw: string, type: string) =>
      api.call(method, path.replaceAll(/\{\w+\}/g, someId), {
        key: account.key,
        raw,
        headers: { "content-type": type },
      });
    const text = await send("name=a", "text/plain");
    const large = await send(JSON.stringify("x".repeat(1024 * 1024)), "application/json");
    // A GET's body is not read.
    expect([text.status === 415, large.status === 413]).toEqual([method !== "GET", method !== "GET"]);
    expect(["415" in responses, "413" in responses]).toEqual([method !== "GET", method !== "GET"]);
  },
);

test("answers carry the headers that the description names, and refusals too", async () => {
  const key = { "idempotency-key": "once" };
  const body = { name: "Headers" };
  const answers = [
    await account.call("GET", "/projects"),
    await api.call("GET", "/projects"),
    await account.call("GET", "/projects?limit=0"),
    await account.call("GET", "/audit/export?format=csv"),
    await api.call("POST", "/projects", { key: account.key, body, headers: key }),
    await api.call("POST", "/projects", { key: account.key, body, headers: key }),
  ];
  const described = [
    ["/projects", "get", 200],
    ["/projects", "get", 401],
    ["/projects", "get", 422],
    ["/audit/export", "get", 200],
    ["/projects", "post", 201],
    ["/projects", "post", 201],
  ] as const;
  described.forEach(([path, method, status], index) => {
    const answer = answers[index];
    const response = document.paths[path]?.[method]?.responses[status];
    const { headers = {} } = document.components.responses[response?.$ref?.split("/").at(-1) ?? ""] ?? response ?? {};
    expect(answer?.status).toBe(status);
    expect(Object.keys(headers).length).toBeGreaterThan(1);
    // Only the second answer under an Idempotency-Key is a replayed one.
    for (const name of Object.keys(headers).filter((one) => one !== "Idempotency-Replayed" || index === 5))
      expect([path, status, Object.keys(answer?.headers ?? {})]).toEqual([
        path,
        status,
        expect.arrayContaining([name.toLowerCase()]),
      ]);
  });
});

test.each([
  "limit=0",
  "limit=101",
  "limit=x",
  "limit=1.5",
  "limit=1e999",
  "limit=0x10",
  "limit=%205",
  "cursor=nonsense",
  "unknown=1",
  "limit=1&limit=2",
])("the query %s is refused", async (query) => {
  const answer = await account.call("GET", `/projects?${query}`);
  expect(answer.status).toBe(422);
  expect(answer.body.error.details[0].in).toBe("query");
});

test("a 500 says nothing but the request's id", async () => {
  await api.query("alter table projects rename to gone");
  try {
    for (const answer of [
      await account.call("GET", "/projects"),
      await account.call("POST", "/projects", { name: "Unlucky" }),
    ]) {
      expect([answer.status, answer.body]).toEqual([500, { error: { code: "internal", message: expect.any(String) } }]);
      expect(JSON.stringify(answer.body)).not.toMatch(/projects|relation|select|insert|\.ts|\/src\//i);
      expect(answer.headers["x-request-id"]).toMatch(/^[0-9a-f-]{36}$/);
    }
  } finally {
    await api.query("alter table gone rename to projects");
  }
});

test("a 422 lists every broken rule, each with its place", async () => {
  const answer = await account.call("POST", "/projects", { name: "", slug: "Not A Slug", extra: 1 });
  expect(answer.status).toBe(422);
  const places = answer.body.error.details
    .map((one: { path: string; code: string }) => `${one.path} ${one.code}`)
    .sort();
  expect(places).toEqual(["/extra additionalProperties", "/name minLength", "/slug pattern"]);
});

test("health needs no key; readiness names the parts that do not answer", async () => {
  const { app } = api.controlPlane;
  expect((await app.inject("/healthz")).json()).toEqual({ ok: true });
  const ready = await app.inject("/readyz");
  expect(ready.statusCode).toBe(503);
  expect(ready.json()).toEqual({ ready: false, parts: { database: true, queue: true, engine: false, edge: false } });
});

test("a sign-up link makes one account, once", async () => {
  const fresh = await startTestApi();
  try {
    const { accounts, app } = fresh.controlPlane;
    const token = await accounts.firstSignupToken("nobody@example.com");
    const url = `/api/auth/signup/${token}`;
    expect((await app.inject(url)).statusCode).toBe(200);
    const form = (payload: Record<string, string>, headers = {}) =>
      app.inject({ method: "POST", url, payload, headers });
    expect((await form({ name: "A", email: "nonsense", password: "long enough" })).statusCode).toBe(422);
    const first = { name: "<b>A</b>", email: "a@example.com", password: "long enough" };
    expect((await form(first, { "sec-fetch-site": "cross-site" })).statusCode).toBe(403);
    const done = await form(first);
    expect(done.statusCode).toBe(201);
    expect((await fresh.call("GET", "/projects", { key: done.json().apiKey })).status).toBe(200);
    const cookie = String(done.headers["set-cookie"]).split(";")[0] ?? "";
    const own = await fresh.call("GET", "/account", { headers: { cookie } });
    expect(own.body.account).toMatchObject({ id: done.json().accountId, name: "<b>A</b>", role: "OWNER" });
    expect((await form({ name: "B", email: "b@example.com", password: "long enough" })).statusCode).toBe(404);
    expect((await app.inject(url)).statusCode).toBe(404);
    expect(await accounts.firstSignupToken("nobody@example.com")).toBeNull();
  } finally {
    await fresh.close();
  }
});
