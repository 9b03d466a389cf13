/**
 * Starts the edge: `node src/main/edge.ts --bind 127.0.0.1 --port 8080 --data-dir D --run-dir R`.
 * It reads D/edge/routes.json and D/static, and is spoken to on R/edge.sock. As root, `--user UID:GID` makes it that
 * user as soon as it listens.
 */
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { controlRoutes } from "../edge/control-routes.ts";
import { EdgeServer } from "../edge/edge-server.ts";
import { systemClock } from "../kernel/clock.ts";
import { ControlClient } from "../platform/control-client.ts";
import { serveControlSocket } from "../platform/control-server.ts";
import { createLogger, logLevels } from "../platform/log.ts";
import { build } from "./program.ts";

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
  },
});

function required(name: "data-dir" | "run-dir"): string {
  const value = values[name];
  if (value === undefined) throw new Error(`--${name} is missing`);
  return resolve(value);
}

const dataDir = required("data-dir");
const socketPath = join(required("run-dir"), "edge.sock");
const log = createLogger("edge", logLevels.find((level) => level === values["log-level"]) ?? "info");

process.on("uncaughtException", (error) => {
  log.fatal({ err: error }, "uncaught; the supervisor starts the edge again");
  process.exit(1);
});

const server = new EdgeServer({
  tableFile: join(dataDir, "edge", "routes.json"),
  staticRoot: join(dataDir, "static"),
  trustedProxies: values["trusted-proxies"].split(",").filter((network) => network !== ""),
  answerTimeoutMs,
  log,
  clock: systemClock,
});

/** The process ends without closing its control socket: that would delete the path, which a newer edge may hold by now. */
function shutdown(milliseconds: number): void {
  log.info({ drainMs: milliseconds }, "draining");
  server.drain(milliseconds).then(() => process.exit(0));
}

function becomeUser(user: string): void {
  const [uid, gid] = user.split(":").map(Number);
  if (!Number.isInteger(uid) || !Number.isInteger(gid) || uid === undefined || gid === undefined) {
    throw new Error(`--user is "${user}" and should be UID:GID`);
  }
  process.setgroups?.([gid]);
  process.setgid?.(gid);
  process.setuid?.(uid);
}

await server.reload().catch((error: unknown) => {
  log.warn({ err: error }, "no routing table to begin with; every address answers 404 until one is applied");
});
await server.listen(values.bind, Number(values.port));
process.on("SIGTERM", () => shutdown(drainMs));
await serveControlSocket(socketPath, controlRoutes({ server, version: build, startedAt: systemClock.now(), shutdown }));
// undici loads its parser with the first answer that it reads, from files that the other user may not reach.
const self = new ControlClient(socketPath);
await self.call("GET", "/status");
await self.close();
if (values.user !== undefined) becomeUser(values.user);
log.info({ port: server.port, tableVersion: server.tableVersion }, "the edge serves");
