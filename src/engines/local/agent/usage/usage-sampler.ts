/**
 * Looks at what services use every 10 s, at whole multiples of them, and keeps what it saw until the control plane has
 * counted it: an hour's worth, so that a control plane that is away leaves no gap. The agent's end does: the open
 * window and what nobody has fetched are lost with it, and the next agent's first look has nothing to compare with.
 *
 * Builds and other tasks are not counted: they are not what the service is limited by.
 */
import { setImmediate as breathe } from "node:timers/promises";
import type { Clock } from "../../../../kernel/clock.ts";
import type { Logger } from "../../../../platform/log.ts";
import type { UsageSample } from "../../../engine.ts";
import type { ProcessIdentity } from "../process-table.ts";
import type { Usage } from "../sandbox/cgroup-usage.ts";
import { readSessionUsage } from "./session-usage.ts";
import { type Look, type RunReading, usageBetween } from "./usage-rates.ts";

/** What the sampler asks about each instance. */
export interface SampledInstance {
  /** Names its control group. */
  readonly run: string;
  readonly serviceId: string;
  readonly isUp: boolean;
  /** null when nothing of it runs. */
  readonly process: ProcessIdentity | null;
}

export interface UsageSamplerOptions {
  readonly instances: () => readonly SampledInstance[];
  /** By its control group. */
  readonly usageOf: (run: string) => Usage;
  readonly clock: Clock;
  readonly logger: Logger;
}

export const windowMs = 10_000;
/** An hour. */
const mostKept = 360;
/** In one answer: with 1,000 services 2 MB of JSON. */
const mostGiven = 20;
/** Read in one go: the agent has others to serve, and a group's files take about 50 µs. */
const readAtOnce = 50;

export class UsageSampler {
  readonly #options: UsageSamplerOptions;
  #before: Look | null = null;
  #kept: UsageSample[] = [];

  constructor(options: UsageSamplerOptions) {
    this.#options = options;
  }

  start(): void {
    const again = () => {
      const past = this.#options.clock.now().getTime() % windowMs;
      setTimeout(() => {
        this.sample()
          .catch((error: unknown) => this.#options.logger.warn({ err: error }, "what services use could not be read"))
          .finally(again);
      }, windowMs - past).unref();
    };
    again();
  }

  /** What was not counted yet, oldest first. Forgets those windows that were. */
  take(counted: readonly string[]): readonly UsageSample[] {
    const known = new Set(counted);
    this.#kept = this.#kept.filter(({ windowStart }) => !known.has(windowStart));
    return this.#kept.slice(0, mostGiven);
  }

  /** Closes the window that ends now. */
  async sample(): Promise<void> {
    const now = await this.#look();
    const services = usageBetween(this.#before, now);
    this.#before = now;
    // A timer may be some milliseconds early by the wall clock, or late.
    const end = Math.round(this.#options.clock.now().getTime() / windowMs) * windowMs;
    const windowStart = new Date(end - windowMs).toISOString();
    if (this.#kept.some((sample) => sample.windowStart === windowStart)) return;
    this.#kept.push({ windowStart, services });
    if (this.#kept.length > mostKept) this.#kept.shift();
  }

  async #look(): Promise<Look> {
    const instances = this.#options.instances();
    const up = new Map<string, number>();
    for (const { serviceId, isUp } of instances) up.set(serviceId, (up.get(serviceId) ?? 0) + (isUp ? 1 : 0));
    const running = instances.flatMap(({ process, ...rest }) => (process === null ? [] : [{ ...rest, process }]));
    const ms = performance.now();
    const runs: RunReading[] = [];
    for (const [index, { run, serviceId, process }] of running.entries()) {
      if (index % readAtOnce === readAtOnce - 1) await breathe();
      runs.push({ run: `${run} ${process.pid} ${process.startedAt}`, serviceId, ...this.#options.usageOf(run) });
    }
    return { ms, runs: completed(runs, running), up };
  }
}

/** What no control group told, by the process table. */
function completed(
  runs: readonly RunReading[],
  running: readonly { readonly process: ProcessIdentity }[],
): readonly RunReading[] {
  const untold = (run: RunReading | undefined) => run?.cpuSeconds === null || run?.memoryBytes === null;
  const leaders = running.flatMap(({ process }, index) => (untold(runs[index]) ? [process.pid] : []));
  if (leaders.length === 0) return runs;
  const sessions = readSessionUsage(new Set(leaders));
  return runs.map((run, index) => {
    const seen = sessions.get(running[index]?.process.pid ?? 0);
    if (seen === undefined) return run;
    return {
      ...run,
      cpuSeconds: run.cpuSeconds ?? seen.cpuSeconds,
      memoryBytes: run.memoryBytes ?? seen.memoryBytes,
    };
  });
}
