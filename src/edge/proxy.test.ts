import { once } from "node:events";
import { request as httpRequest, type IncomingMessage, type RequestListener } from "node:http";
import { connect } from "node:net";
import { expect, test } from "vitest";
import { ask, describeEdges, exchangeBytes, instances, startInstance, until } from "./edge.fixture.ts";

const host = "app.example.com";

describeEdges(({ name, startEdge, startEdgeBefore }) => {
  const edgeBefore = (listener: RequestListener) => startEdgeBefore(host, listener);

  test.each(["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "PROPFIND", "PURGE"])(
    "%s reaches the service",
    async (method) => {
      const { edge } = await edgeBefore(async (request, response) => {
        let body = "";
        for await (const chunk of request) body += chunk;
        response.writeHead(207, { "x-method": request.method, "Set-Cookie": ["a=1", "b=2"] });
        response.end(`${request.url} ${body}`);
      });
      const sent = method === "GET" || method === "OPTIONS" ? {} : { body: "some body" };
      const answer = await ask(edge.port, `${host}:8080`, "/a/../b%2F?q=1&q=2", { method, ...sent });
      expect(answer.status).toBe(207);
      expect(answer.headers["x-method"]).toBe(method);
      expect(answer.headers["set-cookie"]).toEqual(["a=1", "b=2"]);
      expect(answer.text).toBe(`/a/../b%2F?q=1&q=2 ${sent.body ?? ""}`);
    },
  );

  test("HEAD keeps the length and has no body; 204 and 304 pass", async () => {
    const { edge } = await edgeBefore((request, response) => {
      if (request.url === "/204") response.writeHead(204).end();
      else if (request.url === "/304") response.writeHead(304, { ETag: '"x"' }).end();
      else response.writeHead(200, { "content-length": 5 }).end(request.method === "HEAD" ? undefined : "hello");
    });
    const head = await ask(edge.port, host, "/", { method: "HEAD" });
    expect([head.status, head.headers["content-length"], head.text]).toEqual([200, "5", ""]);
    expect((await ask(edge.port, host, "/204")).status).toBe(204);
    const notModified = await ask(edge.port, host, "/304");
    expect([notModified.status, notModified.headers.etag]).toEqual([304, '"x"']);
  });

  test("bodies in chunks and with a length arrive as they were sent", async () => {
    const { edge } = await edgeBefore((request, response) => {
      response.setHeader("x-length", request.headers["content-length"] ?? "none");
      request.pipe(response);
    });
    const body = Buffer.alloc(300_000, "0123456789");
    const known = await ask(edge.port, host, "/", { method: "POST", body });
    expect(known.headers["x-length"]).toBe("300000");
    expect(known.body.equals(body)).toBe(true);
    const chunked = await ask(edge.port, host, "/", {
      method: "POST",
      body,
      headers: { "transfer-encoding": "chunked" },
    });
    expect(chunked.headers["x-length"]).toBe("none");
    expect(chunked.body.equals(body)).toBe(true);
  });

  test("an answer's head and first piece arrive before the rest exists", async () => {
    const { edge } = await edgeBefore((request, response) => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      if (request.url === "/head") response.flushHeaders();
      else response.write("data: 1\n\n");
    });
    for (const path of ["/head", "/piece"]) {
      const request = httpRequest({ port: edge.port, path, headers: { host }, agent: false }).end();
      request.on("error", () => {});
      const [response] = (await once(request, "response")) as [IncomingMessage];
      expect(response.headers["content-type"]).toBe("text/event-stream");
      if (path === "/piece") expect(String((await once(response, "data"))[0])).toBe("data: 1\n\n");
      request.destroy();
    }
  });

  test("Expect: 100-continue is answered once the instance takes the body", async () => {
    const { edge } = await edgeBefore((request, response) => {
      expect(request.headers.expect).toBeUndefined();
      request.pipe(response);
    });
    const request = httpRequest({
      port: edge.port,
      method: "POST",
      headers: { host, expect: "100-continue", "content-length": 5 },
      agent: false,
    });
    request.flushHeaders();
    await once(request, "continue");
    request.end("hello");
    const [response] = (await once(request, "response")) as [IncomingMessage];
    expect(String((await once(response, "data"))[0])).toBe("hello");

    await edge.route({ [host]: instances() });
    const refused = await exchangeBytes(
      edge.port,
      `POST / HTTP/1.1\r\nHost: ${host}\r\nExpect: 100-continue\r\nContent-Length: 5\r\nConnection: close\r\n\r\n`,
      (received) => received.includes("</html>"),
    );
    expect(refused).toMatch(/^HTTP\/1\.1 503 /);
  });

  test("early hints are swallowed, the answer behind them is passed on", async () => {
    const { edge } = await edgeBefore((_, response) => {
      response.writeEarlyHints({ link: "</style.css>; rel=preload" });
      response.end("answer");
    });
    expect((await ask(edge.port, host, "/")).text).toBe("answer");
  });

  test("hop-by-hop headers stop at the edge in both directions", async () => {
    let seen: IncomingMessage["headers"] = {};
    const { edge } = await edgeBefore((request, response) => {
      seen = request.headers;
      response.writeHead(200, {
        Connection: "close, X-Mine",
        "X-Mine": "1",
        "X-Kept": "2",
        "Proxy-Authenticate": "Basic",
      });
      response.end();
    });
    const answer = await ask(edge.port, host, "/", {
      headers: {
        connection: "close, x-secret",
        "x-secret": "1",
        te: "trailers",
        "proxy-connection": "x",
        "x-kept": "2",
      },
    });
    expect(seen).toMatchObject({ "x-kept": "2", host });
    for (const name of ["x-secret", "te", "proxy-connection", "upgrade", "keep-alive"])
      expect(seen).not.toHaveProperty(name);
    expect(answer.headers["x-kept"]).toBe("2");
    expect(answer.headers).not.toHaveProperty("x-mine");
    expect(answer.headers).not.toHaveProperty("proxy-authenticate");
    const plain = await ask(edge.port, host, "/", { headers: { te: "trailers", "proxy-connection": "x" } });
    for (const dropped of ["te", "proxy-connection", "keep-alive"]) expect(seen).not.toHaveProperty(dropped);
    expect(plain.headers).not.toHaveProperty("proxy-authenticate");
    // HAProxy has no rule that drops headers by a name that another header holds.
    expect(plain.headers["x-mine"]).toBe(name === "HAProxy" ? "1" : undefined);
  });

  test("the service is told who the visitor is, whatever the visitor says", async () => {
    let seen: IncomingMessage["headers"] = {};
    const { edge } = await edgeBefore((request, response) => {
      seen = request.headers;
      response.setHeader("x-request-id", "the-service's-own");
      response.end();
    });
    const answer = await ask(edge.port, `${host}:8443`, "/", {
      headers: {
        "x-forwarded-for": "6.6.6.6",
        x_forwarded_for: "6.6.6.6",
        "x-forwarded-proto": "https",
        "x-forwarded-prefix": "/admin",
        X_Real_IP: "6.6.6.6",
        "x-real-ip": "6.6.6.6",
        forwarded: "for=6.6.6.6",
        "x-request-id": "not valid!",
      },
    });
    expect(seen).toMatchObject({
      "x-forwarded-for": "127.0.0.1",
      "x-forwarded-proto": "http",
      "x-forwarded-host": `${host}:8443`,
      "x-forwarded-port": "8443",
      host: `${host}:8443`,
    });
    for (const name of ["x_forwarded_for", "x-forwarded-prefix", "x_real_ip", "x-real-ip", "forwarded"])
      expect(seen).not.toHaveProperty(name);
    expect(seen["x-request-id"]).toMatch(/^[0-9a-f-]{36}$/);
    expect(answer.headers["x-request-id"]).toBe(seen["x-request-id"]);
    const named = await ask(edge.port, host, "/", { headers: { "x-request-id": "Trace_1-a" } });
    expect([seen["x-request-id"], named.headers["x-request-id"]]).toEqual(["Trace_1-a", "Trace_1-a"]);
    expect(seen["x-forwarded-port"]).toBe("80");
  });

  test.each([
    "forwarded",
    "keep-alive",
    "proxy-authorization",
    "proxy-connection",
    "te",
    "x-forwarded-prefix",
    "x-forwarded_for",
    "x-real-ip",
    "x-real_ip",
    "x-request_id",
    "x_forwarded_for",
  ])("a service never sees a visitor's %s, also where it is the only one", async (header) => {
    let seen: IncomingMessage["headers"] = {};
    const { edge } = await edgeBefore((request, response) => {
      seen = request.headers;
      response.end();
    });
    await ask(edge.port, host, "/", { headers: { [header]: "6.6.6.6" } });
    expect(seen).toHaveProperty("x-forwarded-for", "127.0.0.1");
    expect(seen).not.toHaveProperty(header);
    expect(JSON.stringify(seen)).not.toContain("6.6.6.6");
  });

  test.each(["x-forwarded-for", "x-forwarded-host", "x-forwarded-port", "x-forwarded-proto"])(
    "a service sees one %s, and not the visitor's",
    async (header) => {
      let seen: readonly string[] | undefined;
      const { edge } = await edgeBefore((request, response) => {
        seen = request.headersDistinct[header];
        response.end();
      });
      await ask(edge.port, host, "/", { headers: { [header]: "6.6.6.6" } });
      expect(seen).toHaveLength(1);
      expect(seen).not.toContain("6.6.6.6");
    },
  );

  test("of two request ids none gets through that is not an id", async () => {
    let seen: readonly string[] | undefined;
    const { edge } = await edgeBefore((request, response) => {
      seen = request.headersDistinct["x-request-id"];
      response.end();
    });
    const answer = await exchangeBytes(
      edge.port,
      `GET / HTTP/1.1\r\nHost: ${host}\r\nX-Request-Id: one\r\nX-Request-Id: <two>\r\nConnection: close\r\n\r\n`,
    );
    expect(seen).toEqual([expect.stringMatching(/^[A-Za-z0-9_-]{1,128}$/)]);
    expect(answer).toMatch(new RegExp(`^x-request-id: ${seen?.[0]}\r$`, "im"));
    expect(answer).not.toContain("<two>");
  });

  test("HTTP/1.0 gets no chunks, which it does not know", async () => {
    const chunks = "4\r\none \r\n3\r\ntwo\r\n0\r\n\r\n";
    const { edge } = await edgeBefore(({ socket }) => {
      socket.end(`HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n${chunks}`); // whatever it is asked in
    });
    const answer = await exchangeBytes(edge.port, `GET / HTTP/1.0\r\nHost: ${host}\r\n\r\n`);
    expect(answer).toMatch(/\r\n\r\none two$/);
    expect(answer).not.toMatch(/transfer-encoding/i);
  });

  test("a failure that the service tells itself stays as it is, whatever the visitor accepts", async () => {
    const { edge } = await edgeBefore((_, response) => {
      response.writeHead(502, { "content-type": "text/html" }).end("<p>mine</p>");
    });
    const answer = await ask(edge.port, host, "/", { headers: { accept: "application/json" } });
    expect([answer.status, answer.headers["content-type"], answer.text]).toEqual([502, "text/html", "<p>mine</p>"]);
  });

  test("a trusted proxy's word counts", async () => {
    const edge = await startEdge({ trustedProxies: ["127.0.0.0/8"] });
    let seen: IncomingMessage["headers"] = {};
    const instance = await startInstance((request, response) => {
      seen = request.headers;
      response.end();
    });
    await edge.route({ [host]: instances(instance.target) });
    await ask(edge.port, host, "/", { headers: { "x-forwarded-for": "203.0.113.9", "x-forwarded-proto": "https" } });
    expect(seen).toMatchObject({ "x-forwarded-for": "203.0.113.9, 127.0.0.1", "x-forwarded-proto": "https" });
  });

  test("a visitor who reads slowly slows the instance down", async () => {
    const total = 64 * 1024 * 1024;
    let written = 0;
    const { edge } = await edgeBefore((_, response) => {
      response.writeHead(200, { "content-length": total });
      const piece = Buffer.alloc(64 * 1024);
      const more = () => {
        while (written < total) {
          written += piece.length;
          if (!response.write(piece)) return;
        }
        response.end();
      };
      response.on("drain", more);
      more();
    });
    const socket = connect(edge.port, "127.0.0.1", () => socket.write(`GET / HTTP/1.1\r\nHost: ${host}\r\n\r\n`));
    await once(socket, "readable");
    let before = -1;
    let stillFor = 0;
    await until("the instance stops writing", () => {
      stillFor = written === before ? stillFor + 1 : 0;
      before = written;
      return stillFor > 20;
    });
    expect(written).toBeLessThan(total / 2); // what the sockets' own buffers hold
    let received = 0;
    socket.on("data", (chunk) => {
      received += chunk.length;
    });
    await until("all of it arrives once it is read", () => received > total);
    socket.destroy();
  });

  test("an instance that reads slowly slows the visitor down", async () => {
    let taking: IncomingMessage | undefined;
    const { edge } = await edgeBefore((request, response) => {
      taking = request;
      let length = 0;
      request.on("data", (chunk: Buffer) => {
        length += chunk.length;
        if (length === chunk.length) request.pause();
      });
      request.on("end", () => response.end(String(length)));
    });
    const total = 64 * 1024 * 1024;
    const request = httpRequest({
      port: edge.port,
      method: "POST",
      headers: { host, "content-length": total },
      agent: false,
    });
    let written = 0;
    const piece = Buffer.alloc(64 * 1024);
    const more = () => {
      while (written < total) {
        written += piece.length;
        if (!request.write(piece)) return;
      }
      request.end();
    };
    request.on("drain", more);
    more();
    let before = -1;
    let stillFor = 0;
    await until("the visitor's side stops", () => {
      stillFor = written === before ? stillFor + 1 : 0;
      before = written;
      return stillFor > 20;
    });
    expect(written).toBeLessThan(total / 2);
    taking?.resume();
    const [response] = (await once(request, "response")) as [IncomingMessage];
    expect(String((await once(response, "data"))[0])).toBe(String(total));
  });
});
