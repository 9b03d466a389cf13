import { type ChildProcess, spawn } from "node:child_process";
import { chmod, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import {
  createServer,
  request as httpRequest,
  type IncomingHttpHeaders,
  type RequestListener,
  type Server,
  type ServerOptions,
} from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { describe, onTestFinished } from "vitest";
import { systemClock } from "../kernel/clock.ts";
import { createLogger } from "../platform/log.ts";
import { EdgeControl } from "./control.ts";
import type { EdgeStatus } from "./control-routes.ts";
import { type Edge, EdgeServer } from "./edge-server.ts";
import { HaproxyEdge } from "./haproxy/haproxy-edge.ts";
import { endLeftHaproxies } from "./haproxy/haproxy-process.ts";
import { findHaproxy, type InstalledHaproxy, isUsable } from "./haproxy/installed.ts";
import { TrafficMeter } from "./metering/meter.ts";
import { Spool } from "./metering/spool.ts";
import { type ServiceTraffic, TrafficWindow } from "./metering/traffic.ts";
import { type InstanceTarget, type RouteTarget, writeRoutingTable } from "./snapshot.ts";

/** Polls until it holds; fails with `what` when the test has little time left: the machine may be busy. */
export async function until(what: string, condition: () => boolean | Promise<boolean>): Promise<void> {
  const deadline = Date.now() + 50_000;
  while (!(await condition())) {
    if (Date.now() > deadline) throw new Error(`did not come about: ${what}`);
    await delay(10);
  }
}

/** A folder that another user can read too. */
export async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "ksar-edge-"));
  await chmod(folder, 0o755);
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

export async function writeFiles(folder: string, files: Readonly<Record<string, string | Buffer>>): Promise<void> {
  for (const [name, content] of Object.entries(files)) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), content);
  }
}

export interface TestEdge {
  readonly port: number;
  readonly staticRoot: string;
  readonly tableFile: string;
  readonly server: Edge;
  /** Host → target, as the next version of the table. */
  route(targets: Readonly<Record<string, RouteTarget>>): Promise<void>;
  /** What was counted so far, by service. */
  traffic(): Promise<ReadonlyMap<string, ServiceTraffic>>;
}

export interface StartOptions {
  readonly trustedProxies?: readonly string[];
  readonly answerTimeoutMs?: number;
}

/** One of the two edges, to run the same tests against. */
export interface EdgeKind {
  readonly name: "built-in" | "HAProxy";
  /** An edge that ends with the test. */
  startEdge(options?: StartOptions): Promise<TestEdge>;
  /** An edge that proxies `host` to one instance. */
  startEdgeBefore(host: string, listener: RequestListener): Promise<{ edge: TestEdge; instance: TestInstance }>;
  /** The real program. `folder` holds its data and its socket. */
  startEdgeProcess(folder: string, ...further: readonly string[]): Promise<EdgeProcess>;
}

export const installedHaproxy = usableHaproxy();

function usableHaproxy(): InstalledHaproxy | null {
  const found = findHaproxy(process.env.PATH ?? "");
  return found !== null && isUsable(found.version) ? found : null;
}

/** The contract suite: what is in `body` holds for both edges. That of HAProxy needs one of this machine. */
export function describeEdges(body: (kind: EdgeKind) => void): void {
  describe("built-in edge", () => body(edgeKind("built-in")));
  describe.skipIf(installedHaproxy === null)("HAProxy edge", () => body(edgeKind("HAProxy")));
}

export function edgeKind(name: EdgeKind["name"]): EdgeKind {
  const startEdge = (options: StartOptions = {}) => startTestEdge(name, options);
  return {
    name,
    startEdge,
    startEdgeBefore: async (host, listener) => {
      const edge = await startEdge();
      const instance = await startInstance(listener);
      await edge.route({ [host]: instances(instance.target) });
      return { edge, instance };
    },
    startEdgeProcess: (folder, ...further) =>
      startEdgeProcess(folder, ...(name === "HAProxy" ? haproxyArguments() : []), ...further),
  };
}

export function haproxyArguments(): readonly string[] {
  const { path, version } = installedHaproxy ?? { path: "none", version: "0" };
  return ["--haproxy", path, "--haproxy-version", version];
}

/** Slots that the tests make use of; the program makes more. */
const testSlots = 16;

async function startTestEdge(name: EdgeKind["name"], options: StartOptions): Promise<TestEdge> {
  const folder = await temporaryFolder();
  const tableFile = join(folder, "edge", "routes.json");
  const staticRoot = join(folder, "static");
  const [log, clock] = [createLogger("edge", "error"), systemClock];
  const meter = new TrafficMeter(clock);
  const spool = new Spool({ folder: join(folder, "edge", "metering"), clock, log });
  await spool.prepare(null);
  const common = {
    meter,
    tableFile,
    staticRoot,
    trustedProxies: options.trustedProxies ?? [],
    answerTimeoutMs: options.answerTimeoutMs ?? 60_000,
    log,
    clock,
  };
  const server = name === "HAProxy" ? await listenHaproxy(folder, spool, common) : await listenBuiltin(common);
  onTestFinished(() => server.drain(0));
  let version = 0;
  const total = new TrafficWindow();
  return {
    port: server.port,
    staticRoot,
    tableFile,
    server,
    route: async (targets) => {
      version += 1;
      await writeRoutingTable(tableFile, tableOf(version, targets));
      await server.reload();
    },
    traffic: async () => {
      for (const one of (await server.carriedTraffic())?.services ?? []) total.add(one);
      for (const one of meter.take().window.services()) total.add(one);
      return new Map(total.services().map((one) => [one.serviceId, one]));
    },
  };
}

async function listenBuiltin(options: ConstructorParameters<typeof EdgeServer>[0]): Promise<Edge> {
  const server = new EdgeServer(options);
  await server.listen("127.0.0.1", 0);
  return server;
}

async function listenHaproxy(
  runDir: string,
  notes: Spool,
  options: ConstructorParameters<typeof EdgeServer>[0],
): Promise<Edge> {
  if (installedHaproxy === null) throw new Error("HAProxy is not installed");
  const server = new HaproxyEdge({
    ...options,
    installed: installedHaproxy,
    runDir,
    bind: "127.0.0.1",
    port: 0,
    leastSlots: testSlots,
    notes,
    user: null,
    onLost: () => {},
  });
  await server.listen();
  return server;
}

export function tableOf(version: number, targets: Readonly<Record<string, RouteTarget>>) {
  return {
    version,
    routes: Object.entries(targets).map(([host, target]) => ({ host, serviceId: `service-of-${host}`, target })),
  };
}

export function instances(...targets: readonly InstanceTarget[]): RouteTarget {
  return { kind: "instances", instances: targets };
}

let instanceCount = 0;

export interface TestInstance {
  readonly target: InstanceTarget;
  readonly server: Server;
  stop(): Promise<void>;
}

/** A service's instance: a real HTTP server on a port of its own. */
export async function startInstance(listener: RequestListener, options: ServerOptions = {}): Promise<TestInstance> {
  const server = createServer(options, listener);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const sockets = new Set<Socket>(); // upgraded ones too, which the server itself lets go of
  server.on("connection", (socket) => {
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket));
  });
  const stop = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve());
      for (const socket of sockets) socket.destroy();
    });
  onTestFinished(stop);
  instanceCount += 1;
  const { port } = server.address() as AddressInfo; // it listens on TCP
  return { target: { id: `instance-${instanceCount}`, host: "127.0.0.1", port }, server, stop };
}

/** A port that nothing listens on. */
export async function closedPort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo; // it listens on TCP
  await new Promise((resolve) => server.close(resolve));
  return port;
}

export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
  readonly text: string;
}

export interface Ask {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
  readonly body?: string | Buffer;
}

/** One request on a connection of its own; the path goes out as it is. */
export function ask(port: number, host: string, path: string, options: Ask = {}): Promise<Answer> {
  const hasLength = options.body !== undefined && options.headers?.["transfer-encoding"] === undefined;
  const length = hasLength ? { "content-length": String(Buffer.byteLength(options.body ?? "")) } : {};
  return new Promise((resolve, reject) => {
    const request = httpRequest(
      {
        port,
        host: "127.0.0.1",
        path,
        agent: false,
        method: options.method ?? "GET",
        headers: { host, ...length, ...options.headers },
      },
      (response) => {
        const chunks: Buffer[] = [];
        response.on("data", (chunk: Buffer) => chunks.push(chunk));
        response.on("error", reject);
        response.on("end", () => {
          const body = Buffer.concat(chunks);
          resolve({ status: response.statusCode ?? 0, headers: response.headers, body, text: body.toString() });
        });
      },
    );
    request.on("error", reject);
    request.end(options.body);
  });
}

/** Writes bytes and collects what comes back until the other side closes, or `enough` holds. */
export function exchangeBytes(
  port: number,
  bytes: string | Buffer,
  enough: (received: string) => boolean = () => false,
): Promise<string> {
  return new Promise((resolve) => {
    let received = "";
    const socket = connect(port, "127.0.0.1", () => socket.write(bytes));
    socket.setEncoding("latin1");
    socket.on("data", (chunk: string) => {
      received += chunk;
      if (enough(received)) socket.destroy();
    });
    socket.on("error", () => {});
    socket.on("close", () => resolve(received));
  });
}

export interface EdgeProcess {
  readonly child: ChildProcess;
  readonly control: EdgeControl;
  readonly status: EdgeStatus;
  readonly exit: Promise<number | null>;
}

/** The real program, built in unless told otherwise. `folder` holds its data and its socket. */
export async function startEdgeProcess(folder: string, ...further: readonly string[]): Promise<EdgeProcess> {
  const main = join(import.meta.dirname, "..", "main", "edge.ts");
  const child = spawn(
    process.execPath,
    [main, "--port", "0", "--data-dir", folder, "--run-dir", folder, "--log-level", "error", ...further],
    { stdio: ["ignore", "inherit", "inherit"] },
  );
  const exit = new Promise<number | null>((resolve) => child.once("exit", resolve));
  const control = new EdgeControl({
    socketPath: join(folder, "edge.sock"),
    tableFile: join(folder, "edge", "routes.json"),
  });
  onTestFinished(async () => {
    await control.close();
    child.kill("SIGKILL");
    await exit;
    await endLeftHaproxies(folder);
  });
  let status: EdgeStatus | null = null;
  await until("the edge answers on its socket", async () => {
    status = await control.status();
    return status?.pid === child.pid;
  });
  if (status === null) throw new Error("unreachable: the condition above has set it");
  return { child, control, status, exit };
}
