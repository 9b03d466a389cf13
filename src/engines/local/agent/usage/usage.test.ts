import { spawn } from "node:child_process";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createLogger } from "../../../../platform/log.ts";
import type { UsageSample } from "../../../engine.ts";
import { AgentFixture, eventually } from "../../agent.fixture.ts";
import { identify } from "../process-table.ts";
import { parseCpu, parseMemory } from "../sandbox/cgroup-usage.ts";
import { parseResident, parseStat, readSessionUsage } from "./session-usage.ts";
import { UsageSampler } from "./usage-sampler.ts";

const agent = new AgentFixture();
beforeAll(() => agent.start());
afterAll(() => agent.dispose());

const megabytes = 200;
const burner = `
const held = Buffer.alloc(${megabytes} * 1024 * 1024, 1);
for (;;) held[0] = (held[0] + 1) % 256;
`;

test("a process that burns CPU and holds memory is seen to, every 10 s, until it is counted; what began since counts whole", async () => {
  const busy = await agent.service({ "burn.js": burner });
  const idle = await agent.service();
  const down = await agent.service();
  const missed = (await agent.engine.readUsage([])).map((sample) => sample.windowStart);
  await agent.engine.startInstance(agent.instance(busy, "exec node burn.js"));
  await agent.engine.startInstance(agent.instance(idle, "exec sleep 1000"));
  await agent.engine.startInstance(agent.instance(down, "exit 3"));
  const of = (sample: UsageSample, { serviceId }: { serviceId: string }) =>
    sample.services.find((service) => service.serviceId === serviceId);
  const samples: UsageSample[] = [];
  const seen = await eventually(async () => {
    samples.push(...(await agent.engine.readUsage([...missed, ...samples.map((one) => one.windowStart)])));
    // Its share of two cores that others use too; by its second window at the latest it has had a whole one.
    return samples.find((sample) => (of(sample, busy)?.cpuCores ?? 0) > 0.1 && of(sample, idle)?.cpuCores != null);
  }, 60_000);
  expect(Date.parse(seen.windowStart) % 10_000).toBe(0);
  expect(of(seen, busy)).toMatchObject({ instancesUp: 1 });
  // More than its one core it was never given.
  expect(of(seen, busy)?.cpuCores).toBeLessThan(1.5);
  expect(of(seen, busy)?.memoryMb).toBeGreaterThan(megabytes);
  expect(of(seen, busy)?.memoryMb).toBeLessThan(megabytes + 200);
  expect(of(seen, idle)?.cpuCores).toBeLessThan(0.1);
  expect(of(seen, idle)).toMatchObject({ instancesUp: 1 });
  expect(of(seen, down)).toMatchObject({ instancesUp: 0 });
  const starts = samples.map((sample) => sample.windowStart);
  expect(starts).toEqual([...new Set(starts)].sort());
  // Not forgotten before it was counted.
  const last = samples.at(-1)?.windowStart ?? "";
  expect((await agent.engine.readUsage([])).map((one) => one.windowStart)).toContain(last);
  expect((await agent.engine.readUsage([last])).map((one) => one.windowStart)).not.toContain(last);
}, 90_000);

test("accounting of both versions of control groups is understood, and nothing else", () => {
  expect(parseCpu("cpuacct.usage", "1500000000\n")).toBe(1.5);
  expect(parseCpu("cpu.stat", "usage_usec 2500000\nuser_usec 1\n")).toBe(2.5);
  for (const text of [null, "", "x", "-1\n"]) {
    expect(parseCpu("cpuacct.usage", text)).toBeNull();
    expect(parseCpu("cpu.stat", text)).toBeNull();
  }
  expect(parseMemory("1000\n", "inactive_file 1\ntotal_inactive_file 300\n", 1)).toBe(700);
  expect(parseMemory("1000\n", "inactive_file 200\n", 2)).toBe(800);
  expect(parseMemory("100\n", "inactive_file 200\n", 2)).toBe(0);
  expect(parseMemory("max\n", "", 2)).toBeNull();
});

test("where no group tells, the process table does: by session, children that were waited for included", () => {
  const stat = "7 (a ) (b) S 1 7 42 0 -1 0 0 0 0 0 100 50 30 20 20 0 1 0 999 0 0";
  expect(parseStat(stat)).toEqual({ session: 42, cpuSeconds: 2 });
  expect(parseStat("nonsense")).toBeNull();
  expect(parseResident("VmPeak:\t9 kB\nVmRSS:\t    1024 kB\n")).toBe(2 ** 20);
  expect(parseResident("")).toBe(0);
  if (process.platform !== "linux") return;
  // Sessions of this machine: whichever leads this very process is one.
  const sessions = readSessionUsage(new Set(Array.from({ length: 200_000 }, (_, pid) => pid + 1)));
  expect(Math.max(...[...sessions.values()].map((one) => one.memoryBytes ?? 0))).toBeGreaterThan(2 ** 20);
  expect([...sessions.values()].some((one) => (one.cpuSeconds ?? 0) > 0)).toBe(true);
});

test.runIf(process.platform === "linux")("without any group a real session is measured all the same", async () => {
  const child = spawn(process.execPath, ["-e", burner], { detached: true, stdio: "ignore" });
  try {
    const identity = identify(child.pid ?? 0);
    let now = 0;
    const sampler = new UsageSampler({
      instances: () => [{ run: "x", serviceId: "burning", isUp: true, process: identity }],
      usageOf: () => ({ cpuSeconds: null, memoryBytes: null }),
      clock: { now: () => new Date(now) },
      logger: createLogger("test", "silent"),
    });
    const seen = await eventually(async () => {
      now += 10_000;
      await sampler.sample();
      const samples = sampler.take([]);
      const newest = samples.at(-1)?.services[0];
      sampler.take(samples.map(({ windowStart }) => windowStart));
      return (newest?.cpuCores ?? 0) > 0.05 && (newest?.memoryMb ?? 0) > megabytes && newest;
    });
    expect(seen).toMatchObject({ serviceId: "burning", instancesUp: 1 });
    expect(seen.memoryMb).toBeLessThan(megabytes + 300);
  } finally {
    child.kill("SIGKILL");
  }
});
