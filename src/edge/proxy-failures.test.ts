import { once } from "node:events";
import { request as httpRequest, type IncomingMessage, type RequestListener } from "node:http";
import { connect } from "node:net";
import { expect, test } from "vitest";
import { ask, closedPort, describeEdges, exchangeBytes, instances, startInstance, until } from "./edge.fixture.ts";

const host = "app.example.com";

describeEdges(({ name, startEdge, startEdgeBefore }) => {
  const edgeBefore = (listener: RequestListener) => startEdgeBefore(host, listener);

  test.each([
    ["while the instance is thinking", "GET", "/thinking"],
    ["within the answer", "GET", "/answering"],
    ["within the upload", "POST", "/taking"],
  ])("a visitor who leaves %s ends the instance's work", async (_, method, path) => {
    let begun = false;
    let ended = false;
    const { edge, instance } = await edgeBefore((request, response) => {
      request.on("data", () => {});
      response.on("close", () => {
        ended = true;
      });
      if (path === "/answering") response.write("a piece");
      begun = true;
    });
    const { id } = instance.target;
    const request = httpRequest({ port: edge.port, path, method, headers: { host }, agent: false });
    request.on("error", () => {});
    request.on("response", (response) => response.on("error", () => {}).resume());
    if (method === "POST") request.write("half of it");
    else request.end();
    await until("the instance has it", () => begun);
    expect(await edge.server.inFlight([id])).toEqual({ [id]: 1 });
    request.destroy();
    await until("the instance sees it end", () => ended);
    await until("it is no longer counted", async () => (await edge.server.inFlight([id]))[id] === 0);
  });

  test.each(["length", "chunks"])(
    "an instance that dies within a body with %s never leaves a part that looks whole",
    async (kind) => {
      const { edge } = await edgeBefore((_, response) => {
        if (kind === "length") response.setHeader("content-length", 1_000_000);
        response.write("a piece", () => response.socket?.destroy());
      });
      await expect(ask(edge.port, host, "/")).rejects.toThrow(/aborted|hang up|ECONNRESET/);
    },
  );

  test("HTTP/1.0 is told by a reset that a body broke off", async () => {
    const { edge } = await edgeBefore((request, response) => {
      if (request.url === "/whole") response.end("all of it");
      else response.write("a piece", () => response.socket?.destroy());
    });
    const outcome = (path: string) =>
      new Promise<string>((resolve) => {
        const socket = connect(edge.port, "127.0.0.1", () =>
          socket.write(`GET ${path} HTTP/1.0\r\nHost: ${host}\r\n\r\n`),
        );
        socket.resume();
        socket.on("error", () => resolve("broken off"));
        socket.on("close", () => resolve("complete"));
      });
    expect(await outcome("/whole")).toBe("complete");
    // HAProxy ends every connection in order: there only a length tells a part from the whole.
    expect(await outcome("/part")).toBe(name === "HAProxy" ? "complete" : "broken off");
  });

  test("another instance takes over from one that refuses connections, whatever the method", async () => {
    const edge = await startEdge();
    const alive = await startInstance((request, response) => request.pipe(response));
    const dead = { id: "dead", host: "127.0.0.1", port: await closedPort() };
    await edge.route({ [host]: instances(dead, alive.target) });
    for (let round = 0; round < 6; round += 1) {
      const answer = await ask(edge.port, host, "/", { method: "POST", body: `body ${round}` });
      expect([answer.status, answer.text]).toEqual([200, `body ${round}`]);
    }
    await until("none is counted any longer", async () => {
      const counts = await edge.server.inFlight(["dead", alive.target.id]);
      return counts.dead === 0 && counts[alive.target.id] === 0;
    });
    await edge.route({ [host]: instances(dead) });
    expect((await ask(edge.port, host, "/")).status).toBe(502);
  });

  test("a connection that breaks before an answer: GET is sent once more at most, POST never", async () => {
    const count = { GET: 0, POST: 0, PUT: 0 };
    const { edge } = await edgeBefore((request, response) => {
      count[request.method as keyof typeof count] += 1; // the test sends no other
      if (request.method === "GET" && count.GET === 2) response.end("second");
      else request.socket.destroy();
    });
    // HAProxy could, for 5 µs a request; nothing is sent again there.
    const isSentAgain = name === "built-in";
    const first = await ask(edge.port, host, "/");
    if (isSentAgain) expect(first.text).toBe("second");
    else expect(first.status).toBe(502);
    expect((await ask(edge.port, host, "/", { method: "POST" })).status).toBe(502);
    expect((await ask(edge.port, host, "/", { method: "PUT", body: "taken" })).status).toBe(502);
    expect((await ask(edge.port, host, "/", { method: "PUT" })).status).toBe(502);
    expect(count).toEqual(isSentAgain ? { GET: 2, POST: 1, PUT: 3 } : { GET: 1, POST: 1, PUT: 2 });
  });

  test("an instance that tells how long it keeps idle connections is believed", async () => {
    const edge = await startEdge();
    const connections = new Set<unknown>();
    const instance = await startInstance(
      (request, response) => {
        connections.add(request.socket);
        request.pipe(response);
      },
      { keepAliveTimeout: 1_000, keepAliveTimeoutBuffer: 0 },
    );
    await edge.route({ [host]: instances(instance.target) });
    for (const body of ["first", "second"]) {
      expect((await ask(edge.port, host, "/", { method: "POST", body })).text).toBe(body);
    }
    expect(connections.size).toBe(2); // one second less one second to be safe: not used again
  });

  test("an instance that closes connections behind its answers without a word loses no request", async () => {
    const { edge } = await edgeBefore((request, response) => {
      request.pipe(response);
      response.on("finish", () => request.socket.end());
    });
    for (let round = 0; round < 50; round += 1) {
      const method = round % 2 === 0 ? "GET" : "POST";
      const answer = await ask(edge.port, host, "/", {
        method,
        ...(method === "POST" ? { body: `round ${round}` } : {}),
      });
      expect([answer.status, answer.text]).toEqual([200, method === "POST" ? `round ${round}` : ""]);
    }
  });

  test("what is not HTTP is a 502; a coding that can't be passed on too", async () => {
    const edge = await startEdge();
    const odd = await startInstance((request) => {
      const answers: Record<string, string> = {
        "/noise": "\u0000\u0001 not http\r\n\r\n",
        "/coding": "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n",
        "/switch": "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n",
      };
      request.socket.end(answers[request.url ?? ""] ?? "");
    });
    await edge.route({ [host]: instances(odd.target) });
    for (const path of ["/noise", "/coding", "/switch"]) expect((await ask(edge.port, host, path)).status).toBe(502);
  });

  test("an answer before the end of a long upload reaches the visitor", async () => {
    const { edge } = await edgeBefore((_, response) => {
      response.writeHead(413, { connection: "close" }).end("too much");
    });
    const request = httpRequest({ port: edge.port, method: "POST", headers: { host }, agent: false });
    request.on("error", () => {});
    request.write("the beginning");
    const [response] = (await once(request, "response")) as [IncomingMessage];
    expect(response.statusCode).toBe(413);
    expect(String((await once(response, "data"))[0])).toBe("too much");
    request.destroy();
  });

  test("an instance that begins no answer in its time is a 504, for requests and handshakes alike", async () => {
    const edge = await startEdge({ answerTimeoutMs: 200 });
    const instance = await startInstance((request) => request.resume());
    instance.server.on("upgrade", (_, socket) => socket.on("error", () => {}));
    await edge.route({ [host]: instances(instance.target) });
    expect((await ask(edge.port, host, "/")).status).toBe(504);
    expect((await ask(edge.port, host, "/", { method: "POST", body: "x" })).status).toBe(504);
    const handshake = `GET / HTTP/1.1\r\nHost: ${host}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n`;
    expect(await exchangeBytes(edge.port, handshake, (text) => text.includes("</html>"))).toMatch(/^HTTP\/1\.1 504 /);
    const { id } = instance.target;
    expect(await edge.server.inFlight([id])).toEqual({ [id]: 0 });
  });
});
