import type { InstanceStatus } from "../../engines/engine.ts";
import type { RuntimeRow, ServiceStatus } from "./runtime.repo.ts";

/** The service's status as its rows and instances have it. */
export function statusOf(row: RuntimeRow, instances: readonly InstanceStatus[]): ServiceStatus {
  if (row.status === "SUSPENDED") return "SUSPENDED";
  if (row.activeDeploymentId !== null) return "DEPLOYING";
  if (row.currentDeploymentId === null) return "PENDING";
  if (row.desiredState === "STOPPED") return "STOPPED";
  const own = instances.filter((instance) => instance.deploymentId === row.currentDeploymentId);
  if (isServedFromDisk(row.buildPlan)) return "RUNNING";
  const up = own.filter((instance) => instance.state === "UP").length;
  if (up >= row.instances) return "RUNNING";
  if (up > 0) return "DEGRADED";
  return own.some((instance) => instance.lastExit !== null) ? "CRASHED" : "DEGRADED";
}

function isServedFromDisk(buildPlan: unknown): boolean {
  return typeof buildPlan === "object" && buildPlan !== null && "start" in buildPlan && buildPlan.start === null;
}
