/**
 * Twenty deployments in a row under load, with each edge: no request fails, answers that stream for half a minute arrive
 * whole, WebSockets go on until they are told to end.
 */
import { request as httpRequest } from "node:http";
import { connect } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type GitServer, startGitServer } from "../tests/git-server.fixture.ts";
import { processesWith } from "../tests/processes.fixture.ts";
import { webApp } from "./apps.ts";
import { edges } from "./edges.fixture.ts";
import { type Account, type Json, type Ksar, startKsar, until } from "./ksar.fixture.ts";
import { load } from "./load.fixture.ts";

const deployments = 20;
const streamSeconds = 30;
const chunkMs = 250;
const chunks = (streamSeconds * 1000) / chunkMs;

/** A `webApp` that also streams, and echoes on WebSockets; when it is to end it says so on each of those. */
const streamingApp: Record<string, string> = {
  ...webApp("version one"),
  "server.js": `${webApp("version one")["server.js"]?.replace(
    'if (request.url === "/env")',
    'if (request.url === "/stream") return stream(response);\n  if (request.url === "/env")',
  )}
function stream(response) {
  let n = 0;
  const timer = setInterval(() => {
    response.write("chunk " + n++ + "\\n");
    if (n === ${chunks}) { clearInterval(timer); response.end("whole\\n"); }
  }, ${chunkMs});
}
const sockets = new Set();
server.on("upgrade", (request, socket) => {
  const accept = require("node:crypto").createHash("sha1")
    .update(request.headers["sec-websocket-key"] + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11").digest("base64");
  socket.write("HTTP/1.1 101 Switching Protocols\\r\\nConnection: Upgrade\\r\\nUpgrade: websocket\\r\\nSec-WebSocket-Accept: " + accept + "\\r\\n\\r\\n");
  sockets.add(socket);
  socket.on("close", () => sockets.delete(socket)).on("error", () => {}).on("end", () => socket.end());
  // The visitor's frames are short texts, masked with zeros, each in a packet of its own.
  socket.on("data", (frame) => socket.write(Buffer.concat([Buffer.from([0x81, frame[1] & 0x7f]), frame.subarray(6)])));
});
process.on("SIGTERM", () => {
  for (const socket of sockets) {
    // An echo behind the last word would be an error, which ends the connection before that word has arrived.
    socket.removeAllListeners("data").resume();
    socket.end(Buffer.from([0x88, 2, 0x03, 0xe9]));
  }
});
`,
};

interface Conversation {
  /** How many texts came back. */
  readonly echoes: () => number;
  /** How it ended; null while it goes on. */
  readonly ending: () => "told to close" | "cut off" | null;
  end(): void;
}

/** Opens a WebSocket and talks on it; settles with the handshake. */
async function converse(url: string): Promise<Conversation> {
  const target = new URL(url);
  const socket = connect({ host: "127.0.0.1", port: Number(target.port), noDelay: true });
  let echoes = 0;
  let ending: ReturnType<Conversation["ending"]> = null;
  const sayNext = () => {
    const text = Buffer.from(`text ${echoes}`);
    socket.write(Buffer.concat([Buffer.from([0x81, 0x80 | text.length, 0, 0, 0, 0]), text]));
  };
  await new Promise<void>((resolve, reject) => {
    socket.once("error", reject);
    socket.once("data", (head) =>
      /^HTTP\/1\.1 101 .*\r\n\r\n$/s.test(String(head)) ? resolve() : reject(new Error(String(head))),
    );
    socket.write(
      `GET /ws HTTP/1.1\r\nHost: ${target.host}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n` +
        "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n",
    );
  });
  socket.on("error", () => {});
  socket.on("data", (frame) => {
    if (frame.includes(Buffer.from([0x88, 2, 0x03, 0xe9]))) {
      ending = "told to close";
      socket.end();
    } else if (frame.subarray(2).toString() === `text ${echoes}`) {
      echoes += 1;
      setTimeout(sayNext, 100);
    } else socket.destroy();
  });
  socket.on("close", () => {
    ending ??= "cut off";
  });
  sayNext();
  return { echoes: () => echoes, ending: () => ending, end: () => socket.destroy() };
}

/** The whole answer; rejects when it breaks off. */
function stream(url: string): Promise<string> {
  const { port, host } = new URL(url);
  return new Promise((resolve, reject) => {
    httpRequest({ host: "127.0.0.1", port, path: "/stream", headers: { host }, agent: false }, (response) => {
      let text = "";
      response.setEncoding("utf8").on("data", (chunk) => {
        text += chunk;
      });
      response.on("error", reject).on("end", () => resolve(text));
    })
      .on("error", reject)
      .end();
  });
}

/** The edges are tried at the same time, each with a program of its own. */
const oneAfterTheOther = { concurrent: false };

describe.concurrent.each(edges)("with the edge %s", (edge) => {
  let ksar: Ksar;
  let git: GitServer;
  let account: Account;
  let service: Json;
  /** Of one instance. */
  let processes: number;

  beforeAll(async () => {
    [ksar, git] = await Promise.all([startKsar({ KSAR_EDGE: edge }), startGitServer()]);
    account = await ksar.newAccount();
    const { url } = await git.addRepository("streaming", streamingApp);
    service = await account.newService({ name: "Streaming", repoUrl: url });
    expect(await account.deploy(service.id)).toMatchObject({ status: "LIVE" });
    processes = processesWith(`${service.id}/releases`).length;
  });
  afterAll(() => Promise.all([ksar?.close(), git?.close()]));

  test(`${deployments} deployments under load`, oneAfterTheOther, async () => {
    const visitors = load(service.url);
    const whole = `${Array.from({ length: chunks }, (_, n) => `chunk ${n}\n`).join("")}whole\n`;
    const streams: Promise<string>[] = [];
    const conversations: Conversation[] = [];
    const runs = new Set<string>();
    for (let n = 0; n < deployments; n++) {
      if (n % 5 === 0) streams.push(stream(service.url));
      conversations.push(await converse(service.url));
      runs.add((await ksar.visit(service.url, { path: "/run" })).text);
      const { deploymentId } = await account.must("POST", `/services/${service.id}/restart`);
      expect(await account.untilEnded(deploymentId)).toMatchObject({ status: "LIVE" });
    }
    expect(runs.size).toBe(deployments);
    const { failures, requests } = await visitors.stop();
    expect(failures).toEqual([]);
    expect(requests).toBeGreaterThan(100);
    expect(await Promise.all(streams)).toEqual(streams.map(() => whole));
    // Each is drained for 30 s and then told to end.
    await until(async () => conversations.every((one) => one.ending() !== null), "the old WebSockets to end", 120);
    expect(conversations.map((one) => one.ending())).toEqual(conversations.map(() => "told to close"));
    for (const one of conversations) expect(one.echoes()).toBeGreaterThan(10);
    const latest = await converse(service.url);
    await until(async () => latest.echoes() > 3, "a new WebSocket to be answered");
    latest.end();
    // All that is left is the newest.
    await until(
      async () => processesWith(`${service.id}/releases`).length === processes,
      "the instances before the newest to be gone",
    );
  });
});
