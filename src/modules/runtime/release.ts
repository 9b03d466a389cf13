/** A release is a build, the settings and the environment it runs with; here it becomes the engine's instances. */
import { startCommand, workingDirectory } from "../../builders/build-steps.ts";
import type { BuildPlan } from "../../builders/plan.ts";
import type { InstanceSpec } from "../../engines/engine.ts";
import { maskable } from "../../kernel/masking.ts";

export interface Release {
  readonly deploymentId: string;
  readonly serviceId: string;
  readonly artifactId: string;
  readonly plan: BuildPlan;
  readonly env: Readonly<Record<string, string>>;
  readonly type: "WEB" | "WORKER" | "STATIC";
  readonly cpuCores: number;
  readonly memoryMb: number;
}

function instanceId(deploymentId: string, index: number): string {
  return `${deploymentId}.${index}`;
}

/** None when the edge serves the release from disk. */
export function instancesOf(release: Release, count: number): readonly InstanceSpec[] {
  const { plan } = release;
  const command = startCommand(plan);
  if (plan.output.kind === "static" || command === null) return [];
  return Array.from({ length: count }, (_, index) => ({
    id: instanceId(release.deploymentId, index),
    serviceId: release.serviceId,
    deploymentId: release.deploymentId,
    index,
    artifactId: release.artifactId,
    workdir: workingDirectory(plan),
    command,
    runtimes: plan.runtimes,
    env: { ...plan.startEnv, ...release.env },
    listens: release.type !== "WORKER",
    mask: maskable(release.env),
    limits: { cpuCores: release.cpuCores, memoryMb: release.memoryMb },
  }));
}
