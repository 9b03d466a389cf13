import fc from "fast-check";
import { expect, test } from "vitest";
import { describeEdges, exchangeBytes, instances, startInstance } from "./edge.fixture.ts";

const host = "app.example.com";

describeEdges(({ name, startEdge }) => {
  /** Each request that the instance takes for one, as method, path and body. */
  async function edgeBeforeRecorder() {
    const edge = await startEdge();
    const taken: string[] = [];
    const instance = await startInstance(async (request, response) => {
      let body = "";
      for await (const chunk of request) body += chunk;
      taken.push(`${request.method} ${request.url} ${body}`);
      response.end("ok");
    });
    await edge.route({
      [host]: instances(instance.target),
      "other.example.com": { kind: "notice", notice: "STOPPED" },
    });
    return { edge, taken };
  }

  const smuggled = "GET /smuggled HTTP/1.1\r\nHost: app.example.com\r\n\r\n";
  const head = (method: string, ...headers: readonly string[]) =>
    `${[`${method} /outer HTTP/1.1`, `Host: ${host}`, ...headers].join("\r\n")}\r\n\r\n`;

  /** Refused by both edges, or taken by HAProxy, which writes it anew, as what the third column says. */
  test.each<[what: string, bytes: string, takenByHaproxy?: string]>([
    ["both framings", `${head("POST", "Content-Length: 4", "Transfer-Encoding: chunked")}0\r\n\r\n`, "POST /outer "],
    [
      "both framings, other order",
      `${head("POST", "Transfer-Encoding: chunked", "Content-Length: 4")}0\r\n\r\n`,
      "POST /outer ",
    ],
    ["two equal lengths", `${head("POST", "Content-Length: 5", "Content-Length: 5")}hello`, "POST /outer hello"],
    ["two lengths", head("POST", "Content-Length: 0", "Content-Length: 44") + smuggled],
    ["a list of lengths", `${head("POST", "Content-Length: 5, 5")}hello`, "POST /outer hello"],
    ["a list of two lengths", `${head("POST", "Content-Length: 5, 6")}hello`],
    ["a signed length", `${head("POST", "Content-Length: +5")}hello`],
    ["a negative length", `${head("POST", "Content-Length: -5")}hello`],
    ["a length with a space before the colon", `${head("POST", "Content-Length : 5")}hello`],
    ["a folded header", head("GET", "X-Folded: a\r\n b"), "GET /outer "],
    ["a folded Transfer-Encoding", `${head("POST", "Transfer-Encoding:\r\n chunked")}0\r\n\r\n`, "POST /outer "],
    ["a vertical tab in the coding", `${head("POST", "Transfer-Encoding: \u000bchunked")}0\r\n\r\n`],
    ["an unknown coding", `${head("POST", "Transfer-Encoding: xchunked")}0\r\n\r\n`],
    ["a doubled coding", `${head("POST", "Transfer-Encoding: chunked", "Transfer-Encoding: chunked")}0\r\n\r\n`],
    ["a coding before chunked", `${head("POST", "Transfer-Encoding: gzip, chunked")}0\r\n\r\n`],
    ["a coding in HTTP/1.0", `POST /outer HTTP/1.0\r\nHost: ${host}\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`],
    ["bare line feeds", `GET /outer HTTP/1.1\nHost: ${host}\n\n`, "GET /outer "],
    ["a bare carriage return", head("GET", "X-A: a\rb")],
    ["a NUL", head("GET", "X-A: a\u0000b")],
    ["a space in the target", `GET /outer /more HTTP/1.1\r\nHost: ${host}\r\n\r\n`],
    ["a method that is no token", `G(T /outer HTTP/1.1\r\nHost: ${host}\r\n\r\n`],
    ["HTTP/1.2 and a half", `GET /outer HTTP/1.25\r\nHost: ${host}\r\n\r\n`],
    [
      "chunk sizes that end in a line feed",
      `${head("POST", "Transfer-Encoding: chunked")}5\nhello\r\n0\r\n\r\n`,
      "POST /outer hello",
    ],
    ["a chunk longer than said", `${head("POST", "Transfer-Encoding: chunked")}3\r\nhello\r\n0\r\n\r\n`],
    ["a chunk size past all numbers", `${head("POST", "Transfer-Encoding: chunked")}10000000000000005\r\nhello\r\n`],
    ["two hosts", head("GET", "Host: other.example.com")],
    ["the same host twice", head("GET", `Host: ${host}`), "GET /outer "],
    ["no host", "GET /outer HTTP/1.1\r\n\r\n"],
    ["an empty host", "GET /outer HTTP/1.1\r\nHost:\r\n\r\n"],
    ["no host in HTTP/1.0", "GET /outer HTTP/1.0\r\n\r\n"],
    ["another host in the target", `GET http://other.example.com/outer HTTP/1.1\r\nHost: ${host}\r\n\r\n`],
    ["a target without a path", `OPTIONS * HTTP/1.1\r\nHost: ${host}\r\n\r\n`],
  ])("%s: refused and the connection ended, or passed on as one request", async (_, bytes, takenByHaproxy) => {
    const { edge, taken } = await edgeBeforeRecorder();
    const received = await exchangeBytes(
      edge.port,
      bytes + smuggled.replace("\r\n\r\n", "\r\nConnection: close\r\n\r\n"),
    );
    const answers = received.match(/HTTP\/1\.1 \d+/g);
    if (name === "built-in" || takenByHaproxy === undefined || answers?.[0] !== "HTTP/1.1 200") {
      expect(received).toMatch(/^HTTP\/1\.1 (400|422|501|505) /);
      expect(answers).toHaveLength(1);
      // A body that breaks off within a request may have begun to arrive, never what follows it.
      expect(taken.filter((request) => request.includes("smuggled"))).toEqual([]);
    } else {
      // Visitor, edge and instance agree on where each request ends: one answer for each, and none is in a body.
      expect(taken[0]).toBe(takenByHaproxy);
      expect(taken.slice(1)).toEqual(answers.length === 2 ? ["GET /smuggled "] : []);
    }
  });

  test("a head above 32 KiB is refused", async () => {
    const { edge, taken } = await edgeBeforeRecorder();
    expect(await exchangeBytes(edge.port, head("GET", `X-Long: ${"a".repeat(33 * 1024)}`))).toMatch(
      name === "HAProxy" ? /^HTTP\/1\.1 400 / : /^HTTP\/1\.1 431 /,
    );
    expect(taken).toEqual([]);
  });

  test("a head of 14 KiB is passed on", async () => {
    const { edge, taken } = await edgeBeforeRecorder();
    const bytes = head("GET", `X-Long: ${"a".repeat(14 * 1024)}`, "Connection: close");
    expect(await exchangeBytes(edge.port, bytes)).toMatch(/^HTTP\/1\.1 200 /);
    expect(taken).toEqual(["GET /outer "]);
  });

  test("the same host in an absolute target is passed on as a path", async () => {
    const { edge, taken } = await edgeBeforeRecorder();
    const bytes = `GET http://App.Example.com/path?q HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`;
    expect(await exchangeBytes(edge.port, bytes)).toMatch(/^HTTP\/1\.1 200 /);
    expect(taken).toEqual(["GET /path?q "]);
  });

  test("a body that looks like a request stays a body, and requests in a row are answered in a row", async () => {
    const { edge, taken } = await edgeBeforeRecorder();
    const bytes =
      head("POST", `Content-Length: ${smuggled.length}`) +
      smuggled +
      head("POST", "Transfer-Encoding: chunked") +
      `${smuggled.length.toString(16)};extension=1\r\n${smuggled}\r\n0\r\nX-Trailer: 1\r\n\r\n` +
      head("GET", "Connection: close");
    const received = await exchangeBytes(edge.port, bytes);
    expect(received.match(/HTTP\/1\.1 200 /g)).toHaveLength(3);
    expect(taken).toEqual([`POST /outer ${smuggled}`, `POST /outer ${smuggled}`, "GET /outer "]);
  });

  test("whatever is written behind an upgrade that is not one does not reach the instance as another request", async () => {
    const { edge, taken } = await edgeBeforeRecorder();
    for (const bytes of [
      head("POST", "Connection: Upgrade", "Upgrade: websocket", `Content-Length: ${smuggled.length}`) + smuggled,
      head("GET", "Connection: Upgrade, HTTP2-Settings", "Upgrade: h2c", "HTTP2-Settings: AAMAAABkAARAAAAAAAIAAAAA"),
    ]) {
      const received = await exchangeBytes(edge.port, bytes, (text) => text.includes("ok"));
      expect(received).toMatch(/^HTTP\/1\.1 200 /);
    }
    expect(taken).toEqual([`POST /outer ${smuggled}`, "GET /outer "]);
  });

  test("no mutation of a framing header lets the instance see what is in the body", async () => {
    const { edge, taken } = await edgeBeforeRecorder();
    const noise = fc.constantFrom("", " ", "\t", "\u000b", "\u00a0", ",", ";", "\r", "\n", "\u0000", "x", "-", "0");
    const name = fc.constantFrom(
      "Transfer-Encoding",
      "transfer_encoding",
      "Transfer-Encoding ",
      " Transfer-Encoding",
      "Content-Length",
    );
    const value = fc.constantFrom("chunked", "Chunked", "identity", "chunked, identity", "5", "0", "05", "0x5", "5 5");
    await fc.assert(
      fc.asyncProperty(name, noise, value, noise, async (key, before, text, after) => {
        taken.length = 0;
        // The instance may see one request with whatever body; never the one within it.
        const bytes = head(
          "POST",
          `Content-Length: ${smuggled.length}`,
          `${key}:${before}${text}${after}`,
          "Connection: close",
        );
        await exchangeBytes(edge.port, Buffer.from(bytes + smuggled, "latin1"));
        expect(taken.filter((request) => request.startsWith("GET"))).toEqual([]);
        expect(taken.length).toBeLessThanOrEqual(1);
      }),
      { numRuns: 150 },
    );
  });
});
