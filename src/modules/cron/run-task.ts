/** Where a run happens: as a task in the release of a service, or in an empty release of the job's own. */
import { totalmem } from "node:os";
import { shellLine, workingDirectory } from "../../builders/build-steps.ts";
import type { Engine, LogStream, ResourceLimits, TaskSpec } from "../../engines/engine.ts";
import { maskable } from "../../kernel/masking.ts";
import type { Release } from "../runtime/release.ts";
import type { GoingRun } from "./cron-turns.repo.ts";

/** A job without a service has what a service has that says nothing else. */
const bareLimits: ResourceLimits = { cpuCores: 1, memoryMb: Math.min(512, Math.floor(totalmem() / 2 ** 21)) };

/** Ends the run as FAILED; the message is for its author. */
export class RunFailure extends Error {
  override readonly name = "RunFailure";
}

export function logOf({ jobId, id }: Pick<GoingRun, "jobId" | "id">): LogStream {
  return { kind: "run", jobId, runId: id };
}

/** Its id is the run's: an engine that has it does not start it again. */
export async function taskOf(
  run: GoingRun,
  engine: Pick<Engine, "prepareBuild" | "promote">,
  releaseOf: (deploymentId: string) => Promise<Release>,
): Promise<TaskSpec> {
  const { id, jobId, serviceId } = run;
  const common = { id, isJob: true, log: logOf(run), timeoutMs: run.timeoutSeconds * 1000 } as const;
  if (serviceId === null) {
    // The engine knows services only by id: the job is one of its own. Each run finds an empty folder.
    await engine.prepareBuild(jobId, jobId, { clear: true, clearCache: false });
    await engine.promote(jobId, jobId);
    const command = ["/bin/sh", "-c", run.command];
    const nothing = { workdir: "", runtimes: [], env: {}, mask: [] };
    return { ...common, ...nothing, command, serviceId: jobId, buildId: jobId, limits: bareLimits };
  }
  if (run.deploymentId === null)
    throw new RunFailure("The service has no release to run it in: deploy the service, then run the job again.");
  const { plan, env, artifactId, cpuCores, memoryMb } = await releaseOf(run.deploymentId);
  return {
    ...common,
    serviceId,
    buildId: artifactId,
    workdir: workingDirectory(plan),
    command: ["/bin/sh", "-c", shellLine(plan, run.command)],
    runtimes: plan.runtimes,
    env: { ...plan.startEnv, ...env },
    mask: maskable(env),
    limits: { cpuCores, memoryMb },
  };
}
