import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { systemClock } from "../kernel/clock.ts";
import { createLogger } from "../platform/log.ts";
import { ask, instances, startInstance, tableOf, temporaryFolder, until } from "./edge.fixture.ts";
import { EdgeThreads } from "./edge-threads.ts";
import { TrafficMeter } from "./metering/meter.ts";
import { TrafficWindow } from "./metering/traffic.ts";
import { type RouteTarget, writeRoutingTable } from "./snapshot.ts";

const host = "app.example.com";
/** That all of them come to one thread of two does not happen. */
const visits = 48;

async function startThreads() {
  const folder = await temporaryFolder();
  const common = {
    tableFile: join(folder, "edge", "routes.json"),
    staticRoot: join(folder, "static"),
    trustedProxies: [],
    answerTimeoutMs: 60_000,
  };
  const meter = new TrafficMeter(systemClock);
  const edge = new EdgeThreads({
    ...common,
    meter,
    log: createLogger("edge", "error"),
    clock: systemClock,
    workers: 1,
    workerEntry: join(import.meta.dirname, "..", "main", "edge-thread.ts"),
    workerData: { ...common, logLevel: "error", controlSocket: join(folder, "edge.sock") },
    onLost: (error) => {
      throw error;
    },
  });
  onTestFinished(() => edge.terminate());
  let version = 0;
  const route = async (target: RouteTarget) => {
    version += 1;
    await writeRoutingTable(common.tableFile, tableOf(version, { [host]: target }));
    return edge.reload();
  };
  return { edge, meter, route };
}

function askAll(port: number) {
  return Promise.all(Array.from({ length: visits }, () => ask(port, host, "/")));
}

test("a table is in force in every thread when it is told to be", async () => {
  const { edge, route } = await startThreads();
  const [one, other] = await Promise.all(
    ["one", "other"].map((name) => startInstance((_, response) => response.end(name))),
  );
  if (one === undefined || other === undefined) throw new Error("unreachable: there are two");
  await edge.listen("127.0.0.1", 0);
  expect((await askAll(edge.port)).every(({ status }) => status === 404)).toBe(true);
  for (const [instance, name] of [
    [one, "one"],
    [other, "other"],
    [one, "one"],
  ] as const) {
    await route(instances(instance.target));
    expect(new Set((await askAll(edge.port)).map(({ text }) => text))).toEqual(new Set([name]));
  }
  expect(edge.tableVersion).toBe(3);
});

test("a broken table leaves the one in force, and says so", async () => {
  const { edge, route } = await startThreads();
  const { target } = await startInstance((_, response) => response.end("here"));
  await edge.listen("127.0.0.1", 0);
  await route(instances(target));
  await expect(route({ kind: "nonsense" } as never)).rejects.toThrow();
  expect((await askAll(edge.port)).every(({ text }) => text === "here")).toBe(true);
});

test("what is carried is the sum of the threads, and what is under way ends before they do", async () => {
  const { edge, meter, route } = await startThreads();
  const waiting: (() => void)[] = [];
  const { target } = await startInstance((_, response) => {
    waiting.push(() => response.end("done"));
  });
  await edge.listen("127.0.0.1", 0);
  await route(instances(target));
  const answers = askAll(edge.port);
  await until("the instance has them all", () => waiting.length === visits);
  expect(await edge.inFlight([target.id, "unknown"])).toEqual({ [target.id]: visits, unknown: 0 });
  expect(await edge.connections()).toBe(visits);
  const drained = edge.drain(60_000);
  for (const end of waiting) end();
  expect((await answers).every(({ text }) => text === "done")).toBe(true);
  await drained;
  const total = new TrafficWindow();
  for (const one of [...meter.take().window.services(), ...((await edge.carriedTraffic())?.services ?? [])])
    total.add(one);
  const [traffic] = total.services();
  expect(traffic).toMatchObject({ serviceId: `service-of-${host}`, requests: visits, statuses: [0, visits, 0, 0, 0] });
  expect(traffic?.bytesOut).toBeGreaterThan(visits * "done".length);
});
