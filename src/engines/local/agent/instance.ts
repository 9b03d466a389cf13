/**
 * A process that should stay up.
 *
 *   STARTING ──accepts connections──► UP ──exits──► BACKOFF ──1 s, 2 s, 4 s … 60 s──► STARTING
 *       └──────────exits───────────────────────────────┘          any ──stop──► STOPPING ──► gone
 *
 * One that does not listen is UP at once. The delay begins anew after a minute of being up. At a `kill -9` of the agent
 * the process runs on, and the next agent adopts it; should it exit before the control plane has brought its
 * specification again (no disk holds its environment), it waits in BACKOFF for that.
 *
 * A hostile neighbour may take the instance's port: the instance is UP only when its own user is the one who listens, and
 * gets another port at its next start if it can't have the old one.
 */
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type { InstanceChange, InstanceSpec, InstanceStatus, LogStream } from "../../engine.ts";
import { isInnerPath } from "../layout.ts";
import { Mask } from "./mask.ts";
import type { OutputSpool } from "./output-spool.ts";
import { isServedBy, type Ports } from "./ports.ts";
import type { ProcessIdentity } from "./process-table.ts";
import type { RunHost, RunKind } from "./run-host.ts";
import { instanceProcesses } from "./sandbox/sandbox.ts";
import { describeSecrets, recallMask, type SecretsRecord } from "./secrets.ts";
import { type Exit, failedStart, SupervisedProcess } from "./supervised-process.ts";
import { endGraceMs } from "./tasks.ts";
import { tenantEnvironment } from "./tenant-environment.ts";
import type { SampledInstance } from "./usage/usage-sampler.ts";

const firstDelayMs = 1000;
const longestDelayMs = 60_000;
/** Up for so long, and the next exit is a first one again. */
const provenMs = 60_000;
/** Between two looks whether it listens: a few hundredths of the time that it has taken so far. */
const probeMs = 4;
const probeGrowth = 1.03;
const slowProbeMs = 500;
/** How long it may have more CPU time than its limit, if it is not UP before; and how long until it may again. */
const boostMs = 10_000;
const boostAgainMs = 10 * 60_000;

export interface InstanceRecord extends SecretsRecord, Omit<InstanceStatus, "address" | "state"> {
  readonly state: "STARTING" | "UP" | "BACKOFF";
  readonly artifactId: string;
  readonly listens: boolean;
  readonly port: number | null;
  /** Exits in a row, none of them after a minute of being up. */
  readonly failures: number;
  readonly process: ProcessIdentity | null;
  /** Its limit; not there in records of older agents. */
  readonly cpuCores?: number;
}

/** What the agent adds to a specification for its own use. */
export interface AgentInstanceSpec extends InstanceSpec {
  /** The port that it had under an earlier agent's record. */
  readonly port?: number | null;
}

export interface InstanceHost {
  readonly runs: RunHost;
  readonly kind: RunKind;
  readonly ports: Ports;
  /** What it runs in and may write to. */
  readonly folderOf: (spec: InstanceSpec) => string;
  readonly changed: (instance: InstanceChange) => void;
}

export class Instance {
  readonly #host: InstanceHost;
  readonly #name: string;
  readonly #spool: OutputSpool;
  #record: InstanceRecord;
  /** null: adopted, and not brought again yet. */
  #spec: AgentInstanceSpec | null;
  #process: SupervisedProcess | null = null;
  #starting: Promise<void> = Promise.resolve();
  #retry: NodeJS.Timeout | null = null;
  #stopping = false;
  /** That this run presses against its limits. */
  #wasTold = false;
  /** Milliseconds of `performance.now()`. */
  #boostedAt = Number.NEGATIVE_INFINITY;
  /** Why this run was ended; what must have happened before the next one. */
  #cause: string | null = null;
  #ready: Promise<void> = Promise.resolve();

  private constructor(host: InstanceHost, record: InstanceRecord, spool: OutputSpool, spec: AgentInstanceSpec | null) {
    this.#host = host;
    this.#name = host.runs.name(host.kind, record.id);
    this.#record = record;
    this.#spool = spool;
    this.#spec = spec;
  }

  static async start(host: InstanceHost, spec: AgentInstanceSpec): Promise<Instance> {
    if (!isInnerPath(spec.workdir)) throw new Error(`"${spec.workdir}" is not a path inside the release folder`);
    const record: InstanceRecord = {
      id: spec.id,
      serviceId: spec.serviceId,
      deploymentId: spec.deploymentId,
      index: spec.index,
      artifactId: spec.artifactId,
      listens: spec.listens,
      state: "STARTING",
      port: null,
      restarts: 0,
      failures: 0,
      startedAt: host.runs.now(),
      lastExit: null,
      process: null,
      ...describeSecrets(spec.env, spec.mask).record,
    };
    const name = host.runs.name(host.kind, spec.id);
    host.runs.save(name, record);
    const mask = new Mask(spec.mask);
    const spool = await host.runs.createSpool(name, spec.serviceId, streamOf(spec), String(spec.index), mask);
    const instance = new Instance(host, record, spool, spec);
    instance.#begin();
    await instance.#starting;
    return instance;
  }

  /** null when an earlier agent had not begun to start it. */
  static async adopt(host: InstanceHost, name: string, record: InstanceRecord): Promise<Instance | null> {
    const { runs, ports } = host;
    const identity = runs.findProcess(name, record.process);
    const mask = recallMask(record, identity?.pid ?? null);
    const spool = await runs.adoptSpool(name, record.serviceId, streamOf(record), String(record.index), mask);
    if (spool === null) return null;
    const instance = new Instance(host, { ...record, process: identity }, spool, null);
    if (record.port !== null) ports.hold(record.port);
    if (identity === null) {
      await spool.settle();
      instance.#save({ state: "BACKOFF" });
    } else {
      await runs.parts.presence.enter(record.serviceId);
      const run = { name, serviceId: record.serviceId, spool };
      instance.#supervise(SupervisedProcess.adopt(identity, run, runs.parts));
    }
    return instance;
  }

  get serviceId(): string {
    return this.#record.serviceId;
  }

  get deploymentId(): string {
    return this.#record.deploymentId;
  }

  get artifactId(): string {
    return this.#record.artifactId;
  }

  get isRunning(): boolean {
    return this.#process !== null;
  }

  /** What the metrics are taken of. */
  get sampled(): SampledInstance {
    const { serviceId, state } = this.#record;
    const process = this.#process?.identity ?? null;
    return { run: this.#name, serviceId, isUp: state === "UP" && process !== null && !this.#stopping, process };
  }

  /** null: not known. */
  get runtimes(): readonly string[] | null {
    return this.#spec?.runtimes ?? null;
  }

  status(): InstanceStatus {
    const { id, serviceId, deploymentId, index, state, port, restarts, startedAt, lastExit } = this.#record;
    return {
      id,
      serviceId,
      deploymentId,
      index,
      state: this.#stopping ? "STOPPING" : state,
      address: port === null ? null : { host: "127.0.0.1", port },
      restarts,
      startedAt,
      lastExit,
    };
  }

  /** Its specification again: what it starts with next. */
  refresh(spec: AgentInstanceSpec): void {
    const waited = this.#spec === null && this.#process === null;
    this.#spec = spec;
    this.#spool.mask = new Mask(spec.mask);
    if (waited) this.#restart();
  }

  /** Tells the owner, once a run, that it can't start more processes. */
  watchLimits(): void {
    if (this.#process === null || this.#wasTold) return;
    if (this.#host.runs.parts.sandbox.readings(this.#name).processLimitHit === 0) return;
    this.#wasTold = true;
    void this.#tell(`has too many processes and threads: it may have ${instanceProcesses}, and can start no more`);
  }

  /** Ends its run for that cause, but not itself: it starts again, with growing delay, once `ready` is. */
  async end(cause: string, ready: Promise<void>): Promise<void> {
    if (this.#process === null || this.#process.hasEnded || this.#stopping) return;
    this.#cause = cause;
    this.#ready = ready;
    await this.#process.terminate(endGraceMs);
  }

  /** Resolves when nothing of it is left. */
  async stop(graceMs: number): Promise<void> {
    this.#stopping = true;
    this.#host.changed(this.#record);
    if (this.#retry !== null) clearTimeout(this.#retry);
    await this.#starting;
    await this.#process?.terminate(graceMs);
    this.#spool.discard();
    if (this.#record.port !== null) this.#host.ports.release(this.#record.port);
    this.#host.runs.clear(this.#name);
  }

  #begin(): void {
    this.#starting = this.#launch().catch((error: unknown) => this.#ended(failedStart(error)));
  }

  async #launch(): Promise<void> {
    const spec = this.#spec;
    if (spec === null || this.#stopping) return;
    const { layout, users, presence, runtimes, inherited } = this.#host.runs.parts;
    await this.#ready;
    const programs = await runtimes.folders(spec.runtimes);
    if (this.#stopping) return;
    const port = spec.listens ? await this.#takePort(spec) : null;
    const { cpuCores } = spec.limits;
    // Who could have it at every start would start all the time.
    const isBoosted = spec.listens && performance.now() - this.#boostedAt >= boostAgainMs;
    if (isBoosted) this.#boostedAt = performance.now();
    this.#save({ state: "STARTING", port, cpuCores, startedAt: this.#host.runs.now() });
    const environment = tenantEnvironment(layout, spec.serviceId, { ...inherited, ...spec.env }, port, programs);
    const secrets = describeSecrets(spec.env, spec.mask);
    const folder = this.#host.folderOf(spec);
    await presence.enter(spec.serviceId);
    try {
      const process = await SupervisedProcess.start(
        { name: this.#name, serviceId: spec.serviceId, spool: this.#spool },
        {
          user: users.of(spec.serviceId),
          folder,
          directory: join(folder, spec.workdir),
          program: ["/bin/sh", "-c", spec.command],
          environment,
          limits: spec.limits,
          readable: [],
          isBuild: false,
          isBoosted,
          otherSecrets: secrets.others,
        },
        this.#host.runs.parts,
      );
      this.#save({ process: process.identity, ...secrets.record });
      this.#supervise(process);
    } catch (error) {
      await presence.leave(spec.serviceId);
      throw error;
    }
  }

  async #takePort(spec: AgentInstanceSpec): Promise<number> {
    const { ports } = this.#host;
    const before = this.#record.port ?? spec.port ?? null;
    const port = await ports.take(before);
    if (before !== null && before !== port) ports.release(before);
    return port;
  }

  #supervise(process: SupervisedProcess): void {
    this.#process = process;
    this.#wasTold = false;
    this.#cause = null;
    if (!this.#record.listens) this.#save({ state: "UP" });
    else if (this.#record.state !== "UP") void this.#probe(process);
    // The agent that saw it come up may have been killed before it had done this.
    else this.#endBoost(process);
    const boost = setTimeout(() => this.#endBoost(process), boostMs).unref();
    void process.ended.then((exit) => {
      clearTimeout(boost);
      this.#process = null;
      return this.#ended(exit);
    });
  }

  async #probe(process: SupervisedProcess): Promise<void> {
    const { port, serviceId } = this.#record;
    const uid = this.#host.runs.parts.users.of(serviceId)?.uid ?? null;
    for (let pause = probeMs; port !== null; pause = Math.min(slowProbeMs, pause * probeGrowth)) {
      const served = await isServedBy(port, uid);
      if (this.#process !== process || process.hasEnded) return;
      if (served) {
        this.#save({ state: "UP" });
        return this.#endBoost(process);
      }
      await delay(pause);
    }
  }

  #endBoost(process: SupervisedProcess): void {
    const { cpuCores } = this.#record;
    if (this.#process !== process || process.hasEnded || cpuCores === undefined) return;
    const { sandbox, logger } = this.#host.runs.parts;
    try {
      sandbox.endBoost(this.#name, cpuCores);
    } catch (error) {
      logger.error({ err: error, instance: this.#record.id }, "an instance could not be held to its CPU time");
    }
  }

  async #ended(exit: Exit): Promise<void> {
    if (this.#stopping) return;
    const record = this.#record;
    const { clock } = this.#host.runs.parts;
    const now = clock.now();
    const cause = this.#cause;
    const proven =
      cause === null && record.process !== null && now.getTime() - Date.parse(record.startedAt) >= provenMs;
    const failures = proven ? 1 : record.failures + 1;
    const pause = Math.min(longestDelayMs, firstDelayMs * 2 ** Math.min(failures - 1, 10));
    const { exitCode, signal, outOfMemory } = exit;
    const lastExit = { exitCode, signal, outOfMemory, cause, at: now.toISOString() };
    this.#save({ state: "BACKOFF", process: null, failures, lastExit });
    // Up to a tenth more: a neighbour's crash must not bring all of them back at the same moment.
    if (this.#spec !== null) this.#retry = setTimeout(() => this.#restart(), pause * (1 + Math.random() / 10));
    const next = this.#spec === null ? "it will be started again" : `starting again in ${pause / 1000} s`;
    await this.#tell(`${cause === null ? describe(exit) : `was ended: the service ${cause}`}; ${next}`);
  }

  /** In the service's log. */
  async #tell(what: string): Promise<void> {
    const { writer, logger } = this.#host.runs.parts;
    const note = `[ksar] instance ${this.#record.index} ${what}`;
    await writer.append(streamOf(this.#record), null, [note]).catch((error: unknown) => {
      logger.error({ err: error, instance: this.#record.id }, "a note for the owner could not be written");
    });
  }

  #restart(): void {
    if (this.#stopping) return;
    this.#save({ restarts: this.#record.restarts + 1 });
    this.#begin();
  }

  #save(change: Partial<InstanceRecord>): void {
    const before = this.#record;
    this.#record = { ...before, ...change };
    if (!this.#stopping) this.#host.runs.save(this.#name, this.#record);
    if (before.state !== this.#record.state) this.#host.changed(this.#record);
  }
}

function streamOf(instance: { readonly serviceId: string }): LogStream {
  return { kind: "service", serviceId: instance.serviceId };
}

function describe(exit: Exit): string {
  if (exit.error !== null) return `could not be started: ${exit.error}`;
  if (exit.outOfMemory) return "was ended because it used more memory than the service has (memoryMb)";
  const cause = exit.tooManyProcesses
    ? ` (it had too many processes and threads: ${instanceProcesses} are allowed)`
    : "";
  if (exit.signal === "SIGXFSZ")
    return "was ended because it wrote a file larger than all the disk that the service has";
  if (exit.signal !== null) return `was ended by ${exit.signal}${cause}`;
  return exit.exitCode === null ? `ended${cause}` : `exited with code ${exit.exitCode}${cause}`;
}
