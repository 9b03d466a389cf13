import { mkdtempSync, rmSync } from "node:fs";
import { createServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { findStarter, SilentStarterError, serveStarter } from "./starter.ts";

const urls = { dashboardUrl: "http://d", apiUrl: "http://a", edgeUrl: "http://e", storageUrl: "http://s" };
let folder: string;
let socketPath: string;
const servers: { close(): unknown }[] = [];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "ksar-starter-"));
  socketPath = join(folder, "starter.sock");
});
afterEach(() => {
  for (const server of servers.splice(0)) server.close();
  rmSync(folder, { recursive: true, force: true });
});

/** Takes connections, and does with them what it is told. */
async function listen(serve: Parameters<typeof createServer>[1]): Promise<Server> {
  const server = createServer(serve);
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(socketPath, resolve));
  return server;
}

test("one that runs is found, and none where nobody listens", async () => {
  expect(await findStarter(socketPath)).toBeNull();
  servers.push(await serveStarter(socketPath, { urls, ready: true }, () => undefined));
  expect(await findStarter(socketPath)).toMatchObject({ pid: process.pid, ready: true, ...urls });
});

test("one that ends while it is asked does not run", async () => {
  await listen((socket) => socket.destroy());
  expect(await findStarter(socketPath)).toBeNull();
});

test("one that says nothing is not taken for none: a second start would take its place", async () => {
  const held: { destroy(): unknown }[] = [];
  await listen((socket) => held.push(socket));
  await expect(findStarter(socketPath, 200)).rejects.toThrow(SilentStarterError);
  await expect(findStarter(socketPath, 200)).rejects.toThrow(/did not answer on .*starter\.sock within 0\.2 s/);
  for (const socket of held) socket.destroy();
});
