/** The parts of one Ksar on this machine, as `ksar up`, `down`, `doctor` and `admin` all know them. */
import { join } from "node:path";
import type pg from "pg";
import { EdgeControl } from "../edge/control.ts";
import type { EdgeStatus } from "../edge/control-routes.ts";
import type { InstalledHaproxy } from "../edge/haproxy/installed.ts";
import { type AgentStatus, LocalEngine } from "../engines/local/local-engine.ts";
import type { Config } from "../platform/config.ts";
import type { Logger } from "../platform/log.ts";
import type { Paths } from "../platform/paths.ts";
import { embeddedConnection } from "../platform/postgres/embedded-postgres.ts";
import type { Daemon } from "./daemons.ts";
import { build } from "./program.ts";

export function databaseConnection(config: Config, paths: Paths): pg.PoolConfig {
  return config.databaseUrl === null
    ? embeddedConnection(paths.postgresSocketDir, "ksar")
    : { connectionString: config.databaseUrl };
}

export function createEngine(paths: Paths, logger: Logger): LocalEngine {
  return new LocalEngine({ dataDir: paths.dataDir, runDir: paths.runDir, logger });
}

export function createEdgeControl(paths: Paths): EdgeControl {
  return new EdgeControl({ socketPath: paths.edgeSocket, tableFile: paths.routingTableFile });
}

export function agentDaemon(engine: LocalEngine, config: Config, paths: Paths): Daemon<AgentStatus> {
  return {
    name: "agent",
    args: [
      ...["--data-dir", paths.dataDir, "--run-dir", paths.runDir, "--log-level", config.logLevel],
      ...["--service-disk-mb", String(config.serviceDiskMb), "--min-free-mb", String(config.minFreeMb)],
      ...["--cache-max-mb", String(config.cacheMaxMb)],
    ],
    logDir: paths.platformLogDir,
    runDir: paths.runDir,
    replacement: "after",
    status: () => engine.status(),
    fits: (status) => status.version === build,
  };
}

/** `user` is whom the edge becomes once it listens; null keeps Ksar's own. `haproxy` stands before it, unless null. */
export function edgeDaemon(
  edge: EdgeControl,
  config: Config,
  paths: Paths,
  user: { uid: number; gid: number } | null,
  haproxy: InstalledHaproxy | null,
): Daemon<EdgeStatus> {
  const proxies = config.trustedProxies.length === 0 ? [] : ["--trusted-proxies", config.trustedProxies.join(",")];
  return {
    name: "edge",
    args: [
      ...[
        "--bind",
        config.bind,
        "--port",
        String(config.edgePort),
        "--data-dir",
        paths.dataDir,
        "--run-dir",
        paths.runDir,
      ],
      ...["--log-level", config.logLevel, ...proxies],
      ...(user === null ? [] : ["--user", `${user.uid}:${user.gid}`]),
      // With its version: another one replaces it.
      ...(haproxy === null ? [] : ["--haproxy", haproxy.path, "--haproxy-version", haproxy.version]),
    ],
    logDir: paths.platformLogDir,
    runDir: paths.runDir,
    replacement: "beside",
    status: () => edge.status(),
    fits: (status) => status.version === build && (config.edgePort === 0 || status.port === config.edgePort),
  };
}

/** Where something that listens on `bind` is reached from this machine. */
export function hostFor(bind: string): string {
  return ["127.0.0.1", "::1", "0.0.0.0", "::"].includes(bind) ? "localhost" : bind.includes(":") ? `[${bind}]` : bind;
}

export function originOf(host: string, port: number): string {
  return port === 80 ? `http://${host}` : `http://${host}:${port}`;
}

export function logFileOf(paths: Paths, name: string): string {
  return join(paths.platformLogDir, `${name}.log`);
}
