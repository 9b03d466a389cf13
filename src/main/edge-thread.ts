/** A further thread of the edge; started by `EdgeThreads`, never by hand. */
import { parentPort, workerData } from "node:worker_threads";
import { EdgeServer } from "../edge/edge-server.ts";
import { type EdgeThreadData, serveThread } from "../edge/edge-thread.ts";
import { TrafficMeter } from "../edge/metering/meter.ts";
import { systemClock } from "../kernel/clock.ts";
import { ControlClient } from "../platform/control-client.ts";
import { createLogger, logLevels } from "../platform/log.ts";
import { settleMemory } from "./settle-memory.ts";

if (parentPort === null) throw new Error("this is a thread of the edge, and no program");
const { logLevel, controlSocket, ...options } = workerData as EdgeThreadData; // `EdgeThreads` gave it
const meter = new TrafficMeter(systemClock);
const log = createLogger("edge", logLevels.find((level) => level === logLevel) ?? "info");
const edge = new EdgeServer({ ...options, meter, log, clock: systemClock });

/** undici loads its parser with the first answer that it reads, from files that another user may not reach. */
async function prepare(): Promise<void> {
  const client = new ControlClient(controlSocket);
  await client.call("GET", "/status");
  await client.close();
  settleMemory();
}

serveThread(parentPort, { edge, meter, prepare });
