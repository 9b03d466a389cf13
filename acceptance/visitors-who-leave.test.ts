/**
 * A service that answers without end, whoever still listens, and visitors who leave in the middle or do not read: no edge
 * keeps what nobody takes, the neighbour answers, and the service is told that they have left.
 */
import { readFileSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type GitServer, startGitServer } from "../tests/git-server.fixture.ts";
import { processesWith } from "../tests/processes.fixture.ts";
import { webApp } from "./apps.ts";
import { edges } from "./edges.fixture.ts";
import { type Account, type Json, type Ksar, startKsar, until } from "./ksar.fixture.ts";

const visitors = 50;
/** A burst leaves garbage; what all the answers would be in the time that this takes is some gigabytes. */
const mostGrowthMb = 200;

/** It goes on writing to whoever has left, and counts those that it has a connection to. */
const talkativeApp: Record<string, string> = {
  "package.json": JSON.stringify({ name: "talkative", scripts: { start: "node server.js" } }),
  "server.js": `
const chunk = Buffer.alloc(64 * 1024, "x");
const server = require("node:http").createServer((request, response) => {
  if (request.url === "/connections") return server.getConnections((_, count) => response.end(String(count)));
  response.on("error", () => {});
  if (request.url === "/big") {
    const write = () => { while (response.write(chunk)); response.once("drain", write); };
    return write();
  }
  // A little at a time, for a minute at least, and nobody's leaving stops it.
  let n = 0;
  const write = () => { response.write(chunk); if (++n === 600) clearInterval(timer); };
  const timer = setInterval(write, 100);
  write();
});
server.listen(process.env.PORT);
`,
};

/** Empty for one that has ended meanwhile, as an HAProxy does that was replaced. */
function memoryOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/smaps_rollup`, "utf8");
  } catch {
    return "";
  }
}

/** The edges are tried at the same time, each with a program of its own. */
const oneAfterTheOther = { concurrent: false };

describe.concurrent.each(edges)("with the edge %s", (edge) => {
  let ksar: Ksar;
  let git: GitServer;
  let account: Account;
  let talkative: Json;
  let neighbour: Json;

  beforeAll(async () => {
    [ksar, git] = await Promise.all([startKsar({ KSAR_EDGE: edge }), startGitServer()]);
    account = await ksar.newAccount();
    const deployed = async (name: string, files: Record<string, string>) => {
      const { url } = await git.addRepository(name, files);
      const service = await account.newService({ name, repoUrl: url });
      expect(await account.deploy(service.id)).toMatchObject({ status: "LIVE" });
      return service;
    };
    talkative = await deployed("talkative", talkativeApp);
    neighbour = await deployed("neighbour", webApp("fine, thanks"));
  });
  afterAll(() => Promise.all([ksar?.close(), git?.close()]));

  /** Of the edge's processes together. */
  function edgeMb(): number {
    const ours = processesWith(ksar.dataDir);
    const edgeProcesses = [...processesWith("edge.ts"), ...processesWith("haproxy.cfg")].filter((pid) =>
      ours.includes(pid),
    );
    const kilobytes = edgeProcesses.map((pid) => Number(/^Pss:\s+(\d+)/m.exec(memoryOf(pid))?.[1] ?? 0));
    return kilobytes.reduce((sum, one) => sum + one, 0) / 1024;
  }

  /** Settles once the answer has begun; nothing more of it is read then. */
  function ask(path: string): Promise<Socket> {
    const { port, host } = new URL(talkative.url);
    return new Promise((resolve, reject) => {
      const socket = connect(Number(port), "127.0.0.1", () =>
        socket.write(`GET ${path} HTTP/1.1\r\nHost: ${host}\r\n\r\n`),
      );
      socket.on("error", reject);
      socket.once("data", () => {
        socket.pause();
        resolve(socket);
      });
    });
  }

  const connections = async () => Number((await ksar.visit(talkative.url, { path: "/connections" })).text);

  test.each(["/big", "/slow"])("in the middle of %s", oneAfterTheOther, async (path) => {
    const before = edgeMb();
    let most = 0;
    const complaints: string[] = [];
    const look = async () => {
      most = Math.max(most, edgeMb() - before);
      const { status, text } = await ksar.visit(neighbour.url);
      if (text !== "fine, thanks") complaints.push(`${status} ${text}`);
    };
    // First those who stay and do not read.
    const idle = await Promise.all(Array.from({ length: visitors }, () => ask(path)));
    for (let n = 0; n < 50; n++) await look();
    for (const socket of idle) socket.destroy();
    // Then those who come and go.
    for (let n = 0; n < visitors; n++) {
      (await ask(path)).destroy();
      await look();
    }
    await until(async () => {
      await look();
      return (await connections()) < 5;
    }, "the service to be told that they have left");
    expect(complaints).toEqual([]);
    expect(most).toBeLessThan(mostGrowthMb);
  });
});
