import { utimes } from "node:fs/promises";
import { join } from "node:path";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { ask, describeEdges, exchangeBytes, writeFiles } from "./edge.fixture.ts";
import { hasHashInName } from "./static-files.ts";

const host = "site.example.com";

describeEdges(({ startEdge }) => {
  const modified = new Date("2026-05-04T03:02:01Z");
  const script = "export const answer = 42;\n".repeat(200);
  const large = Buffer.from("0123456789abcdef".repeat(200_000)); // 3.2 MB: above what is kept in memory

  async function edgeWithSite(
    options: { readonly singlePage?: boolean; readonly files?: Record<string, string | Buffer> } = {},
  ) {
    const edge = await startEdge();
    const root = join(edge.staticRoot, "artifact-1");
    await writeFiles(root, {
      "index.html": "<h1>start</h1>",
      "about.html": "about",
      "docs/index.html": "docs",
      "script.js": script,
      "large.txt": large,
      "picture.png": Buffer.alloc(4_096, 9),
      "unknown.zzz": "?",
      ...options.files,
    });
    await utimes(join(root, "script.js"), modified, modified);
    await edge.route({
      [host]: { kind: "static", artifactId: "artifact-1", singlePage: options.singlePage ?? false },
      "missing.example.com": { kind: "static", artifactId: "artifact-2", singlePage: false },
    });
    return edge;
  }

  test("files, folders, clean addresses and what is not there", async () => {
    const { port } = await edgeWithSite();
    const index = await ask(port, host, "/");
    expect([index.status, index.text, index.headers["content-type"]]).toEqual([
      200,
      "<h1>start</h1>",
      "text/html; charset=utf-8",
    ]);
    expect((await ask(port, host, "/docs/?x")).text).toBe("docs");
    const redirect = await ask(port, host, "/docs?x=1");
    expect([redirect.status, redirect.headers.location]).toEqual([301, "/docs/?x=1"]);
    expect((await ask(port, host, "//docs")).headers.location).toBe("/docs/");
    expect((await ask(port, host, "/about")).text).toBe("about");
    expect((await ask(port, host, "/unknown.zzz")).headers["content-type"]).toBe("application/octet-stream");
    expect((await ask(port, host, "/nowhere")).status).toBe(404);
    expect((await ask(port, "missing.example.com", "/")).status).toBe(404);
    expect((await ask(port, host, "/%2e%2e/artifact-1/index.html")).status).toBe(400);
  });

  test("HEAD has the headers alone, other methods are refused", async () => {
    const { port } = await edgeWithSite();
    const head = await ask(port, host, "/script.js", { method: "HEAD" });
    expect([head.status, head.headers["content-length"], head.text]).toEqual([200, String(script.length), ""]);
    for (const method of ["POST", "DELETE", "OPTIONS"]) {
      const refused = await ask(port, host, "/", { method });
      expect([refused.status, refused.headers.allow]).toEqual([405, "GET, HEAD"]);
    }
  });

  test("the site's own 404 page is shown, whole and with its status", async () => {
    const { port } = await edgeWithSite({ files: { "404.html": "our own page" } });
    const answer = await ask(port, host, "/nowhere", { headers: { range: "bytes=0-1", "if-none-match": "*" } });
    expect([answer.status, answer.text]).toEqual([404, "our own page"]);
  });

  test("a single page answers every path without an extension", async () => {
    const { port } = await edgeWithSite({ singlePage: true });
    for (const path of ["/users/1", "/users/", "/deep/er"]) {
      const answer = await ask(port, host, path);
      expect([answer.status, answer.text, answer.headers["cache-control"]]).toEqual([
        200,
        "<h1>start</h1>",
        "public, max-age=0, must-revalidate",
      ]);
    }
    expect((await ask(port, host, "/gone.js")).status).toBe(404);
    expect((await ask(port, host, "/about")).text).toBe("about");
  });

  test("conditional requests: by tag, and by exactly the file's date", async () => {
    const { port } = await edgeWithSite();
    const first = await ask(port, host, "/script.js");
    const tag = String(first.headers.etag);
    expect(first.headers["last-modified"]).toBe(modified.toUTCString());
    const status = async (headers: Record<string, string>) => (await ask(port, host, "/script.js", { headers })).status;
    expect(await status({ "if-none-match": tag })).toBe(304);
    expect(await status({ "if-none-match": `"other", ${tag}` })).toBe(304);
    expect(await status({ "if-none-match": '"other"' })).toBe(200);
    expect(await status({ "if-modified-since": modified.toUTCString() })).toBe(304);
    expect(await status({ "if-modified-since": new Date(modified.getTime() + 86_400_000).toUTCString() })).toBe(200);
    expect(await status({ "if-match": '"other"' })).toBe(412);
    expect(await status({ "if-unmodified-since": new Date(0).toUTCString() })).toBe(412);
  });

  test("byte ranges, of the plain file alone", async () => {
    const { port } = await edgeWithSite();
    const range = (value: string, headers: Record<string, string> = {}) =>
      ask(port, host, "/script.js", { headers: { range: value, "accept-encoding": "br", ...headers } });
    const part = await range("bytes=7-11");
    expect([part.status, part.text, part.headers["content-range"], part.headers["content-encoding"]]).toEqual([
      206,
      "const",
      `bytes 7-11/${script.length}`,
      undefined,
    ]);
    expect((await range("bytes=-3")).text).toBe("2;\n");
    const beyond = await range("bytes=999999-");
    expect([beyond.status, beyond.headers["content-range"]]).toEqual([416, `bytes */${script.length}`]);
    expect((await range("bytes=7-11", { "if-range": new Date(0).toUTCString() })).status).toBe(200);
  });

  test.each([
    ["gzip, deflate, br", "br"],
    ["gzip", "gzip"],
    ["br;q=0, gzip", "gzip"],
    ["*", "br"],
    ["identity", undefined],
    ["gzip;q=0", undefined],
    ["identity, *;q=0", undefined],
    ["deflate", undefined],
  ])("Accept-Encoding: %s gives %s", async (accepted, encoding) => {
    const { port } = await edgeWithSite();
    for (const [path, content] of [
      ["/script.js", script],
      ["/large.txt", large.toString()],
    ] as const) {
      const answer = await ask(port, host, path, { headers: { "accept-encoding": accepted } });
      expect(answer.headers["content-encoding"]).toBe(encoding);
      expect(answer.headers.vary).toBe("Accept-Encoding");
      expect(plainOf(answer.body, encoding).toString() === content).toBe(true);
    }
  });

  function plainOf(body: Buffer, encoding: string | undefined): Buffer {
    if (encoding === "br") return brotliDecompressSync(body);
    return encoding === "gzip" ? gunzipSync(body) : body;
  }

  test("what is small or compressed already is sent as it is", async () => {
    const { port } = await edgeWithSite();
    for (const path of ["/picture.png", "/"]) {
      const answer = await ask(port, host, path, { headers: { "accept-encoding": "br" } });
      expect([answer.headers["content-encoding"], answer.headers.vary]).toEqual([undefined, undefined]);
    }
  });

  test("each encoding has a tag of its own", async () => {
    const { port } = await edgeWithSite();
    const tags: string[] = [];
    for (const encoding of ["br", "gzip", "identity"]) {
      const headers = { "accept-encoding": encoding };
      const answer = await ask(port, host, "/script.js", { headers });
      const tag = String(answer.headers.etag);
      const again = await ask(port, host, "/script.js", { headers: { ...headers, "if-none-match": tag } });
      expect([again.status, again.headers.etag, again.text]).toEqual([304, tag, ""]);
      for (const other of tags) {
        expect((await ask(port, host, "/script.js", { headers: { ...headers, "if-none-match": other } })).status).toBe(
          200,
        );
      }
      tags.push(tag);
    }
    expect(new Set(tags).size).toBe(3);
  });

  test("what has a hash in its name is kept for good, everything else is asked for again", async () => {
    const { port } = await edgeWithSite({
      files: { "assets/index-B7d_2kQx.js": "1", "assets/our-document.pdf": "2", "_next/static/chunks/main.js": "3" },
    });
    const rule = async (path: string) => (await ask(port, host, path)).headers["cache-control"];
    expect(await rule("/assets/index-B7d_2kQx.js")).toBe("public, max-age=31536000, immutable");
    expect(await rule("/_next/static/chunks/main.js")).toBe("public, max-age=31536000, immutable");
    for (const path of ["/assets/our-document.pdf", "/script.js", "/"]) {
      expect(await rule(path)).toBe("public, max-age=0, must-revalidate");
    }
  });

  test.each([
    ["/assets/index-B7d_2kQx.js", true],
    ["/assets/main-3f2a9c01.css", true],
    ["/assets/main.3f2a9c01d2.css", true],
    ["/assets/annual-report2024.pdf", false],
    ["/assets/our-Mountain.jpg", false],
    ["/assets/photo-20240101.jpg", false],
    ["/assets/index.js", false],
  ])("a hash in %s: %s", (name, expected) => {
    expect(hasHashInName(name)).toBe(expected);
  });

  test("a visitor who leaves within a large file breaks nothing", async () => {
    const { port } = await edgeWithSite();
    for (const encoding of ["br", "identity"]) {
      const request = `GET /large.txt HTTP/1.1\r\nHost: ${host}\r\nAccept-Encoding: ${encoding}\r\n\r\n`;
      await exchangeBytes(port, request, (received) => received.length > 0);
    }
    expect((await ask(port, host, "/large.txt")).body.equals(large)).toBe(true);
  });
});
