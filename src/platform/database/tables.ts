/** The tables as the migrations leave them; columns in camelCase (see `createDatabase`). */
import type { ColumnType, Generated, JSONColumnType } from "kysely";
import type { Json } from "../../kernel/json.ts";

type CreatedAt = ColumnType<Date, Date | undefined, never>;

export interface Tables {
  accounts: {
    id: string;
    name: string;
    slug: string;
    type: Generated<string>;
    plan: Generated<string>;
    require2fa: Generated<boolean>;
    aiOptIn: Generated<boolean>;
    suspendedAt: Date | null;
    spendCapMad: number | null;
    spendAlertPct: number | null;
    createdAt: CreatedAt;
  };
  users: {
    id: string;
    email: string;
    name: string;
    emailVerified: Generated<boolean>;
    image: string | null;
    twoFactorEnabled: Generated<boolean>;
    createdAt: CreatedAt;
    updatedAt: ColumnType<Date, Date | undefined, Date>;
  };
  credentials: {
    id: string;
    userId: string;
    providerId: string;
    subject: string;
    password: string | null;
    createdAt: CreatedAt;
    updatedAt: ColumnType<Date, Date | undefined, Date>;
  };
  sessions: {
    id: string;
    userId: string;
    token: string;
    expiresAt: Date;
    ipAddress: string | null;
    userAgent: string | null;
    createdAt: CreatedAt;
    updatedAt: ColumnType<Date, Date | undefined, Date>;
  };
  verifications: {
    id: string;
    identifier: string;
    value: string;
    expiresAt: Date;
    createdAt: CreatedAt;
    updatedAt: ColumnType<Date, Date | undefined, Date>;
  };
  usedCodes: {
    userId: string;
    code: string;
    usedAt: Date;
  };
  invites: {
    id: string;
    accountId: string;
    email: string;
    role: Tables["memberships"]["role"];
    tokenHash: Buffer;
    inviterId: string | null;
    mails: Generated<number>;
    expiresAt: Date;
    acceptedAt: Date | null;
    revokedAt: Date | null;
    createdAt: CreatedAt;
  };
  memberships: {
    accountId: string;
    userId: string;
    role: "OWNER" | "ADMIN" | "DEVELOPER" | "VIEWER";
    createdAt: CreatedAt;
  };
  signupLinks: {
    tokenHash: Buffer;
    createdAt: CreatedAt;
    expiresAt: Date;
    usedAt: Date | null;
  };
  apiKeys: {
    id: string;
    accountId: string;
    creatorId: string;
    name: string;
    prefix: string;
    hash: Buffer;
    scopes: Generated<string[]>;
    ipAllowlist: Generated<string[]>;
    lastUsedAt: Date | null;
    createdAt: CreatedAt;
    revokedAt: Date | null;
  };
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
  auditEntries: {
    id: string;
    accountId: string;
    action: string;
    entityType: string;
    entityId: string;
    userId: string | null;
    actorName: string | null;
    surface: "DASHBOARD" | "API" | "CLI" | "MCP" | "SYSTEM";
    apiKeyId: string | null;
    ipAddress: string | null;
    createdAt: CreatedAt;
  };
  activityEvents: {
    id: string;
    accountId: string;
    action: string;
    entityType: string;
    entityId: string;
    metadata: JSONColumnType<{ readonly [name: string]: Json }>;
    actorName: string | null;
    createdAt: CreatedAt;
  };
  idempotencyKeys: {
    accountId: string;
    holderId: string;
    key: string;
    fingerprint: Buffer;
    status: number;
    body: string;
    createdAt: Date;
  };
  meteringBatches: {
    id: string;
    countedAt: Date;
  };
  deletedServices: {
    serviceId: string;
    accountId: string;
    deletedAt: CreatedAt;
  };
  serviceTraffic: Traffic & { windowStart: Date };
  serviceTrafficHours: Traffic & { hour: Date };
  buildUsage: {
    deploymentId: string;
    accountId: string;
    serviceId: string;
    startedAt: Date;
    seconds: number;
  };
}

interface Traffic {
  accountId: string;
  serviceId: string;
  requests: number;
  bytesIn: number;
  bytesOut: number;
  statuses: number[];
  latencies: number[];
}
