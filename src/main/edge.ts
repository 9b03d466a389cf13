/**
 * Starts the edge: `node src/main/edge.ts --bind 127.0.0.1 --port 8080 --data-dir D --run-dir R`.
 * It reads D/edge/routes.json and D/static, keeps what it has counted in D/edge/metering, and is spoken to on
 * R/edge.sock. As root, `--user UID:GID` makes it that user as soon as it listens. `--haproxy PATH --haproxy-version V`
 * has that HAProxy before it.
 */
import { availableParallelism } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { controlRoutes } from "../edge/control-routes.ts";
import type { Edge } from "../edge/edge-server.ts";
import { EdgeThreads } from "../edge/edge-threads.ts";
import { HaproxyEdge } from "../edge/haproxy/haproxy-edge.ts";
import { endLeftHaproxies } from "../edge/haproxy/haproxy-process.ts";
import { countLeft } from "../edge/haproxy/left-traffic.ts";
import { TrafficMeter } from "../edge/metering/meter.ts";
import { Metering } from "../edge/metering/metering.ts";
import { Spool } from "../edge/metering/spool.ts";
import { systemClock } from "../kernel/clock.ts";
import { ControlClient } from "../platform/control-client.ts";
import { serveControlSocket } from "../platform/control-server.ts";
import { createLogger, logLevels } from "../platform/log.ts";
import { portBefore, rememberPort } from "./ports.ts";
import { build, entry } from "./program.ts";
import { settleMemory } from "./settle-memory.ts";

const drainMs = 20_000;
const answerTimeoutMs = 60_000;

const { values } = parseArgs({
  options: {
    bind: { type: "string", default: "127.0.0.1" },
    port: { type: "string", default: "8080" },
    "data-dir": { type: "string" },
    "run-dir": { type: "string" },
    "log-level": { type: "string", default: "info" },
    "trusted-proxies": { type: "string", default: "" },
    user: { type: "string" },
    haproxy: { type: "string" },
    "haproxy-version": { type: "string", default: "unknown" },
  },
});

function required(name: "data-dir" | "run-dir"): string {
  const value = values[name];
  if (value === undefined) throw new Error(`--${name} is missing`);
  return resolve(value);
}

/** Services that HAProxy has room for without being asked to have more: 20 kB each. */
const leastSlots = 1_024;

/** One takes 40 MB: more than two would be more than an idle Ksar may hold. Only Linux shares connections out. */
const mostThreads = 2;
const threads = process.platform === "linux" ? Math.min(availableParallelism(), mostThreads) : 1;

const dataDir = required("data-dir");
const runDir = required("run-dir");
const socketPath = join(runDir, "edge.sock");
const portFile = join(runDir, "edge.port");
const log = createLogger("edge", logLevels.find((level) => level === values["log-level"]) ?? "info");

process.on("uncaughtException", (error) => {
  log.fatal({ err: error }, "uncaught; the supervisor starts the edge again");
  process.exit(1);
});

const port = Number(values.port);
const user = values.user === undefined ? null : parseUser(values.user);
const meter = new TrafficMeter(systemClock);
const spool = new Spool({ folder: join(dataDir, "edge", "metering"), clock: systemClock, log });
const options = {
  meter,
  tableFile: join(dataDir, "edge", "routes.json"),
  staticRoot: join(dataDir, "static"),
  trustedProxies: values["trusted-proxies"].split(",").filter((network) => network !== ""),
  answerTimeoutMs,
  log,
  clock: systemClock,
};

interface Started {
  readonly edge: Edge;
  readonly listen: () => Promise<void>;
  /** To be called before it becomes another user. */
  readonly prepare: () => Promise<void>;
}

function startBuiltin(): Started {
  const { tableFile, staticRoot, trustedProxies } = options;
  const edge = new EdgeThreads({
    ...options,
    workers: threads - 1,
    workerEntry: entry("edge-thread"),
    workerData: {
      tableFile,
      staticRoot,
      trustedProxies,
      answerTimeoutMs,
      logLevel: log.level,
      controlSocket: socketPath,
    },
    onLost: (error) => {
      log.fatal({ err: error }, "a thread has died; the supervisor starts the edge again");
      process.exit(1);
    },
  });
  const anyPort = () => edge.listen(values.bind, 0);
  const listen = () =>
    port === 0 ? edge.listen(values.bind, portBefore(portFile)).catch(anyPort) : edge.listen(values.bind, port);
  return { edge, listen, prepare: () => edge.prepare() };
}

function startWithHaproxy(path: string): Started {
  const edge = new HaproxyEdge({
    ...options,
    installed: { path, version: values["haproxy-version"] },
    runDir,
    bind: values.bind,
    port,
    portBefore: portBefore(portFile),
    leastSlots,
    notes: spool,
    user,
    onLost: (error) => {
      log.fatal({ err: error }, "HAProxy can't be started again; the supervisor starts the edge again");
      process.exit(1);
    },
  });
  return { edge, listen: () => edge.listen(), prepare: async () => {} };
}

/** The process ends without closing its control socket: that would delete the path, which a newer edge may hold by now. */
function shutdown(milliseconds: number): void {
  log.info({ drainMs: milliseconds }, "draining");
  edge
    .drain(milliseconds)
    .then(() => metering.close())
    .then(() => process.exit(0));
}

interface User {
  readonly uid: number;
  readonly gid: number;
}

function parseUser(text: string): User {
  const [uid, gid] = text.split(":").map(Number);
  if (!Number.isInteger(uid) || !Number.isInteger(gid) || uid === undefined || gid === undefined) {
    throw new Error(`--user is "${text}" and should be UID:GID`);
  }
  return { uid, gid };
}

function becomeUser({ uid, gid }: User): void {
  process.setgroups?.([gid]);
  process.setgid?.(gid);
  process.setuid?.(uid);
}

/** Traffic is carried also where it can't be counted. */
function prepareSpool(): Promise<void> {
  return spool.prepare(user).catch((error: unknown) => {
    log.error({ err: error }, "there is no place for what is counted");
  });
}

await prepareSpool();
const { edge, listen, prepare } = values.haproxy === undefined ? startBuiltin() : startWithHaproxy(values.haproxy);
await edge.reload().catch((error: unknown) => {
  log.warn({ err: error }, "no routing table to begin with; every address answers 404 until one is applied");
});
const metering = new Metering({ meter, spool, clock: systemClock, log, carried: () => edge.carriedTraffic() });
await listen();
rememberPort(portFile, edge.port);
process.on("SIGTERM", () => shutdown(drainMs));
await endLeftHaproxies(runDir, (left) =>
  countLeft(left, { ...options, spool }).catch((error: unknown) =>
    log.error({ err: error }, "what HAProxy has carried without an edge was not counted"),
  ),
);
await spool.keepNote(edge instanceof HaproxyEdge ? edge.noteName : null).catch(() => {}); // the next edge will
const software = values.haproxy === undefined ? "built in" : `HAProxy ${values["haproxy-version"]}`;
await serveControlSocket(
  socketPath,
  controlRoutes({ edge, spool, version: build, software, startedAt: systemClock.now(), shutdown }),
);
// undici loads its parser with the first answer that it reads, from files that the other user may not reach.
const self = new ControlClient(socketPath);
await self.call("GET", "/status");
await self.close();
await prepare();
if (user !== null) {
  await prepareSpool(); // what was written up to here is root's
  becomeUser(user);
}
metering.start();
settleMemory();
log.info({ port: edge.port, tableVersion: edge.tableVersion }, "the edge serves");
