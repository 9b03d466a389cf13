import { execFileSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { LogStream } from "../../engine.ts";
import { isRoot } from "../agent.fixture.ts";
import { streamFolder } from "../layout.ts";
import { DiskLogReader } from "../log-reader.ts";
import { LogWriter } from "./log-writer.ts";

let folder: string;
let writer: LogWriter;
let reader: DiskLogReader;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "ksar-logs-"));
});
afterEach(async () => {
  await writer.close();
  rmSync(folder, { recursive: true, force: true });
});

function begin(logs: string): void {
  writer = new LogWriter(logs);
  reader = new DiskLogReader(logs);
}

async function lines(stream: LogStream): Promise<readonly string[]> {
  return (await reader.read(stream, { limit: 1_000_000 })).records.map((record) => record.line);
}

test.each([
  ["build", { kind: "build", deploymentId: randomUUID() }, 400, 16],
  ["run", { kind: "run", jobId: randomUUID(), runId: randomUUID() }, 60, 2],
] as const)(
  "of a %s's log the beginning and the end are kept, and what is between is said to be dropped",
  async (kind, stream, count, megabytes) => {
    begin(folder);
    const text = "x".repeat(1000);
    for (let number = 0; number < count; number += 1) {
      await writer.append(
        stream,
        null,
        Array.from({ length: 100 }, (_, index) => `${number * 100 + index} ${text}`),
      );
    }
    const kept = await lines(stream);
    const note = kept.findIndex((line) => line.includes("was dropped"));
    expect(kept[0]).toMatch(/^0 x/);
    expect(kept.at(-1)).toMatch(new RegExp(`^${count * 100 - 1} x`));
    expect(kept[note]).toContain(`the log of a ${kind} has room for ${megabytes} MiB`);
    const numbers = kept.filter((_, index) => index !== note).map((line) => Number.parseInt(line, 10));
    expect(numbers).toEqual(numbers.toSorted((a, b) => a - b));
    const own = streamFolder(folder, stream);
    const sizes = readdirSync(own).map((name) => statSync(join(own, name)).size);
    expect(sizes.reduce((a, b) => a + b)).toBeLessThanOrEqual(megabytes * 2 ** 20 + 200);
  },
);

test("a follower and a page that stood in the part that was dropped go on behind it", async () => {
  begin(folder);
  const stream: LogStream = { kind: "build", deploymentId: randomUUID() };
  const text = "x".repeat(10_000);
  const say = async (from: number, to: number) => {
    for (let number = from; number < to; number += 1) await writer.append(stream, null, [`${number} ${text}`]);
  };
  await say(0, 1000);
  const position = (await reader.read(stream, { limit: 1 })).records.at(-1)?.position ?? "";
  await say(1000, 2000);
  const ended = new AbortController();
  for await (const batch of reader.follow(stream, { after: position }, ended.signal)) {
    expect(Number.parseInt(batch.at(1)?.line ?? "", 10)).toBeGreaterThan(1000);
    ended.abort();
  }
  const before = await reader.read(stream, { limit: 1, before: position });
  expect(Number.parseInt(before.records[0]?.line ?? "", 10)).toBeLessThan(1000);
});

test.runIf(isRoot)("what a full disk does not take is counted, and told once there is room", async () => {
  execFileSync("mount", ["-t", "tmpfs", "-o", "size=1m", "full", folder]);
  try {
    begin(folder);
    const stream: LogStream = { kind: "service", serviceId: randomUUID() };
    await writer.append(stream, "0", ["before"]);
    const ballast = join(folder, "ballast");
    expect(() => writeFileSync(ballast, Buffer.alloc(2 * 2 ** 20))).toThrow(/ENOSPC/);
    const text = "x".repeat(5000);
    await writer.append(stream, "0", [`lost ${text}`, text]);
    await writer.append(stream, "0", [text]);
    writer.lose(stream, 4);
    rmSync(ballast);
    await writer.append(stream, "0", ["after"]);
    expect(await lines(stream)).toEqual(["before", "[ksar] 7 lines are missing here: the disk was full", "after"]);
    await writer.close();
  } finally {
    execFileSync("umount", ["-l", folder]);
  }
});
