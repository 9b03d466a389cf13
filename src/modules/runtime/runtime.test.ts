import { expect, test } from "vitest";
import { type BuildPlan, unasked } from "../../builders/plan.ts";
import type { InstanceStatus } from "../../engines/engine.ts";
import { maskable } from "../../kernel/masking.ts";
import { routeOf, type ServingRelease } from "./routing.ts";
import type { RuntimeRow } from "./runtime.repo.ts";
import { statusOf } from "./service-status.ts";

const plan: BuildPlan = {
  ...unasked,
  stack: "node",
  framework: null,
  packageManager: null,
  rootDirectory: "",
  reasons: [],
  steps: [],
  start: "node server.js",
  output: { kind: "process" },
  startEnv: {},
};
const staticPlan: BuildPlan = { ...plan, start: null, output: { kind: "static", directory: "dist", singlePage: true } };

const row: RuntimeRow = {
  id: "s",
  accountId: "a",
  type: "WEB",
  slug: "shop",
  desiredState: "RUNNING",
  status: "RUNNING",
  instances: 2,
  isOverLimit: false,
  currentDeploymentId: "d",
  activeDeploymentId: null,
  artifactId: "d",
  buildPlan: plan,
};

function instance(index: number, fields: Partial<InstanceStatus> = {}): InstanceStatus {
  return {
    id: `d.${index}`,
    serviceId: "s",
    deploymentId: "d",
    index,
    state: "UP",
    address: { host: "127.0.0.1", port: 20_000 + index },
    restarts: 0,
    startedAt: "2026-01-01T00:00:00.000Z",
    lastExit: null,
    ...fields,
  };
}

const crashed = {
  state: "BACKOFF",
  lastExit: { exitCode: 1, signal: null, outOfMemory: false, cause: null, at: "2026-01-01T00:00:00.000Z" },
} as const;
const release: ServingRelease = { deploymentId: "d", artifactId: "d", plan };

function target(change: Partial<RuntimeRow>, serving: ServingRelease | null, instances: readonly InstanceStatus[]) {
  return routeOf({ ...row, ...change }, serving, instances, "apps.example.com")?.target;
}

test("a service's host is its slug under the base domain; a worker has none", () => {
  expect(routeOf(row, release, [], "apps.example.com")?.host).toBe("shop.apps.example.com");
  expect(routeOf({ ...row, type: "WORKER" }, release, [instance(0)], "apps.example.com")).toBeNull();
});

test("requests go to the release's instances that are up, and to no other", () => {
  const others = [
    instance(1, { state: "STARTING" }),
    instance(2, { deploymentId: "old" }),
    instance(3, { state: "STOPPING" }),
  ];
  expect(target({}, release, [instance(0), ...others])).toEqual({
    kind: "instances",
    instances: [{ id: "d.0", host: "127.0.0.1", port: 20_000 }],
  });
});

test.each([
  ["nothing was ever deployed", { activeDeploymentId: null }, null, [], "NOT_DEPLOYED"],
  ["the first deployment is on its way", { activeDeploymentId: "x" }, null, [], "STARTING"],
  ["its owner stopped it", { desiredState: "STOPPED" }, release, [instance(0)], "STOPPED"],
  ["its bandwidth is used up", { isOverLimit: true }, release, [instance(0)], "OVER_LIMIT"],
  ["it is suspended", { status: "SUSPENDED" }, release, [instance(0)], "SUSPENDED"],
  ["its instances are starting", {}, release, [instance(0, { state: "STARTING" })], "STARTING"],
  ["its instances crash", {}, release, [instance(0, crashed)], "CRASHED"],
  ["it starts again after a crash", {}, release, [instance(0, { state: "STARTING", restarts: 2 })], "CRASHED"],
] as const)("a notice says so where %s", (_why, change, serving, instances, notice) => {
  expect(target(change, serving, instances)).toEqual({ kind: "notice", notice });
});

test("static releases are served from disk", () => {
  expect(target({}, { ...release, plan: staticPlan }, [])).toEqual({
    kind: "static",
    artifactId: "d",
    singlePage: true,
  });
});

test.each([
  ["PENDING", { currentDeploymentId: null }, []],
  ["DEPLOYING", { activeDeploymentId: "x" }, [instance(0), instance(1)]],
  ["RUNNING", {}, [instance(0), instance(1)]],
  ["RUNNING", { buildPlan: staticPlan }, []],
  ["DEGRADED", {}, [instance(0), instance(1, crashed)]],
  ["CRASHED", {}, [instance(0, crashed), instance(1, crashed)]],
  ["DEGRADED", {}, [instance(0, { state: "STARTING" }), instance(1, { state: "STARTING" })]],
  ["STOPPED", { desiredState: "STOPPED" }, [instance(0)]],
  ["SUSPENDED", { status: "SUSPENDED" }, [instance(0), instance(1)]],
] as const)("the status is %s with %j", (status, change, instances) => {
  expect(statusOf({ ...row, ...change }, instances)).toBe(status);
});

test("values that look like words or flags are not masked, everything longer is", () => {
  expect(
    maskable({ A: "1", B: "true", NODE_ENV: "production", C: "short", SECRET: "s3cret-value", URL: "postgres://x" }),
  ).toEqual(["s3cret-value", "postgres://x"]);
});
