import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { brotliCompressSync, brotliDecompressSync, gunzipSync, gzipSync } from "node:zlib";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startTestApi, type TestApi } from "../../../tests/api.fixture.ts";
import { readBuiltFiles } from "./built-files.ts";

const script = "console.log('dashboard');".repeat(100);
const html = "<!doctype html><title>Dashboard</title>";
const browser = { accept: "text/html,application/xhtml+xml,*/*;q=0.8" };

let api: TestApi;
let directory: string;

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), "ksar-dashboard-"));
  mkdirSync(join(directory, "assets"));
  writeFileSync(join(directory, "index.html"), html);
  writeFileSync(join(directory, "assets", "index-abc.js"), script);
  writeFileSync(join(directory, "assets", "index-abc.js.br"), brotliCompressSync(script));
  writeFileSync(join(directory, "assets", "index-abc.js.gz"), gzipSync(script));
  api = await startTestApi({ dashboard: async () => readBuiltFiles(directory) });
});
afterAll(async () => {
  await api.close();
  rmSync(directory, { recursive: true, force: true });
});

function get(url: string, headers: Record<string, string> = {}) {
  return api.controlPlane.app.inject({ url, headers });
}

test("every page's address answers with the application, under a policy of own files alone", async () => {
  for (const path of [
    "/",
    "/services/019cebc5-1f75-79df-86b0-26a8c6c26e3c/logs",
    "/signup/x",
    "/invites/x",
    "/a.b?c=d",
  ]) {
    const { statusCode, body, headers } = await get(path, browser);
    expect([path, statusCode, body]).toEqual([path, 200, html]);
    expect(headers).toMatchObject({
      "cache-control": "no-cache",
      "x-content-type-options": "nosniff",
      "referrer-policy": "no-referrer",
    });
    const policy = String(headers["content-security-policy"]);
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).not.toContain("unsafe");
  }
});

test("what is somebody else's address is no page, whoever asks", async () => {
  for (const path of [
    "/api/v1/nothing",
    "/v1",
    "/docs/nothing",
    "/git/x",
    "/hooks/x",
    "/payments/x",
    "/assets/gone.js",
  ]) {
    const { statusCode, headers } = await get(path, browser);
    expect([path, statusCode, headers["content-type"]]).toEqual([path, 404, "application/json; charset=utf-8"]);
  }
  expect((await get("/healthz", browser)).json()).toEqual({ ok: true });
  expect((await get("/docs", browser)).body).toContain("API");
});

test("a program that asks for what is not there gets the error envelope", async () => {
  expect((await get("/nothing")).json().error.code).toBe("not_found");
  expect((await get("/nothing", { accept: "*/*" })).statusCode).toBe(404);
});

test("assets are sent compressed as far as the client understands it, and kept for good", async () => {
  const path = "/assets/index-abc.js";
  const plain = await get(path);
  expect([plain.body, plain.headers["content-encoding"]]).toEqual([script, undefined]);
  expect(plain.headers["cache-control"]).toBe("public, max-age=31536000, immutable");
  expect(plain.headers.vary).toBe("accept-encoding");
  const brotli = await get(path, { "accept-encoding": "gzip, deflate, br" });
  expect(brotli.headers["content-encoding"]).toBe("br");
  expect(brotliDecompressSync(brotli.rawPayload).toString()).toBe(script);
  const gzip = await get(path, { "accept-encoding": "gzip, br;q=0" });
  expect(gzip.headers["content-encoding"]).toBe("gzip");
  expect(gunzipSync(gzip.rawPayload).toString()).toBe(script);
  const again = await get(path, { "if-none-match": String(plain.headers.etag) });
  expect([again.statusCode, again.body]).toEqual([304, ""]);
  const head = await api.controlPlane.app.inject({ method: "HEAD", url: path });
  expect([head.statusCode, head.body]).toEqual([200, ""]);
});

test("nothing beside the built files can be asked for", async () => {
  for (const path of ["/../package.json", "/assets/..%2f..%2fpackage.json", "/assets/index-abc.js.br", "/%2e%2e/x"])
    expect([path, (await get(path)).statusCode]).toEqual([path, 404]);
});

test("a folder without a dashboard is none", () => {
  expect(() => readBuiltFiles(join(directory, "assets"))).toThrow("holds no index.html");
});
