/**
 * The port between Ksar and what runs tenants' code on this machine (or elsewhere).
 *
 * An engine knows services only by id. It keeps, for each service, a workspace on its own storage:
 *   - builds    a folder a deployment: the checked-out source, in which the build steps run
 *   - releases  a folder an artifact: what a finished build left, from which instances run
 *   - static    a folder an artifact: files that the edge serves from disk, owned by nobody's service
 *   - cache     kept between the builds of one service
 *
 * Everything is addressed by ids that the caller chooses, and every call may be made twice: an engine that is
 * asked for a task or an instance that it already has does nothing. So a control plane that was killed at any line
 * can ask again. What runs goes on while no control plane is there.
 */
import type { SourceTree } from "../kernel/source-tree.ts";

/** Where lines are kept: one stream a service for what its instances say, one a deployment for its build, one a run of a cron job. */
export type LogStream =
  | { readonly kind: "service"; readonly serviceId: string }
  | { readonly kind: "build"; readonly deploymentId: string }
  | { readonly kind: "run"; readonly jobId: string; readonly runId: string };

export interface ResourceLimits {
  /** Cores; 0.5 is half a core. Engines that can't limit say so in `describe()`. */
  readonly cpuCores: number;
  readonly memoryMb: number;
}

/** What a source asks to run on: the versions of it that will do, as package.json writes them in `engines`. */
export interface RuntimeRequest {
  readonly name: "node";
  readonly range: string;
}

/** A command that runs once: a step of a build, or a job of the service's own. */
export interface TaskSpec {
  readonly id: string;
  readonly serviceId: string;
  /** The deployment whose build folder it runs in; a job's artifact, whose release folder it is. */
  readonly buildId: string;
  /** true: it runs in the release folder as the service's instances do, with their weight, and not with what they leave. */
  readonly isJob?: boolean;
  /** Relative to that folder; the folder itself when empty. */
  readonly workdir: string;
  /** The program and its arguments; no shell is put around them. */
  readonly command: readonly string[];
  /** Such as `node-22.23.3`, see `ensureRuntime`: its programs are found before those that the engine brings itself. */
  readonly runtimes: readonly string[];
  /** Added to what the engine sets itself: HOME, TMPDIR, PATH, LANG, KSAR_CACHE_DIR. */
  readonly env: Readonly<Record<string, string>>;
  readonly log: LogStream;
  /** A line that is written there before it begins; null or left out: none. */
  readonly heading?: string | null;
  readonly timeoutMs: number;
  /** Values replaced in the log by `[masked]`. */
  readonly mask: readonly string[];
  readonly limits: ResourceLimits;
  /** Absolute paths, besides the service's own folders, that it may read: a repository on this machine. */
  readonly readable?: readonly string[];
}

export interface TaskStatus {
  readonly id: string;
  readonly state: "RUNNING" | "EXITED";
  /** null while it runs, and when a signal ended it or its end was not seen. */
  readonly exitCode: number | null;
  readonly signal: string | null;
  readonly timedOut: boolean;
  readonly startedAt: string;
  readonly finishedAt: string | null;
  /** Why it could not be started, in words; null when it was. */
  readonly error: string | null;
  /** Something of it was killed because it used all the memory of its limit. */
  readonly outOfMemory: boolean;
  /** Why the engine itself ended it, in sentences for its author: it took too much disk. null when it did not. */
  readonly cause: string | null;
}

/** A process that should stay up: one of the `instances` of a service, from one of its releases. */
export interface InstanceSpec {
  readonly id: string;
  readonly serviceId: string;
  readonly deploymentId: string;
  /** From 0. */
  readonly index: number;
  /** The artifact whose release folder it runs in. */
  readonly artifactId: string;
  /** Relative to the release folder; the folder itself when empty. */
  readonly workdir: string;
  /** A shell command line. */
  readonly command: string;
  /** As a task's. */
  readonly runtimes: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** true: the engine gives it an address, told in the variable PORT, and it is UP once it accepts connections there. */
  readonly listens: boolean;
  readonly mask: readonly string[];
  readonly limits: ResourceLimits;
}

export interface InstanceStatus {
  readonly id: string;
  readonly serviceId: string;
  readonly deploymentId: string;
  readonly index: number;
  /** STARTING: running, not yet accepting. UP. BACKOFF: exited, waits for its next start. STOPPING: told to end. */
  readonly state: "STARTING" | "UP" | "BACKOFF" | "STOPPING";
  /** Where the edge reaches it; null when it does not listen. */
  readonly address: { readonly host: string; readonly port: number } | null;
  /** How often it has been started again after it exited by itself. */
  readonly restarts: number;
  readonly startedAt: string;
  readonly lastExit: {
    readonly exitCode: number | null;
    readonly signal: string | null;
    /** Something of it was killed because it used all the memory of its limit. */
    readonly outOfMemory: boolean;
    /** Why the engine itself ended it, as the rest of a sentence about the service; null when it did not. */
    readonly cause: string | null;
    readonly at: string;
  } | null;
}

/** That something about a service's instances is no longer as it was. */
export interface InstanceChange {
  readonly serviceId: string;
  /** Whose instance it is; null: of any, or of several. */
  readonly deploymentId: string | null;
}

/** A place between two records of a stream; it stays valid while records are added, opaque to callers. */
export type LogPosition = string;

export interface LogRecord {
  /** ISO 8601 with milliseconds, UTC; never runs backwards within a stream. */
  readonly timestamp: string;
  /** The instance that said it; null for what Ksar itself or a build step says. */
  readonly instance: string | null;
  /** One line without its end, valid UTF-8, at most 16 KiB (longer ones are cut into several records). */
  readonly line: string;
  /** Just behind this record. */
  readonly position: LogPosition;
}

export interface LogFilter {
  /** ISO 8601; inclusive. */
  readonly since?: string;
  /** ISO 8601; exclusive. */
  readonly until?: string;
  /** Case-insensitive, anywhere in the line. */
  readonly search?: string;
  readonly instance?: string;
}

export interface LogReader {
  /**
   * The newest `limit` matching records before `before` (the end of the stream when absent), oldest first.
   * `older` is where the page before this one ends; null when there is none.
   * Throws `InvalidLogPositionError` for a position that it never gave out.
   */
  read(
    stream: LogStream,
    query: LogFilter & { readonly limit: number; readonly before?: LogPosition },
  ): Promise<{ readonly records: readonly LogRecord[]; readonly older: LogPosition | null }>;
  /**
   * Batches of matching records behind `after` (from the first record when `"start"`), then new ones as they come,
   * within 200 ms; ends when the signal aborts.
   */
  follow(
    stream: LogStream,
    query: LogFilter & { readonly after: LogPosition | "start" },
    signal: AbortSignal,
  ): AsyncIterable<readonly LogRecord[]>;
}

export class InvalidLogPositionError extends Error {
  override readonly name = "InvalidLogPositionError";
}

/** What runs the services does not answer just now; callers try again. */
export class EngineUnreachableError extends Error {
  override readonly name = "EngineUnreachableError";
}

/** A refusal whose message is meant for the tenant: it says what is wrong with the source and what to do. */
export class ArtifactError extends Error {
  override readonly name = "ArtifactError";
}

/** What an engine has on its storage, by the ids that it was given. */
export interface Holdings {
  /** Those with a folder or a log. */
  readonly services: readonly string[];
  /** Builds, releases and static files; `serviceId` null where only the latter are left. */
  readonly artifacts: readonly { readonly serviceId: string | null; readonly artifactId: string }[];
  /** The deployments whose build logs are there. */
  readonly buildLogs: readonly string[];
  /** The cron jobs of whose runs logs are there. */
  readonly jobLogs: readonly string[];
}

/** What a service's instances use together. */
export interface ServiceUsage {
  readonly serviceId: string;
  readonly instancesUp: number;
  /** On average over the window; null when it is not known. A gap is never a zero. */
  readonly cpuCores: number | null;
  /** At the window's end: the working set; null when it is not known. */
  readonly memoryMb: number | null;
}

/** What was used in one window of 10 s. */
export interface UsageSample {
  /** ISO 8601, a whole multiple of 10 s. */
  readonly windowStart: string;
  /** Those with instances, running or not. */
  readonly services: readonly ServiceUsage[];
}

/** A PostgreSQL server of its own, for one database of a tenant's. */
export interface DatabaseSpec {
  readonly id: string;
  /** The SCRAM verifier of the role `ksar`, the server's superuser; it counts when the server is made. */
  readonly adminVerifier: string;
  /** The port that it had; null: it is given one, and keeps it. */
  readonly port: number | null;
  readonly limits: ResourceLimits;
}

/** What tenants find in each of those servers: the one database and the one role that are reached from outside. */
export const tenantDatabase = "app";
export const tenantRole = "app";
export const adminRole = "ksar";

export interface DatabaseStatus {
  readonly id: string;
  readonly state: InstanceStatus["state"];
  /** Of 127.0.0.1; null until it has one. */
  readonly port: number | null;
  readonly restarts: number;
  readonly lastExit: InstanceStatus["lastExit"];
  /** Of the disk, with its log of changes; null when it has not been measured yet. */
  readonly sizeMb: number | null;
}

/**
 * Runs tenants' databases. Their data is the one thing here that can't be made again: only `remove` deletes any, and
 * a server that is there is never made anew.
 */
export interface DatabaseHost {
  /** Makes the server where there is none, and keeps it running; also brings one that was adopted its specification again. */
  start(spec: DatabaseSpec): Promise<void>;
  /** Those that should run. */
  list(): Promise<readonly DatabaseStatus[]>;
  /** Ends the server in order and keeps what it holds; resolves when nothing of it runs. No such server: does nothing. */
  stop(id: string): Promise<void>;
  /** Ends the server and deletes what it holds, its log included. */
  remove(id: string): Promise<void>;
  /** Its superuser's way in, on which nobody else can stand. Valid while `use` runs. */
  reach<Result>(
    id: string,
    port: number,
    use: (address: { readonly host: string; readonly port: number }) => Promise<Result>,
  ): Promise<Result>;
}

export interface EngineDescription {
  readonly name: string;
  /** How tenants are kept apart here, in words: for the start-up summary and `ksar doctor`. */
  readonly isolation: string;
  readonly warnings: readonly string[];
}

export interface Engine {
  readonly logs: LogReader;
  readonly databases: DatabaseHost;
  describe(): Promise<EngineDescription>;
  /** What is free where builds and releases are kept, in bytes. */
  freeSpace(): Promise<number>;

  /** A task or an instance will be started within some milliseconds, probably: the engine may get ready for it. */
  expectRun(): Promise<void>;
  /** Makes the empty build folder of a deployment; `clear` empties one that is there, and forgets the finished tasks that made it. */
  prepareBuild(
    serviceId: string,
    buildId: string,
    options: { readonly clear: boolean; readonly clearCache: boolean },
  ): Promise<void>;
  source(serviceId: string, buildId: string): SourceTree;
  /**
   * Gets a version that is in the range: the engine's own if that will do, else the newest. Takes minutes at worst.
   * Throws `ArtifactError` when there is none, or it can't be had.
   */
  ensureRuntime(request: RuntimeRequest, signal: AbortSignal): Promise<{ readonly version: string }>;
  startTask(spec: TaskSpec): Promise<void>;
  /** null when there is no such task. */
  taskStatus(id: string): Promise<TaskStatus | null>;
  /** Resolves when the task has ended; rejects when the signal aborts. Throws when there is no such task. */
  waitForTask(id: string, signal: AbortSignal): Promise<TaskStatus>;
  /** SIGTERM to the whole group, after `graceMs` SIGKILL; resolves when nothing of it is left. */
  stopTask(id: string, graceMs: number): Promise<void>;
  /** Forgets a task that has ended. */
  forgetTask(id: string): Promise<void>;

  /** Turns a build folder into the release folder of the artifact of the same id. */
  promote(serviceId: string, buildId: string): Promise<void>;
  /**
   * Copies `directory` of a release into the static files of the artifact of the same id.
   * Throws `ArtifactError` when there is no such folder, or a link in it leads out of it.
   */
  publishStatic(
    serviceId: string,
    artifactId: string,
    directory: string,
  ): Promise<{ readonly files: number; readonly bytes: number }>;
  /** `serviceId` null: of all services; otherwise artifacts of that one, and static files and build logs of all. */
  listHoldings(serviceId: string | null): Promise<Holdings>;
  /** Deletes build, release and static folders of an artifact, and its finished tasks; only static ones for `serviceId` null. */
  removeArtifact(serviceId: string | null, artifactId: string): Promise<void>;
  /** Stops and deletes everything that the service has, its logs included. */
  removeService(serviceId: string): Promise<void>;

  /** Also brings an instance that was adopted after a restart of the engine its specification again. */
  startInstance(spec: InstanceSpec): Promise<void>;
  /** SIGTERM, `graceMs`, SIGKILL, for the whole group; resolves when nothing of it is left. No such instance: does nothing. */
  stopInstance(id: string, graceMs: number): Promise<void>;
  listInstances(): Promise<readonly InstanceStatus[]>;
  /** Calls back, soon and at least once, after any change of an instance's state; returns how to stop that. */
  onInstanceChange(listener: (change: InstanceChange) => void): () => void;

  /**
   * Windows that nobody has counted yet, oldest first and not all at once: those named as `counted` are forgotten first.
   * They are kept for an hour while no control plane is there, so that its absence leaves no gap.
   */
  readUsage(counted: readonly string[]): Promise<readonly UsageSample[]>;

  /** Lines of Ksar's own in a stream, behind what is there. */
  appendLog(stream: LogStream, lines: readonly string[]): Promise<void>;
  removeLog(stream: LogStream): Promise<void>;
  /** Deletes the logs of ended runs of a job, and forgets their tasks, whose ids are the runs'. */
  removeRuns(jobId: string, runIds: readonly string[]): Promise<void>;
  /** Stops what runs of a job; deletes the logs of its runs, and all that the service of the job's own id has. */
  removeJob(jobId: string): Promise<void>;

  /** Stops every instance and task, then the engine itself (`ksar down`). */
  shutdown(): Promise<void>;
  /** Lets go of the engine's connections; what runs goes on. */
  close(): Promise<void>;
}
