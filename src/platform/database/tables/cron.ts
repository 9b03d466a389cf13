/** What services do on a schedule. */
import type { Generated } from "kysely";
import type { CreatedAt } from "./created-at.ts";

type RunStatus = "QUEUED" | "RUNNING" | "SUCCESS" | "FAILED" | "SKIPPED";

export interface CronTables {
  cronJobs: {
    id: string;
    accountId: string;
    serviceId: string | null;
    name: string;
    schedule: string;
    timezone: string;
    command: string;
    timeoutSeconds: number;
    enabled: boolean;
    nextRunAt: Date | null;
    plannedFrom: Date;
    zoneData: string;
    lastRunAt: Date | null;
    lastStatus: RunStatus | null;
    lastExitCode: number | null;
    createdAt: CreatedAt;
  };
  cronRuns: {
    id: string;
    accountId: string;
    jobId: string;
    status: RunStatus;
    trigger: "SCHEDULE" | "MANUAL";
    scheduledFor: Date;
    createdAt: Date;
    startedAt: Date | null;
    finishedAt: Date | null;
    exitCode: number | null;
    error: string | null;
    deploymentId: string | null;
    launched: Generated<boolean>;
  };
  cronRemovals: {
    jobId: string;
    requestedAt: CreatedAt;
  };
}
