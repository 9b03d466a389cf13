/**
 * Commands that run once. A task is RUNNING until its process has ended, nothing of it is left and all its output is in the
 * log; then it is EXITED, and remembered until it is told to forget it, or its build or service is removed, 7 days at most.
 *
 * At a `kill -9` of the agent it runs on; the next agent adopts it, its deadline included.
 */
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type { TaskSpec, TaskStatus } from "../../engine.ts";
import { isInnerPath } from "../layout.ts";
import { Mask } from "./mask.ts";
import type { OutputSpool } from "./output-spool.ts";
import type { ProcessIdentity } from "./process-table.ts";
import type { RunHost } from "./run-host.ts";
import { describeSecrets, recallMask, type SecretsRecord } from "./secrets.ts";
import { type Exit, exitOf, failedStart, SupervisedProcess } from "./supervised-process.ts";
import { tenantEnvironment } from "./tenant-environment.ts";

const keptMs = 7 * 24 * 60 * 60_000;
/** From SIGTERM to SIGKILL when its time is over. */
const timeoutGraceMs = 5000;
/** The same where it takes what others need. */
export const endGraceMs = 2000;
/** `setTimeout` knows no longer time. */
const longestTimerMs = 2 ** 31 - 1;

interface TaskRecord extends SecretsRecord {
  readonly id: string;
  readonly serviceId: string;
  readonly buildId: string;
  /** As in a `TaskSpec`. */
  readonly isJob?: boolean;
  readonly log: TaskSpec["log"];
  /** Unix time in milliseconds. */
  readonly deadline: number;
  readonly startedAt: string;
  readonly process: ProcessIdentity | null;
  readonly timedOut: boolean;
  readonly finishedAt: string | null;
  readonly exit: Exit | null;
  /** As in a `TaskStatus`; not there in records of older agents. */
  readonly cause?: string;
}

export class Tasks {
  readonly #host: RunHost;
  readonly #tasks = new Map<string, Task>();

  constructor(host: RunHost) {
    this.#host = host;
  }

  async adoptAll(): Promise<void> {
    for (const { name, record } of this.#host.records("task")) {
      // The agent wrote it itself.
      const task = await Task.adopt(this.#host, name, record as TaskRecord);
      if (task === null) this.#host.clear(name);
      else this.#tasks.set(task.record.id, task);
    }
  }

  async start(spec: TaskSpec): Promise<void> {
    const known = this.#tasks.get(spec.id);
    if (known !== undefined) return known.started;
    const task = Task.start(this.#host, spec);
    this.#tasks.set(spec.id, task);
    try {
      await task.started;
    } catch (error) {
      this.#tasks.delete(spec.id);
      this.#host.clear(task.name);
      throw error;
    }
  }

  status(id: string): TaskStatus | null {
    return this.#tasks.get(id)?.status() ?? null;
  }

  /** How it ended, or, after `ms`, that it has not. */
  async wait(id: string, ms: number): Promise<TaskStatus | null> {
    const task = this.#tasks.get(id);
    await task?.started;
    const waiting = new AbortController();
    await Promise.race([task?.ended, delay(ms, undefined, { signal: waiting.signal }).catch(() => undefined)]);
    waiting.abort();
    return this.status(id);
  }

  async stop(id: string, graceMs: number): Promise<void> {
    await this.#tasks.get(id)?.stop(graceMs);
  }

  /** Those that run, with the builds (jobs: the releases) in whose folders they do. */
  running(
    serviceId?: string,
  ): readonly { readonly serviceId: string; readonly folderId: string; readonly isJob: boolean }[] {
    return [...this.#tasks.values()].flatMap(({ record }) =>
      record.finishedAt !== null || (serviceId !== undefined && record.serviceId !== serviceId)
        ? []
        : [{ serviceId: record.serviceId, folderId: record.buildId, isJob: record.isJob === true }],
    );
  }

  /** The builds of those that did not end well: nothing can be made of them any more. */
  failed(): readonly { readonly serviceId: string; readonly folderId: string }[] {
    return [...this.#tasks.values()].flatMap(({ record }) =>
      record.isJob === true || record.finishedAt === null || record.exit?.exitCode === 0
        ? []
        : [{ serviceId: record.serviceId, folderId: record.buildId }],
    );
  }

  /** Ends those that run in the folder of a build, or of a release. */
  async end(serviceId: string, buildId: string, cause: string): Promise<void> {
    await this.#endThose(cause, ({ record }) => record.serviceId === serviceId && record.buildId === buildId);
  }

  /** Jobs are no builds: they go on. */
  async endBuilds(cause: string): Promise<void> {
    await this.#endThose(cause, ({ record }) => record.isJob !== true);
  }

  async #endThose(cause: string, isMeant: (task: Task) => boolean): Promise<void> {
    const meant = [...this.#tasks.values()].filter((task) => task.record.finishedAt === null && isMeant(task));
    await Promise.all(meant.map((task) => task.end(cause)));
  }

  async stopAll(graceMs: number, serviceId?: string): Promise<void> {
    const wanted = [...this.#tasks.values()].filter(
      (task) => serviceId === undefined || task.record.serviceId === serviceId,
    );
    await Promise.all(wanted.map((task) => task.stop(graceMs)));
  }

  /** Wherever they run. */
  async stopJob(graceMs: number, jobId: string): Promise<void> {
    const wanted = [...this.#tasks.values()].filter(({ record }) => isOfJob(record, jobId));
    await Promise.all(wanted.map((task) => task.stop(graceMs)));
  }

  /** Of these, those that have ended. */
  forget(id: string): void {
    this.#forgetThose((record) => record.id === id);
  }

  forgetService(serviceId: string): void {
    this.#forgetThose((record) => record.serviceId === serviceId);
  }

  /** A job's end is still to be read when its release is gone. */
  forgetBuild(serviceId: string, buildId: string): void {
    this.#forgetThose(
      (record) => record.serviceId === serviceId && record.buildId === buildId && record.isJob !== true,
    );
  }

  forgetJob(jobId: string): void {
    this.#forgetThose((record) => isOfJob(record, jobId));
  }

  #forgetThose(isMeant: (record: TaskRecord) => boolean): void {
    for (const [id, { record, name }] of this.#tasks) {
      if (record.finishedAt === null || !isMeant(record)) continue;
      this.#tasks.delete(id);
      this.#host.clear(name);
    }
  }
}

function isOfJob({ log }: TaskRecord, jobId: string): boolean {
  return log.kind === "run" && log.jobId === jobId;
}

class Task {
  readonly #host: RunHost;
  readonly name: string;
  record: TaskRecord;
  started: Promise<void> = Promise.resolve();
  /** Once it is started. */
  ended: Promise<void> = Promise.resolve();
  #process: SupervisedProcess | null = null;
  /** While no agent was there. */
  #endedUnseen: Date | null = null;

  private constructor(host: RunHost, name: string, record: TaskRecord) {
    this.#host = host;
    this.name = name;
    this.record = record;
  }

  static start(host: RunHost, spec: TaskSpec): Task {
    const name = host.name("task", spec.id);
    const [program = ""] = spec.command;
    if (program === "" || program.startsWith("-")) throw new Error(`"${program}" is not the name of a program`);
    if (!isInnerPath(spec.workdir)) throw new Error(`"${spec.workdir}" is not a path inside the build folder`);
    const now = host.parts.clock.now();
    const secrets = describeSecrets(spec.env, spec.mask);
    const task = new Task(host, name, {
      id: spec.id,
      serviceId: spec.serviceId,
      buildId: spec.buildId,
      ...(spec.isJob === true ? { isJob: true } : {}),
      log: spec.log,
      deadline: now.getTime() + spec.timeoutMs,
      startedAt: now.toISOString(),
      process: null,
      timedOut: false,
      finishedAt: null,
      exit: null,
      ...secrets.record,
    });
    task.#save({});
    task.started = task.#launch(spec, secrets.others);
    return task;
  }

  /** null when it was never started: whoever wanted it asks again. */
  static async adopt(host: RunHost, name: string, record: TaskRecord): Promise<Task | null> {
    const task = new Task(host, name, record);
    if (record.finishedAt !== null) {
      return host.parts.clock.now().getTime() - Date.parse(record.finishedAt) > keptMs ? null : task;
    }
    const identity = host.findProcess(name, record.process);
    const mask = recallMask(record, identity?.pid ?? null);
    const spool = await host.adoptSpool(name, record.serviceId, record.log, null, mask);
    if (spool === null) return null;
    task.#endedUnseen = host.parts.exits.writtenAt(name);
    if (identity === null) {
      const word = host.parts.exits.read(name);
      await spool.settle();
      spool.discard();
      if (word === null) return null;
      task.#finish(exitOf(word, null));
      return task;
    }
    task.#save({ process: identity });
    await host.parts.presence.enter(record.serviceId);
    const run = { name, serviceId: record.serviceId, spool };
    const process = SupervisedProcess.adopt(identity, run, host.parts);
    task.ended = task.#supervise(process, spool);
    return task;
  }

  status(): TaskStatus {
    const { id, startedAt, finishedAt, timedOut, exit } = this.record;
    return {
      id,
      state: finishedAt === null ? "RUNNING" : "EXITED",
      exitCode: exit?.exitCode ?? null,
      signal: exit?.signal ?? null,
      timedOut,
      startedAt,
      finishedAt,
      error: exit?.error ?? null,
      outOfMemory: exit?.outOfMemory ?? false,
      cause: this.record.cause ?? null,
    };
  }

  async end(cause: string): Promise<void> {
    await this.started;
    if (this.#process === null || this.#process.hasEnded) return;
    this.#save({ cause });
    await this.stop(endGraceMs);
  }

  async stop(graceMs: number): Promise<void> {
    await this.started;
    await this.#process?.terminate(graceMs);
    await this.ended;
  }

  async #launch(spec: TaskSpec, otherSecrets: readonly string[]): Promise<void> {
    const { layout, users, presence, runtimes, inherited, writer } = this.#host.parts;
    const { serviceId, buildId, heading = null } = spec;
    const isJob = spec.isJob === true;
    const folder = isJob ? layout.release(serviceId, buildId) : layout.build(serviceId, buildId);
    const spool = await this.#host.createSpool(this.name, serviceId, spec.log, null, new Mask(spec.mask));
    await presence.enter(serviceId);
    try {
      if (heading !== null) await writer.append(spec.log, null, [heading]);
      const programs = await runtimes.folders(spec.runtimes);
      const command = {
        user: users.of(serviceId),
        folder,
        directory: join(folder, spec.workdir),
        program: spec.command,
        environment: tenantEnvironment(layout, serviceId, { ...inherited, ...spec.env }, null, programs),
        limits: spec.limits,
        readable: spec.readable ?? [],
        isBuild: !isJob,
        isBoosted: false,
        otherSecrets,
      };
      const run = { name: this.name, serviceId, spool };
      const process = await SupervisedProcess.start(run, command, this.#host.parts);
      this.#save({ process: process.identity });
      this.ended = this.#supervise(process, spool);
    } catch (error) {
      await presence.leave(serviceId);
      spool.discard();
      this.#finish(failedStart(error));
    }
  }

  async #supervise(process: SupervisedProcess, spool: OutputSpool): Promise<void> {
    this.#process = process;
    const left = this.record.deadline - this.#host.parts.clock.now().getTime();
    const timer = setTimeout(
      () => {
        if (process.hasEnded) return;
        this.#save({ timedOut: true });
        void process.terminate(timeoutGraceMs);
      },
      Math.min(Math.max(left, 1), longestTimerMs),
    );
    const exit = await process.ended;
    clearTimeout(timer);
    spool.discard();
    // The next step of its build, or the instance.
    if (exit.exitCode === 0) this.#host.parts.sandbox.expectLaunch();
    this.#finish(exit);
  }

  #finish(exit: Exit): void {
    const finishedAt = this.#endedUnseen?.toISOString() ?? this.#host.now();
    this.#save({ exit, finishedAt, process: null });
    this.#host.parts.exits.forget(this.name);
  }

  #save(change: Partial<TaskRecord>): void {
    this.record = { ...this.record, ...change };
    this.#host.save(this.name, this.record);
  }
}
