import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type Look, type RunReading, usageBetween } from "./usage-rates.ts";

const run = (name: string, cpuSeconds: number | null, memoryBytes: number | null = 2 ** 20): RunReading => ({
  run: name,
  serviceId: "s",
  cpuSeconds,
  memoryBytes,
});
const look = (ms: number, runs: readonly RunReading[], up = 1): Look => ({ ms, runs, up: new Map([["s", up]]) });
const cores = (before: Look | null, now: Look) => usageBetween(before, now)[0]?.cpuCores;

describe("CPU", () => {
  test.each([
    ["a first look has nothing to compare with", null, [run("a", 5)], null],
    ["half a core", [run("a", 5)], [run("a", 10)], 0.5],
    ["two instances are added", [run("a", 5), run("b", 0)], [run("a", 10), run("b", 10)], 1.5],
    ["a run that began since counts whole", [run("a", 900)], [run("b", 5)], 0.5],
    ["a counter that stands lower is a gap", [run("a", 900)], [run("a", 5)], null],
    ["a counter that was not read is a gap", [run("a", null)], [run("a", 5)], null],
    ["a counter that can't be read is a gap", [run("a", 5)], [run("a", null)], null],
    ["one gap among several is a gap", [run("a", 5), run("b", 9)], [run("a", 6), run("b", 1)], null],
    ["nothing that runs is a gap, and no zero", [run("a", 5)], [], null],
    ["an idle instance is a zero, and no gap", [run("a", 5)], [run("a", 5)], 0],
  ] as const)("%s", (_name, before, now, expected) => {
    expect(cores(before === null ? null : look(0, before), look(10_000, now))).toBe(expected);
  });

  test("whatever counters do, a rate is never negative, nor anything but a number or a gap", () => {
    const readings = fc.array(
      fc.record({
        run: fc.constantFrom("a", "b", "c"),
        serviceId: fc.constantFrom("s", "t"),
        cpuSeconds: fc.option(fc.double({ min: 0, max: 1e9, noNaN: true })),
        memoryBytes: fc.option(fc.nat()),
      }),
    );
    fc.assert(
      fc.property(readings, readings, fc.integer({ min: -10, max: 60_000 }), (before, now, ms) => {
        const up = new Map([["s", 1]]);
        for (const service of usageBetween({ ms: 0, runs: before, up }, { ms, runs: now, up })) {
          for (const value of [service.cpuCores, service.memoryMb])
            expect(value === null || (value >= 0 && Number.isFinite(value))).toBe(true);
        }
      }),
    );
  });
});

test("memory is added up; a service without a process has none, and its instances that are up are counted", () => {
  expect(usageBetween(null, look(0, [run("a", 1, 2 ** 20), run("b", 1, 3 * 2 ** 20)], 2))).toEqual([
    { serviceId: "s", instancesUp: 2, cpuCores: null, memoryMb: 4 },
  ]);
  expect(usageBetween(null, look(0, [], 0))).toEqual([
    { serviceId: "s", instancesUp: 0, cpuCores: null, memoryMb: null },
  ]);
});
