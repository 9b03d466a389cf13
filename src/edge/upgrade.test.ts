import { once } from "node:events";
import type { IncomingMessage } from "node:http";
import { connect, type Socket } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { WebSocket, WebSocketServer } from "ws";
import { closedPort, describeEdges, exchangeBytes, instances, startInstance, until } from "./edge.fixture.ts";

const host = "app.example.com";

describeEdges(({ startEdge }) => {
  async function startEcho(onConnection: (request: IncomingMessage) => void = () => {}) {
    const instance = await startInstance((_, response) => response.end("plain"));
    const sockets = new WebSocketServer({ server: instance.server });
    sockets.on("connection", (socket, request) => {
      onConnection(request);
      socket.on("message", (data, isBinary) => socket.send(data, { binary: isBinary }));
    });
    return instance;
  }

  async function edgeBeforeEcho() {
    const edge = await startEdge();
    let seen: IncomingMessage["headers"] = {};
    const instance = await startEcho((request) => {
      seen = request.headers;
    });
    await edge.route({ [host]: instances(instance.target) });
    return { edge, instance, seen: () => seen };
  }

  function open(port: number): WebSocket {
    const socket = new WebSocket(`ws://127.0.0.1:${port}/chat?room=1`, ["v1.chat"], {
      headers: { host, "x-forwarded-for": "6.6.6.6", "x-request-id": "trace-1" },
    });
    onTestFinished(() => socket.terminate());
    return socket;
  }

  test("a WebSocket carries messages both ways and is counted until it closes", async () => {
    const { edge, instance, seen } = await edgeBeforeEcho();
    const { id } = instance.target;
    const socket = open(edge.port);
    const [[answer]] = (await Promise.all([once(socket, "upgrade"), once(socket, "open")])) as [[IncomingMessage], []];
    expect(answer.headers["x-request-id"]).toBe("trace-1");
    expect(socket.protocol).toBe("v1.chat");
    expect(seen()).toMatchObject({
      "x-forwarded-for": "127.0.0.1",
      "x-forwarded-host": host,
      "x-request-id": "trace-1",
      host,
    });
    for (const message of ["hello", Buffer.alloc(1_000_000, 7)]) {
      socket.send(message);
      const [echo] = (await once(socket, "message")) as [Buffer];
      expect(echo.equals(Buffer.from(message))).toBe(true);
    }
    expect(await edge.server.inFlight([id])).toEqual({ [id]: 1 });
    socket.close(4000, "bye");
    const [code] = await once(socket, "close");
    expect(code).toBe(4000);
    await until("it is no longer counted", async () => (await edge.server.inFlight([id]))[id] === 0);
  });

  test.each(["the visitor", "the instance", "the edge"])("%s ending suddenly ends the rest", async (who) => {
    const { edge, instance } = await edgeBeforeEcho();
    const { id } = instance.target;
    const socket = open(edge.port);
    await once(socket, "open");
    const closed = once(socket, "close");
    if (who === "the visitor") socket.terminate();
    else if (who === "the instance") await instance.stop();
    else await edge.server.drain(0);
    expect((await closed)[0]).toBe(1006);
    await until("it is no longer counted", async () => (await edge.server.inFlight([id]))[id] === 0);
  });

  /** An instance that agrees to `Upgrade: raw` and hands over the socket. */
  async function edgeBeforeRaw(onJoin: (socket: Socket, head: Buffer) => void) {
    const edge = await startEdge();
    const instance = await startInstance((_, response) => response.writeHead(426, { "x-reason": "no" }).end("refused"));
    instance.server.on("upgrade", (_, socket: Socket, head: Buffer) => {
      socket.on("error", () => {});
      socket.write(
        "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: raw\r\nX-Mine: 1\r\n\r\nwelcome ",
      );
      onJoin(socket, head);
    });
    await edge.route({ [host]: instances(instance.target) });
    return { edge, instance };
  }

  const isPage = (received: string) => received.includes("</html>");
  const handshake = `GET / HTTP/1.1\r\nHost: ${host}\r\nConnection: Upgrade\r\nUpgrade: raw\r\n\r\n`;

  test("any protocol may be upgraded to, and one side may end before the other", async () => {
    const { edge, instance } = await edgeBeforeRaw((socket, head) => {
      let received = head.toString();
      socket.on("data", (chunk: Buffer) => {
        received += chunk.toString();
      });
      socket.on("end", () => socket.end(`you said: ${received}`));
    });
    const socket = connect({ port: edge.port, host: "127.0.0.1", allowHalfOpen: true });
    socket.setEncoding("utf8");
    let received = "";
    socket.on("data", (chunk) => {
      received += chunk;
    });
    socket.write(`${handshake}early`);
    await until("the instance welcomes", () => received.includes("welcome"));
    socket.end(" late");
    await once(socket, "end");
    expect(received).toMatch(/^HTTP\/1\.1 101 Switching Protocols\r\n/);
    expect(received).toMatch(/upgrade: raw\r\n/i);
    expect(received).toMatch(/x-mine: 1\r\n/i);
    expect(received.endsWith("welcome you said: early late")).toBe(true);
    const { id } = instance.target;
    await until("it is no longer counted", async () => (await edge.server.inFlight([id]))[id] === 0);
  });

  test("an instance that does not agree has its answer passed on", async () => {
    const edge = await startEdge();
    const instance = await startInstance(() => {});
    instance.server.on("upgrade", (_, socket: Socket) => {
      socket.end("HTTP/1.1 403 Forbidden\r\nX-Reason: no\r\nContent-Length: 7\r\n\r\nrefused");
    });
    await edge.route({ [host]: instances(instance.target) });
    const received = await exchangeBytes(edge.port, handshake, (text) => text.endsWith("refused"));
    expect(received).toMatch(/^HTTP\/1\.1 403 Forbidden\r\n/);
    expect(received).toMatch(/x-reason: no\r\n/i);
    expect(received.endsWith("\r\n\r\nrefused")).toBe(true);
    const { id } = instance.target;
    await until("it is no longer counted", async () => (await edge.server.inFlight([id]))[id] === 0);
  });

  test("a handshake goes to another instance when one refuses connections; none left is a page", async () => {
    const { edge, instance } = await edgeBeforeRaw((socket) => socket.end("done"));
    const dead = { id: "dead", host: "127.0.0.1", port: await closedPort() };
    await edge.route({ [host]: instances(dead, instance.target) });
    for (let round = 0; round < 4; round += 1) {
      const received = await exchangeBytes(edge.port, handshake, (text) => text.includes("done"));
      expect(received).toMatch(/^HTTP\/1\.1 101 /);
    }
    await edge.route({ [host]: instances(dead) });
    expect(await exchangeBytes(edge.port, handshake, isPage)).toMatch(/^HTTP\/1\.1 502 /);
    await edge.route({ [host]: instances() });
    expect(await exchangeBytes(edge.port, handshake, isPage)).toMatch(/^HTTP\/1\.1 503 /);
  });

  test("an instance that breaks the handshake off is a 502, a visitor who leaves it is no longer counted", async () => {
    const edge = await startEdge();
    const instance = await startInstance(() => {});
    let held = 0;
    let breaks = true;
    instance.server.on("upgrade", (_, socket: Socket) => {
      socket.on("error", () => {});
      if (breaks) socket.destroy();
      else held += 1;
    });
    await edge.route({ [host]: instances(instance.target) });
    expect(await exchangeBytes(edge.port, handshake, isPage)).toMatch(/^HTTP\/1\.1 502 /);
    breaks = false;
    const socket = connect(edge.port, "127.0.0.1", () => socket.write(handshake));
    await until("the instance holds the handshake", () => held === 1);
    const { id } = instance.target;
    expect(await edge.server.inFlight([id])).toEqual({ [id]: 1 });
    socket.destroy();
    await until("it is no longer counted", async () => (await edge.server.inFlight([id]))[id] === 0);
  });
});
