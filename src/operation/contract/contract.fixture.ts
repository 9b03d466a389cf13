/**
 * The contract's tables, as it has them: what the document is held against. A row is added when its operations are
 * built, and is never made to fit what was built.
 */
import type { ErrorCode } from "../../kernel/errors.ts";
import { accountRows } from "./account.fixture.ts";
import { alertsRows } from "./alerts.fixture.ts";
import { billingRows } from "./billing.fixture.ts";
import { channelsRows } from "./channels.fixture.ts";
import { cronRows } from "./cron.fixture.ts";
import type { ContractRow, Fields } from "./row.fixture.ts";
import { servicesRows, webhook } from "./services.fixture.ts";

export const contract: readonly ContractRow[] = [
  ...accountRows,
  ...alertsRows,
  ...billingRows,
  ...channelsRows,
  ...cronRows,
  ...servicesRows,
];

/** Section Errors: the codes are ours, their statuses are the contract's. */
export const contractStatuses: Partial<Record<ErrorCode, number>> = {
  unauthorized: 401,
  forbidden: 403,
  not_found: 404,
  validation_failed: 422,
  rate_limited: 429,
};

/** Section Resources: those that no table above shows whole. */
export const contractResources: Readonly<Record<string, Fields>> = {
  Error: { error: { code: "string", message: "string", details: "any?" } },
  Project: {
    id: "string",
    name: "string",
    slug: "string",
    description: "string|null",
    serviceCount: "integer",
  },
  Deployment: {
    id: "string",
    status: "AWAITING_CHECKS|QUEUED|BUILDING|PUSHING|DEPLOYING|LIVE|FAILED|CANCELLED|SKIPPED",
    commitSha: "string|null",
    commitMessage: "string|null",
    errorMessage: "string|null",
    createdAt: "date-time",
    finishedAt: "date-time|null",
  },
  Database: { id: "string", name: "string", type: "string", status: "string", isBranch: "boolean" },
  Subscription: {
    plan: "string",
    status: "string",
    provider: "string|null",
    term: "string|null",
    autoRenew: "boolean",
    currentPeriodEnd: "date-time|null",
    cancelAtPeriodEnd: "boolean",
    graceUntil: "date-time|null",
  },
  Webhook: webhook,
  LogEntry: { timestamp: "string", line: "string" },
};
