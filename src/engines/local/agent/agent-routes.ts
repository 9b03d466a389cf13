/** What the agent answers on its control socket; `LocalEngine` is the other side. */

import { ControlError, type ControlHandler, type ControlRequest } from "../../../platform/control-server.ts";
import {
  ArtifactError,
  type DatabaseSpec,
  type InstanceChange,
  type InstanceSpec,
  type LogStream,
  type RuntimeRequest,
  type TaskSpec,
} from "../../engine.ts";

import { type AgentStatus, artifactStatus, longPollMs } from "../agent-protocol.ts";
import type { Databases } from "./databases/databases.ts";
import type { Instances } from "./instances.ts";
import type { LogWriter } from "./log-writer.ts";
import type { Runtimes } from "./runtimes.ts";
import type { Tasks } from "./tasks.ts";
import type { UsageSampler } from "./usage/usage-sampler.ts";
import type { Workspace } from "./workspace.ts";

/** From SIGTERM to SIGKILL when everything of a service, or of the machine, is stopped. */
const stopGraceMs = 10_000;

export interface AgentParts {
  readonly status: AgentStatus;
  readonly warnings: readonly string[];
  readonly tasks: Tasks;
  readonly instances: Instances;
  readonly databases: Databases;
  readonly runtimes: Runtimes;
  readonly workspace: Workspace;
  readonly writer: LogWriter;
  readonly usage: UsageSampler;
  /** As a sandbox's. */
  readonly expectLaunch: () => void;
  /** In bytes. */
  readonly freeSpace: () => Promise<number>;
  /** Ends this process; nothing runs any more. */
  readonly shutDown: () => void;
}

export function agentRoutes(parts: AgentParts): Readonly<Record<string, ControlHandler>> {
  const { tasks, instances, databases, runtimes, workspace, writer } = parts;
  return {
    "GET /status": async () => parts.status,
    "GET /warnings": async () => parts.warnings,
    "GET /free-space": async () => parts.freeSpace(),
    "GET /holdings": async ({ query }) => workspace.holdings(query.get("service")),

    "POST /expect-run": async () => parts.expectLaunch(),
    "POST /builds/prepare": async (request) => {
      const { serviceId, buildId, options } = body<Build & { options: { clear: boolean; clearCache: boolean } }>(
        request,
      );
      if (options.clear) tasks.forgetBuild(serviceId, buildId);
      await workspace.prepareBuild(serviceId, buildId, options);
    },
    "POST /builds/promote": async (request) => {
      const { serviceId, buildId } = body<Build>(request);
      await workspace.promote(serviceId, buildId);
    },
    "POST /static/publish": async (request) => {
      const { serviceId, artifactId, directory } = body<Artifact & { directory: string }>(request);
      return workspace.publishStatic(serviceId, artifactId, directory).catch(refuse);
    },
    "POST /artifacts/remove": async (request) => {
      const { serviceId, artifactId } = body<{ serviceId: string | null; artifactId: string }>(request);
      if (serviceId !== null) tasks.forgetBuild(serviceId, artifactId);
      await workspace.removeArtifact(serviceId, artifactId);
    },
    "POST /services/remove": async (request) => {
      const { serviceId } = body<{ serviceId: string }>(request);
      await Promise.all([tasks.stopAll(stopGraceMs, serviceId), instances.stopAll(stopGraceMs, serviceId)]);
      tasks.forgetService(serviceId);
      const built = await workspace.removeService(serviceId);
      for (const deploymentId of built) await writer.remove({ kind: "build", deploymentId });
      await writer.remove({ kind: "service", serviceId });
    },

    "POST /runtimes/ensure": async (request) => runtimes.ensure(body<RuntimeRequest>(request)).catch(refuse),

    "POST /tasks/start": async (request) => tasks.start(body<TaskSpec>(request)),
    "GET /tasks/status": async ({ query }) => tasks.status(query.get("id") ?? ""),
    "GET /tasks/wait": async ({ query }) => tasks.wait(query.get("id") ?? "", longPollMs),
    "POST /tasks/stop": async (request) => {
      const { id, graceMs } = body<Stop>(request);
      await tasks.stop(id, graceMs);
    },
    "POST /tasks/forget": async (request) => tasks.forget(body<{ id: string }>(request).id),

    "POST /instances/start": async (request) => instances.start(body<InstanceSpec>(request)),
    "GET /instances": async () => instances.list(),
    "POST /instances/stop": async (request) => {
      const { id, graceMs } = body<Stop>(request);
      await instances.stop(id, graceMs);
    },
    "POST /databases/start": async (request) => databases.start(body<DatabaseSpec>(request)).catch(refuse),
    "GET /databases": async () => databases.list(),
    "POST /databases/stop": async (request) => databases.stop(body<{ id: string }>(request).id),
    "POST /databases/remove": async (request) => databases.remove(body<{ id: string }>(request).id),

    "GET /events": async (request) => streamChanges(instances, request),

    "POST /usage": async (request) => parts.usage.take(body<{ counted: readonly string[] }>(request).counted),

    "POST /logs/append": async (request) => {
      const { stream, lines } = body<{ stream: LogStream; lines: readonly string[] }>(request);
      const split = lines.flatMap((line) => line.split(/\r?\n/));
      if (split.length > 0) await writer.append(stream, null, split);
    },
    "POST /logs/remove": async (request) => writer.remove(body<{ stream: LogStream }>(request).stream),
    "POST /jobs/remove-runs": async (request) => {
      const { jobId, runIds } = body<{ jobId: string; runIds: readonly string[] }>(request);
      for (const runId of runIds) {
        tasks.forget(runId);
        await writer.remove({ kind: "run", jobId, runId });
      }
    },
    "POST /jobs/remove": async (request) => {
      const { jobId } = body<{ jobId: string }>(request);
      await tasks.stopJob(stopGraceMs, jobId);
      tasks.forgetJob(jobId);
      await workspace.removeService(jobId);
      await writer.removeJob(jobId);
    },

    "POST /shutdown": async ({ raw }) => {
      await Promise.all([tasks, instances, databases].map((all) => all.stopAll(stopGraceMs)));
      // Whoever asked may have gone meanwhile.
      if (raw.response.closed) parts.shutDown();
      else raw.response.once("close", parts.shutDown);
    },
  };
}

interface Build {
  readonly serviceId: string;
  readonly buildId: string;
}

interface Artifact {
  readonly serviceId: string;
  readonly artifactId: string;
}

interface Stop {
  readonly id: string;
  readonly graceMs: number;
}

/** The only caller is `LocalEngine`, of the same version. */
function body<Body>(request: ControlRequest): Body {
  return request.body as Body;
}

function refuse(error: unknown): never {
  throw error instanceof ArtifactError ? new ControlError(artifactStatus, error.message) : error;
}

/** First null, then every service there is, then each instance that changes, a line each. */
function streamChanges(instances: Instances, { raw: { response } }: ControlRequest): "streamed" {
  response.writeHead(200, { "content-type": "application/x-ndjson" });
  response.flushHeaders();
  const tell = (change: InstanceChange | null) => response.write(`${JSON.stringify(change)}\n`);
  const stop = instances.onChange(tell);
  response.once("close", stop);
  tell(null);
  for (const serviceId of new Set(instances.list().map((instance) => instance.serviceId)))
    tell({ serviceId, deploymentId: null });
  return "streamed";
}
