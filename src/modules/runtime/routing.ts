/** Which route each service has: a pure function of what is wanted and what runs. */
import type { BuildPlan } from "../../builders/plan.ts";
import type { Route, RouteTarget } from "../../edge/snapshot.ts";
import type { InstanceStatus } from "../../engines/engine.ts";
import type { RuntimeRow } from "./runtime.repo.ts";

/** The release to route to; that of `current…`, or one that a deployment is just switching to. */
export interface ServingRelease {
  readonly deploymentId: string;
  readonly artifactId: string;
  readonly plan: BuildPlan;
}

export function routeOf(
  row: RuntimeRow,
  release: ServingRelease | null,
  instances: readonly InstanceStatus[],
  baseDomain: string,
): Route | null {
  if (row.type === "WORKER") return null;
  return { host: `${row.slug}.${baseDomain}`, serviceId: row.id, target: targetOf(row, release, instances) };
}

function targetOf(row: RuntimeRow, release: ServingRelease | null, instances: readonly InstanceStatus[]): RouteTarget {
  if (row.status === "SUSPENDED") return { kind: "notice", notice: "SUSPENDED" };
  if (row.isOverLimit) return { kind: "notice", notice: "OVER_LIMIT" };
  if (release === null)
    return { kind: "notice", notice: row.activeDeploymentId === null ? "NOT_DEPLOYED" : "STARTING" };
  if (row.desiredState === "STOPPED") return { kind: "notice", notice: "STOPPED" };
  if (release.plan.output.kind === "static") {
    return { kind: "static", artifactId: release.artifactId, singlePage: release.plan.output.singlePage };
  }
  const own = instances.filter((instance) => instance.deploymentId === release.deploymentId);
  const up = own.flatMap(({ id, state, address }) => (state === "UP" && address !== null ? [{ id, ...address }] : []));
  if (up.length > 0) return { kind: "instances", instances: up };
  return {
    kind: "notice",
    notice: own.some((instance) => instance.restarts > 0 || instance.state === "BACKOFF") ? "CRASHED" : "STARTING",
  };
}
