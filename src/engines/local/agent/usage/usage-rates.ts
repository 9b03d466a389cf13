/** From how counters stand to what services use: pure, so that every way counters can jump is tried in a test. */
import type { ServiceUsage } from "../../../engine.ts";
import type { Usage } from "../sandbox/cgroup-usage.ts";

/** One run of an instance: started again it is another one, and its counters begin anew. */
export interface RunReading extends Usage {
  readonly run: string;
  readonly serviceId: string;
}

export interface Look {
  /** Milliseconds of a clock that never jumps. */
  readonly ms: number;
  readonly runs: readonly RunReading[];
  /** Services with instances, running or not, and how many of each are up. */
  readonly up: ReadonlyMap<string, number>;
}

const megabyte = 2 ** 20;

/** `before`: null for the first look of an agent, which has nothing to compare with. */
export function usageBetween(before: Look | null, now: Look): readonly ServiceUsage[] {
  const known = new Map(before?.runs.map((run) => [run.run, run]));
  const runs = Map.groupBy(now.runs, ({ serviceId }) => serviceId);
  const services = new Set([...now.up.keys(), ...runs.keys()]);
  return [...services].map((serviceId) => {
    const own = runs.get(serviceId) ?? [];
    const cores = own.map((run) => coresOf(run, before, known.get(run.run), now.ms));
    const bytes = own.map(({ memoryBytes }) => memoryBytes);
    const memory = sumOf(bytes);
    return {
      serviceId,
      instancesUp: now.up.get(serviceId) ?? 0,
      cpuCores: sumOf(cores),
      memoryMb: memory === null ? null : memory / megabyte,
    };
  });
}

function coresOf(run: RunReading, before: Look | null, earlier: RunReading | undefined, ms: number): number | null {
  if (before === null || run.cpuSeconds === null || ms <= before.ms) return null;
  const seconds = (ms - before.ms) / 1000;
  // Whoever was not there began since: all that it used, it used since.
  const used = earlier === undefined ? run.cpuSeconds : difference(earlier.cpuSeconds, run.cpuSeconds);
  return used === null ? null : used / seconds;
}

/** null when the counter was not read, or stands lower than before: how much was used is not known then. */
function difference(before: number | null, now: number): number | null {
  return before === null || now < before ? null : now - before;
}

/** null as soon as a part is missing, and when there is no part: a gap is no zero. */
function sumOf(parts: readonly (number | null)[]): number | null {
  let sum = 0;
  for (const part of parts) {
    if (part === null) return null;
    sum += part;
  }
  return parts.length === 0 ? null : sum;
}
