/** `ksar down`: everything on this machine ends, tenants' services included; what must survive is in the data directory. */
import { setTimeout as delay } from "node:timers/promises";
import { endLeftHaproxies } from "../edge/haproxy/haproxy-process.ts";
import { countLeft } from "../edge/haproxy/left-traffic.ts";
import { Spool } from "../edge/metering/spool.ts";
import { systemClock } from "../kernel/clock.ts";
import { readConfig } from "../platform/config.ts";
import { ControlClient } from "../platform/control-client.ts";
import { createLogger } from "../platform/log.ts";
import { pathsOf } from "../platform/paths.ts";
import { stopEmbeddedPostgres } from "../platform/postgres/embedded-postgres.ts";
import { isAlive } from "./daemons.ts";
import { createEdgeControl, createEngine } from "./parts.ts";
import { createReporter } from "./reporter.ts";
import { findStarter } from "./starter.ts";

const deadlineMs = 30_000;
const edgeDrainMs = 5000;

export async function down(options: { readonly json: boolean }): Promise<void> {
  const config = readConfig(process.env, process.cwd());
  const paths = pathsOf(config.dataDir);
  const { step, say } = createReporter(options.json);
  const starter = await findStarter(paths.starterSocket);
  if (starter !== null) await step("control plane", stopStarter(paths.starterSocket, starter.pid));
  const edge = createEdgeControl(paths);
  const engine = createEngine(paths, createLogger("down", "silent"));
  const [edgeStatus, agentStatus] = await Promise.all([edge.status(), engine.status()]);
  await Promise.all([
    edgeStatus === null
      ? null
      : step(
          "edge",
          edge.shutdown(edgeDrainMs).then(() => untilGone(edgeStatus.pid)),
        ),
    agentStatus === null
      ? null
      : step(
          "services and agent",
          engine.shutdown().then(() => untilGone(agentStatus.pid)),
        ),
  ]);
  await Promise.all([edge.close(), engine.close()]);
  // One whose edge was killed before.
  const clock = systemClock;
  const spool = new Spool({ folder: paths.meteringDir, clock, log: createLogger("down", "silent") });
  const left = { spool, clock, tableFile: paths.routingTableFile };
  // Where nothing was ever counted there is no place for it either.
  await endLeftHaproxies(paths.runDir, (one) => countLeft(one, left).catch(() => undefined));
  if (config.databaseUrl === null) await stopEmbeddedPostgres(paths.postgresDir, paths.postgresSocketDir);
  const found = starter !== null || edgeStatus !== null || agentStatus !== null;
  say(
    found
      ? 'Ksar is down. Its data stays: "ksar up" brings everything back.'
      : `Nothing of Ksar runs for ${config.dataDir}.`,
    { event: "down", found },
  );
}

async function stopStarter(socketPath: string, pid: number): Promise<void> {
  const client = new ControlClient(socketPath);
  await client.call("POST", "/stop").catch(() => undefined);
  await client.close();
  await untilGone(pid);
}

async function untilGone(pid: number): Promise<void> {
  const deadline = Date.now() + deadlineMs;
  while (isAlive(pid)) {
    if (Date.now() > deadline)
      throw new Error(`process ${pid} did not end within ${deadlineMs / 1000} s: end it with "kill -9 ${pid}"`);
    await delay(50);
  }
}
