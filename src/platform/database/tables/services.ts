/** What tenants deploy: projects, services, their variables, deployments. */
import type { ColumnType, Generated, JSONColumnType } from "kysely";
import type { Json } from "../../../kernel/json.ts";
import type { CreatedAt } from "./created-at.ts";

export interface ServicesTables {
  projects: {
    id: string;
    accountId: string;
    name: string;
    slug: string;
    description: string | null;
    createdAt: CreatedAt;
  };
  services: {
    id: string;
    accountId: string;
    projectId: string;
    name: string;
    slug: string;
    type: "WEB" | "WORKER" | "STATIC";
    repoUrl: string;
    branch: string;
    branchIsDefault: boolean;
    rootDirectory: Generated<string>;
    builder: Generated<"AUTO" | "DOCKERFILE" | "STATIC">;
    buildCommand: string | null;
    preDeployCommand: string | null;
    startCommand: string | null;
    outputDirectory: string | null;
    singlePage: boolean | null;
    port: number | null;
    healthCheckPath: string | null;
    instances: Generated<number>;
    cpuCores: Generated<number>;
    memoryMb: Generated<number>;
    autoDeploy: Generated<boolean>;
    waitForChecks: Generated<boolean>;
    desiredState: Generated<"RUNNING" | "STOPPED">;
    status: Generated<"PENDING" | "DEPLOYING" | "RUNNING" | "DEGRADED" | "CRASHED" | "STOPPED" | "SUSPENDED">;
    currentDeploymentId: string | null;
    createdAt: CreatedAt;
  };
  serviceRemovals: {
    serviceId: string;
    accountId: string;
    deploymentIds: string[];
    requestedAt: CreatedAt;
  };
  deletedServices: {
    serviceId: string;
    accountId: string;
    deletedAt: CreatedAt;
  };
  envVariables: {
    serviceId: string;
    accountId: string;
    name: string;
    sealedValue: Buffer;
    updatedAt: ColumnType<Date, Date | undefined, Date>;
  };
  deployments: {
    id: string;
    accountId: string;
    serviceId: string;
    status: Generated<
      "AWAITING_CHECKS" | "QUEUED" | "BUILDING" | "PUSHING" | "DEPLOYING" | "LIVE" | "FAILED" | "CANCELLED" | "SKIPPED"
    >;
    trigger: "MANUAL" | "API" | "PUSH" | "ROLLBACK" | "PREVIEW";
    branch: string;
    requestedCommitSha: string | null;
    clearCache: Generated<boolean>;
    commitSha: string | null;
    commitMessage: string | null;
    errorMessage: string | null;
    artifactId: string;
    settings: JSONColumnType<object>;
    buildPlan: ColumnType<Json | null, string | null, string | null>;
    sealedEnv: Buffer | null;
    attempt: Generated<number>;
    cancelRequestedAt: Date | null;
    createdAt: CreatedAt;
    startedAt: Date | null;
    finishedAt: Date | null;
    buildSeconds: number | null;
  };
}
