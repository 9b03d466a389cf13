import { existsSync, readdirSync, statSync } from "node:fs";
import { rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { Clock } from "../../kernel/clock.ts";
import { systemClock } from "../../kernel/clock.ts";
import { newId } from "../../kernel/ids.ts";
import { createLogger } from "../../platform/log.ts";
import { temporaryFolder } from "../edge.fixture.ts";
import { TrafficMeter } from "./meter.ts";
import { type CarriedTraffic, Metering } from "./metering.ts";
import { longestWaitMs, type Note, Spool } from "./spool.ts";
import type { TrafficBatch } from "./traffic.ts";

const log = createLogger("edge", "silent");

async function newSpool(clock: Clock = systemClock, mostBytes?: number) {
  const folder = join(await temporaryFolder(), "metering");
  const spool = new Spool({ folder, clock, log, ...(mostBytes === undefined ? {} : { mostBytes }) });
  await spool.prepare(null);
  return { folder, spool };
}

let millisecond = Date.now();

/** Ids of one millisecond are in no order. */
function laterId(): string {
  millisecond += 1;
  const time = millisecond.toString(16).padStart(12, "0");
  return `${time.slice(0, 8)}-${time.slice(8)}${newId().slice(13)}`;
}

function batchOf(requests: number): TrafficBatch {
  const service = {
    serviceId: newId(),
    requests,
    bytesIn: 1,
    bytesOut: 2,
    statuses: [0, requests],
    latencies: [requests],
  };
  return { id: laterId(), windowStart: "2026-01-01T00:00:00.000Z", services: [service] };
}

function note(value: unknown, isTrue = () => true): Note {
  return { name: "haproxy-1", value, isTrue };
}

test("windows wait, oldest first and for Ksar's user alone, until they are acknowledged", async () => {
  const { folder, spool } = await newSpool();
  const batches = [batchOf(1), batchOf(2), batchOf(3)];
  for (const batch of batches) expect(await spool.write(batch)).toBe(true);
  expect(await spool.oldest(2)).toEqual(batches.slice(0, 2));
  await spool.acknowledge([batches[0]?.id ?? "", "../../etc/passwd"]);
  await spool.acknowledge([batches[0]?.id ?? ""]);
  expect(await spool.oldest(10)).toEqual(batches.slice(1));
  expect(statSync(folder).mode & 0o777).toBe(0o700);
  expect(readdirSync(folder)).toHaveLength(2);
});

test("a note is never known without its window, nor the window without it", async () => {
  const { folder, spool } = await newSpool();
  expect(await spool.readNote("haproxy-1")).toBeNull();
  const first = batchOf(1);
  await spool.write(first, note({ seen: 1 }));
  expect(await spool.readNote("haproxy-1")).toEqual({ seen: 1 });
  // Killed between the two renames:
  await rename(join(folder, `${first.id}.json`), join(folder, `${first.id}.tmp`));
  await new Spool({ folder, clock: systemClock, log }).prepare(null);
  expect(await spool.oldest(10)).toEqual([first]);
  // Somebody else has HAProxy by now:
  expect(
    await spool.write(
      batchOf(2),
      note({ seen: 2 }, () => false),
    ),
  ).toBe(false);
  expect(await spool.readNote("haproxy-1")).toEqual({ seen: 1 });
  expect(await spool.oldest(10)).toEqual([first]);
  await spool.keepNote("haproxy-2");
  expect(readdirSync(folder)).toEqual([`${first.id}.json`]);
});

test("what was not written to its end is cleared away once it is nobody's", async () => {
  const clock = { now: () => new Date(Date.now() + 120_000) };
  const { folder, spool } = await newSpool(clock);
  await writeFile(join(folder, `${newId()}.tmp`), '{"id":');
  await writeFile(join(folder, `${newId()}.json`), "no JSON");
  await spool.prepare(null);
  const good = batchOf(1);
  await spool.write(good);
  expect(await spool.oldest(10)).toEqual([good]);
  expect(readdirSync(folder).filter((name) => name.endsWith(".tmp"))).toEqual([]);
  expect(readdirSync(folder).filter((name) => name.endsWith(".broken"))).toHaveLength(1);
});

test("the oldest go when they are too many or too old", async () => {
  const crowded = await newSpool(systemClock, 500);
  const batches = [batchOf(1), batchOf(2), batchOf(3), batchOf(4)];
  for (const batch of batches) await crowded.spool.write(batch);
  const again = new Spool({ folder: crowded.folder, clock: systemClock, log, mostBytes: 500 });
  await again.write(batchOf(5));
  const sizes = readdirSync(crowded.folder).map((name) => statSync(join(crowded.folder, name)).size);
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(500);
  expect((await again.oldest(10)).at(-1)?.services[0]?.requests).toBe(5);

  const { folder, spool } = await newSpool();
  await spool.write(batchOf(1));
  const later = { now: () => new Date(millisecond + longestWaitMs) };
  await new Spool({ folder, clock: later, log }).write(batchOf(2));
  expect(await spool.oldest(10)).toEqual([]);
});

test("a window that can't be written is kept, and goes without HAProxy's part if that is another's by then", async () => {
  const { folder, spool } = await newSpool();
  const meter = new TrafficMeter(systemClock);
  const carried = { ...batchOf(100).services[0], serviceId: "carried" } as CarriedTraffic["services"][number];
  let isOurs = true;
  const metering = new Metering({
    meter,
    spool,
    clock: systemClock,
    log,
    carried: async () => ({ services: [carried], note: note({ seen: 3 }, () => isOurs) }),
  });
  const windows = async () =>
    (await spool.oldest(10)).map(({ services }) => services.map((one) => `${one.serviceId} ${one.requests}`).join());
  meter.window.of("own").requests += 1;
  await rename(folder, `${folder}-away`);
  await metering.closeWindow();
  expect(existsSync(folder)).toBe(false);
  await rename(`${folder}-away`, folder);
  await metering.closeWindow();
  expect((await windows()).toSorted()).toEqual(["carried 100", "own 1,carried 100"]);
  isOurs = false;
  meter.window.of("own").requests += 2;
  await metering.closeWindow();
  expect((await windows()).toSorted()).toEqual(["carried 100", "own 1,carried 100", "own 2"]);
  expect(await spool.readNote("haproxy-1")).toEqual({ seen: 3 });
});
