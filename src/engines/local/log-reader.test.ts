import { randomUUID } from "node:crypto";
import { appendFileSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, expect, test } from "vitest";
import {
  InvalidLogPositionError,
  type LogFilter,
  type LogPosition,
  type LogRecord,
  type LogStream,
} from "../engine.ts";
import { LogWriter } from "./agent/log-writer.ts";
import { eventually } from "./agent.fixture.ts";
import { streamFolder } from "./layout.ts";
import { cutLine, longestLineBytes, segmentBytes, segmentsKept } from "./log-format.ts";
import { DiskLogReader } from "./log-reader.ts";

const logs = mkdtempSync(join(tmpdir(), "ksar-logs-"));
const reader = new DiskLogReader(logs);
let time = Date.parse("2026-01-01T00:00:00.000Z");
const writer = new LogWriter(logs, { now: () => new Date(time) });

afterAll(async () => {
  await writer.close();
  rmSync(logs, { recursive: true, force: true });
});

function newStream(): LogStream {
  return { kind: "service", serviceId: randomUUID() };
}

/** All pages, from the newest back, put together again. */
async function readBack(stream: LogStream, limit: number, filter: LogFilter = {}): Promise<readonly LogRecord[]> {
  let all: readonly LogRecord[] = [];
  let before: LogPosition | undefined;
  for (;;) {
    const page = await reader.read(stream, { ...filter, limit, ...(before === undefined ? {} : { before }) });
    all = [...page.records, ...all];
    if (page.older === null) return all;
    expect(page.records).toHaveLength(limit);
    before = page.older;
  }
}

const line = fc.oneof(
  { weight: 5, arbitrary: fc.string({ unit: "binary", maxLength: 60 }).map((text) => text.replaceAll(/[\r\n]/g, "")) },
  { weight: 1, arbitrary: fc.constantFrom("", " ", "é".repeat(40_000), "x".repeat(70_000), "- -", "😀".repeat(4096)) },
);
const batch = fc.record({
  instance: fc.constantFrom(null, "0", "1"),
  lines: fc.array(line, { minLength: 1, maxLength: 40 }),
  wait: fc.integer({ min: -50, max: 2000 }),
});

test("pages, whatever their size, put together are all that was written", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(batch, { maxLength: 12 }), fc.integer({ min: 1, max: 30 }), async (batches, limit) => {
      const stream = newStream();
      const expected: { instance: string | null; line: string }[] = [];
      for (const { instance, lines, wait } of batches) {
        time += wait;
        await writer.append(stream, instance, lines);
        for (const piece of lines.flatMap(cutLine)) expected.push({ instance, line: Buffer.from(piece).toString() });
      }
      const all = await readBack(stream, limit);
      expect(all.map(({ instance, line }) => ({ instance, line }))).toEqual(expected);
      const times = all.map((record) => record.timestamp);
      expect(times).toEqual(times.toSorted());
      expect(all.every((record) => Buffer.byteLength(record.line) <= longestLineBytes)).toBe(true);
      // Filtered pages are the pages of what the filter leaves.
      const middle = all[Math.floor(all.length / 2)]?.timestamp;
      for (const filter of [
        { instance: "1" },
        { search: "É" },
        ...(middle ? [{ since: middle }, { until: middle }] : []),
      ]) {
        expect(await readBack(stream, limit, filter)).toEqual(all.filter((record) => passes(record, filter)));
      }
      // Each record's position is where reading on begins.
      const some = all[Math.floor(all.length / 3)];
      const behind = all.slice(Math.floor(all.length / 3) + 1);
      if (some === undefined || behind.length === 0) return;
      const followed: LogRecord[] = [];
      for await (const records of reader.follow(stream, { after: some.position }, AbortSignal.timeout(50_000))) {
        followed.push(...records);
        if (followed.length >= behind.length) break;
      }
      expect(followed).toEqual(behind);
    }),
    { numRuns: 40 },
  );
}, 120_000);

function passes(record: LogRecord, filter: LogFilter): boolean {
  return (
    (filter.instance === undefined || record.instance === filter.instance) &&
    (filter.search === undefined || record.line.toLowerCase().includes(filter.search.toLowerCase())) &&
    (filter.since === undefined || record.timestamp >= filter.since) &&
    (filter.until === undefined || record.timestamp < filter.until)
  );
}

test("segments are rotated, the oldest go, and followers and pages cross their borders", async () => {
  const stream = newStream();
  const folder = streamFolder(logs, stream);
  const ending = new AbortController();
  const followed: string[] = [];
  const following = (async () => {
    for await (const records of reader.follow(stream, { after: "start" }, ending.signal)) {
      followed.push(...records.map((record) => record.line.slice(0, 10)));
    }
  })();
  const filler = "x".repeat(1000);
  const written: string[] = [];
  let last: LogPosition = "";
  let early: LogPosition = "";
  for (let number = 0; written.length * 1036 < segmentBytes * 10; number += 1) {
    const names = Array.from({ length: 500 }, (_, index) => String(number * 500 + index).padStart(10, "0"));
    last = await writer.append(
      stream,
      "0",
      names.map((name) => `${name} ${filler}`),
    );
    if (number === 0) early = last;
    written.push(...names);
    // The follower is let to keep up: what is rotated away unread is gone.
    await eventually(async () => followed.length === written.length);
  }
  const files = readdirSync(folder);
  expect(files).toHaveLength(segmentsKept);
  expect(files.every((file) => statSync(join(folder, file)).size <= segmentBytes)).toBe(true);
  expect(followed).toEqual(written);
  ending.abort();
  await following;
  const kept = (await readBack(stream, 20_000)).map((record) => record.line.slice(0, 10));
  expect(kept).toEqual(written.slice(-kept.length));
  expect((await reader.read(stream, { limit: 3, before: last })).records).toHaveLength(3);
  // A position whose segment is gone is not wrong: nothing is behind it any more.
  expect(await reader.read(stream, { limit: 3, before: early })).toEqual({ records: [], older: null });
}, 60_000);

test("a follower that was there before the stream is told of what it asked for, also when it begins anew", async () => {
  const stream = newStream();
  const ending = new AbortController();
  const seen: string[] = [];
  const following = (async () => {
    for await (const records of reader.follow(stream, { after: "start", search: "yes" }, ending.signal)) {
      seen.push(...records.map((record) => record.line));
    }
  })();
  for (let number = 0; number < 5; number += 1) {
    await writer.append(stream, null, [`yes ${number}`, "no"]);
    await eventually(async () => seen.length > number);
  }
  // Removed and begun anew.
  await writer.remove(stream);
  await writer.append(stream, null, ["YES again"]);
  await eventually(async () => seen.length === 6);
  ending.abort();
  await following;
  expect(seen).toEqual(["yes 0", "yes 1", "yes 2", "yes 3", "yes 4", "YES again"]);
});

test("positions that were never given out are refused", async () => {
  const stream = newStream();
  const position = await writer.append(stream, null, ["one", "two"]);
  const [first] = (await reader.read(stream, { limit: 2 })).records;
  expect((await reader.read(stream, { limit: 9, before: position })).records).toHaveLength(2);
  expect((await reader.read(stream, { limit: 9, before: first?.position ?? "" })).records).toHaveLength(1);
  for (const wrong of [
    "",
    "x",
    "1",
    "1:",
    "1:3",
    "1:99999",
    "2:0",
    "-1:0",
    "1:0.5",
    "1:0 ",
    "../1:0",
    "01:0",
    "9999999999:0",
  ]) {
    await expect(reader.read(stream, { limit: 1, before: wrong }), wrong).rejects.toThrow(InvalidLogPositionError);
    const follower = reader.follow(stream, { after: wrong }, AbortSignal.timeout(50_000));
    await expect(follower[Symbol.asyncIterator]().next(), wrong).rejects.toThrow(InvalidLogPositionError);
  }
});

test("a line that a crash cut off is not read, and is gone after the next start", async () => {
  const stream = newStream();
  await writer.append(stream, "0", ["whole"]);
  const file = join(streamFolder(logs, stream), "000001.log");
  appendFileSync(file, "2026-01-01T00:00:00.000Z 0 cut o");
  expect((await reader.read(stream, { limit: 9 })).records.map((record) => record.line)).toEqual(["whole"]);
  const next = new LogWriter(logs, { now: () => new Date(0) });
  await next.append(stream, "0", ["after"]);
  await next.close();
  const { records } = await reader.read(stream, { limit: 9 });
  expect(records.map((record) => record.line)).toEqual(["whole", "after"]);
  // Nor does time run backwards across starts.
  expect(records[1]?.timestamp).toBe(records[0]?.timestamp);
  expect(
    readFileSync(file, "utf8")
      .split("\n")
      .slice(0, -1)
      .every((text) => /^\S{24} 0 \w+$/.test(text)),
  ).toBe(true);
});

test("a stream that is not there is empty", async () => {
  expect(await reader.read(newStream(), { limit: 5 })).toEqual({ records: [], older: null });
  await expect(reader.read({ kind: "service", serviceId: "../../etc" }, { limit: 5 })).rejects.toThrow("not an id");
});
