/**
 * The engine for a machine without containers: services run as processes under an agent (`agent/agent.ts`), which outlives
 * the control plane. This is the control plane's side: it asks the agent over its control socket, and reads logs and
 * sources from disk by itself.
 *
 * While the agent is not there, calls fail with `EngineUnreachableError` and may be made again; waiting for a task and
 * listening for changes go on by themselves once it is back.
 */
import { setTimeout as delay } from "node:timers/promises";
import type { SourceTree } from "../../kernel/source-tree.ts";
import { ControlClient } from "../../platform/control-client.ts";
import { ControlError } from "../../platform/control-server.ts";
import type { Logger } from "../../platform/log.ts";
import {
  ArtifactError,
  type DatabaseHost,
  type Engine,
  type EngineDescription,
  EngineUnreachableError,
  type Holdings,
  type InstanceChange,
  type InstanceSpec,
  type InstanceStatus,
  type LogReader,
  type LogStream,
  type RuntimeRequest,
  type TaskSpec,
  type TaskStatus,
  type UsageSample,
} from "../engine.ts";
import { type AgentStatus, artifactStatus } from "./agent-protocol.ts";
import { agentSocket, Layout } from "./layout.ts";
import { LocalDatabases } from "./local-databases.ts";
import { DiskLogReader } from "./log-reader.ts";
import { SourceFolder } from "./source-folder.ts";

export type { AgentStatus };

const retryMs = 250;
/** An agent that is stopped or hangs does not answer either. */
const statusTimeoutMs = 5000;

export interface LocalEngineOptions {
  readonly dataDir: string;
  readonly runDir: string;
  readonly logger: Logger;
}

export class LocalEngine implements Engine {
  readonly logs: LogReader;
  readonly databases: DatabaseHost;
  readonly #layout: Layout;
  readonly #client: ControlClient;
  readonly #logger: Logger;
  readonly #listeners = new Set<(change: InstanceChange) => void>();
  /** Every service that was ever heard of: one whose instances vanished with an agent is told of too. */
  readonly #services = new Set<string>();
  readonly #closing = new AbortController();
  #listening = false;

  constructor({ dataDir, runDir, logger }: LocalEngineOptions) {
    this.#layout = new Layout(dataDir);
    this.logs = new DiskLogReader(this.#layout.logs);
    this.#client = new ControlClient(agentSocket(runDir));
    this.#logger = logger;
    this.databases = new LocalDatabases(this.#layout, (method, path, body) => this.#call(method, path, body));
  }

  /** null while no agent answers. */
  async status(): Promise<AgentStatus | null> {
    try {
      return await this.#call<AgentStatus>("GET", "/status", undefined, AbortSignal.timeout(statusTimeoutMs));
    } catch (error) {
      if (error instanceof EngineUnreachableError) return null;
      throw error;
    }
  }

  async describe(): Promise<EngineDescription> {
    const { isolation } = await this.#call<AgentStatus>("GET", "/status");
    return { name: "local", isolation, warnings: await this.#call<readonly string[]>("GET", "/warnings") };
  }

  async freeSpace(): Promise<number> {
    return this.#call("GET", "/free-space");
  }

  async expectRun(): Promise<void> {
    await this.#call("POST", "/expect-run");
  }

  async prepareBuild(
    serviceId: string,
    buildId: string,
    options: { readonly clear: boolean; readonly clearCache: boolean },
  ): Promise<void> {
    await this.#call("POST", "/builds/prepare", { serviceId, buildId, options });
  }

  source(serviceId: string, buildId: string): SourceTree {
    return new SourceFolder(this.#layout.build(serviceId, buildId));
  }

  async ensureRuntime(request: RuntimeRequest, signal: AbortSignal): Promise<{ readonly version: string }> {
    return this.#call("POST", "/runtimes/ensure", request, signal);
  }

  async startTask(spec: TaskSpec): Promise<void> {
    await this.#call("POST", "/tasks/start", spec);
  }

  async taskStatus(id: string): Promise<TaskStatus | null> {
    return this.#call<TaskStatus | null>("GET", `/tasks/status?id=${encodeURIComponent(id)}`);
  }

  async waitForTask(id: string, signal: AbortSignal): Promise<TaskStatus> {
    for (;;) {
      signal.throwIfAborted();
      try {
        const path = `/tasks/wait?id=${encodeURIComponent(id)}`;
        const status = await this.#call<TaskStatus | null>("GET", path, undefined, signal);
        if (status === null) throw new Error(`there is no task ${id}`);
        if (status.state === "EXITED") return status;
      } catch (error) {
        signal.throwIfAborted();
        if (!(error instanceof EngineUnreachableError)) throw error;
        await delay(retryMs, undefined, { signal });
      }
    }
  }

  async stopTask(id: string, graceMs: number): Promise<void> {
    await this.#call("POST", "/tasks/stop", { id, graceMs });
  }

  async forgetTask(id: string): Promise<void> {
    await this.#call("POST", "/tasks/forget", { id });
  }

  async promote(serviceId: string, buildId: string): Promise<void> {
    await this.#call("POST", "/builds/promote", { serviceId, buildId });
  }

  async publishStatic(
    serviceId: string,
    artifactId: string,
    directory: string,
  ): Promise<{ readonly files: number; readonly bytes: number }> {
    return this.#call("POST", "/static/publish", { serviceId, artifactId, directory });
  }

  async listHoldings(serviceId: string | null): Promise<Holdings> {
    return this.#call("GET", `/holdings${serviceId === null ? "" : `?service=${serviceId}`}`);
  }

  async removeArtifact(serviceId: string | null, artifactId: string): Promise<void> {
    await this.#call("POST", "/artifacts/remove", { serviceId, artifactId });
  }

  async removeService(serviceId: string): Promise<void> {
    await this.#call("POST", "/services/remove", { serviceId });
  }

  async startInstance(spec: InstanceSpec): Promise<void> {
    await this.#call("POST", "/instances/start", spec);
  }

  async stopInstance(id: string, graceMs: number): Promise<void> {
    await this.#call("POST", "/instances/stop", { id, graceMs });
  }

  async listInstances(): Promise<readonly InstanceStatus[]> {
    return this.#call<readonly InstanceStatus[]>("GET", "/instances");
  }

  onInstanceChange(listener: (change: InstanceChange) => void): () => void {
    this.#listeners.add(listener);
    if (!this.#listening) {
      this.#listening = true;
      void this.#listen();
    } else for (const serviceId of this.#services) listener({ serviceId, deploymentId: null });
    return () => this.#listeners.delete(listener);
  }

  async readUsage(counted: readonly string[]): Promise<readonly UsageSample[]> {
    return this.#call("POST", "/usage", { counted });
  }

  async appendLog(stream: LogStream, lines: readonly string[]): Promise<void> {
    await this.#call("POST", "/logs/append", { stream, lines });
  }

  async removeLog(stream: LogStream): Promise<void> {
    await this.#call("POST", "/logs/remove", { stream });
  }

  async removeRuns(jobId: string, runIds: readonly string[]): Promise<void> {
    await this.#call("POST", "/jobs/remove-runs", { jobId, runIds });
  }

  async removeJob(jobId: string): Promise<void> {
    await this.#call("POST", "/jobs/remove", { jobId });
  }

  async shutdown(): Promise<void> {
    await this.#call("POST", "/shutdown");
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await this.#client.close();
  }

  async #listen(): Promise<void> {
    const { signal } = this.#closing;
    while (!signal.aborted) {
      try {
        for await (const line of this.#client.lines("/events", signal)) {
          // Only an agent sends it. null comes first: whatever changed while nobody listened.
          const change = line as InstanceChange | null;
          if (change === null) for (const serviceId of this.#services) this.#tell({ serviceId, deploymentId: null });
          else {
            this.#services.add(change.serviceId);
            this.#tell(change);
          }
        }
      } catch (error) {
        if (!signal.aborted) this.#logger.debug({ err: error }, "the agent's changes cannot be followed; trying again");
      }
      await delay(retryMs, undefined, { signal }).catch(() => undefined);
    }
  }

  #tell(change: InstanceChange): void {
    for (const listener of this.#listeners) listener(change);
  }

  /** What an agent answers has the shape that its route gives it: both sides are of one version. */
  async #call<Answer>(method: "GET" | "POST", path: string, body?: unknown, signal?: AbortSignal): Promise<Answer> {
    try {
      return (await this.#client.call(method, path, body, signal)) as Answer;
    } catch (error) {
      if (error instanceof ControlError) {
        throw error.status === artifactStatus ? new ArtifactError(error.message) : new Error(error.message);
      }
      throw new EngineUnreachableError("The local engine's agent does not answer.", { cause: error });
    }
  }
}
