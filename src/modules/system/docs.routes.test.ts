import { afterAll, beforeAll, expect, test } from "vitest";
import { startTestApi, type TestApi } from "../../../tests/api.fixture.ts";

let api: TestApi;
let page: string;
let policy: string;

beforeAll(async () => {
  api = await startTestApi();
  const answer = await api.controlPlane.app.inject("/docs");
  expect(answer.statusCode).toBe(200);
  page = answer.body;
  policy = String(answer.headers["content-security-policy"]);
});
afterAll(() => api.close());

test("the reference needs no key, and the home page leads to it", async () => {
  expect(page).toContain("<title>Ksar API</title>");
  expect((await api.controlPlane.app.inject("/")).body).toContain('href="/docs"');
});

test("it is made of this origin's own files, under a policy that lets it speak to no other", async () => {
  expect(page).not.toMatch(/(?:src|href)="(?:https?:)?\/\//);
  expect(page).not.toMatch(/<script(?! src="\/docs\/)/);
  const directives = new Map(policy.split("; ").map((one) => [one.slice(0, one.indexOf(" ")), one]));
  expect(directives.get("default-src")).toBe("default-src 'none'");
  expect(directives.get("script-src")).toBe("script-src 'self'");
  expect(directives.get("connect-src")).toBe("connect-src 'self'");
  expect(policy).not.toMatch(/unsafe-eval|https?:|\*/);
});

test("its scripts are there; the large one is kept for good under its version's address", async () => {
  const scripts = [...page.matchAll(/<script src="([^"]+)"/g)].map(([, source = ""]) => source);
  expect(scripts).toHaveLength(2);
  for (const script of scripts) {
    const { statusCode, headers } = await api.controlPlane.app.inject(script);
    expect([script, statusCode]).toEqual([script, 200]);
    expect(headers["content-type"]).toMatch(/^(text|application)\/javascript/);
  }
  const bundle = await api.controlPlane.app.inject(scripts[0] ?? "");
  expect(bundle.body).toContain("@scalar/api-reference");
  expect(bundle.headers["cache-control"]).toBe("public, max-age=31536000, immutable");
  const again = await api.controlPlane.app.inject({
    url: scripts[0] ?? "",
    headers: { "if-none-match": String(bundle.headers.etag) },
  });
  expect([again.statusCode, again.body]).toEqual([304, ""]);
});

test("what would ask another host is off, and a key that was typed in is not kept", async () => {
  const { body } = await api.controlPlane.app.inject("/docs/start.js");
  const settings = JSON.parse(/\{.*\}/.exec(body)?.[0] ?? "");
  expect(settings).toMatchObject({
    url: "/api/v1/openapi.json",
    telemetry: false,
    withDefaultFonts: false,
    persistAuth: false,
    agent: { disabled: true },
  });
  expect(settings).not.toHaveProperty("proxyUrl");
});
