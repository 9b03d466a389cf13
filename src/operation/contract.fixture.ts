/**
 * The contract's tables, as it has them: what the document is held against. A row is added when its operations are
 * built, and is never made to fit what was built.
 */
import type { ErrorCode } from "../kernel/errors.ts";

export interface ContractRow {
  readonly operation: `${"GET" | "POST" | "PUT" | "PATCH" | "DELETE"} ${string}`;
  /** Left out where the contract declares none. */
  readonly scope?: string;
  readonly access?: "read" | "write" | "admin";
  /** S: sensitive; I: takes an Idempotency-Key. */
  readonly flags?: "S" | "I" | "S, I";
  /** Each parameter's rules, as JSON Schema; all of the contract's are optional. */
  readonly query?: Readonly<Record<string, object>>;
  readonly body?: { readonly required: readonly string[]; readonly fields: Readonly<Record<string, object>> };
  readonly status: number;
  /** The answer's fields and their types, a list's entries in brackets; null: free-form. */
  readonly answer: Fields | null;
  readonly errors?: readonly number[];
}

export interface Fields {
  readonly [name: string]: string | Fields | readonly [string | Fields];
}

const usualErrors = [401, 403, 422, 429] as const;

const account: Fields = {
  id: "uuid",
  name: "string",
  slug: "string",
  type: "string",
  plan: "FREE|DEV|PRO|TEAM|AGENCY|SCHOOL",
  require2fa: "boolean",
  aiOptIn: "boolean",
  role: "string",
  aiAvailable: "boolean",
};
const apiKey: Fields = {
  id: "uuid",
  name: "string",
  prefix: "string",
  scopes: ["string"],
  ipAllowlist: ["string"],
  lastUsedAt: "date-time|null",
  createdAt: "date-time",
  revokedAt: "date-time|null",
};
const activityEvent: Fields = {
  id: "uuid",
  action: "string",
  entityType: "string",
  entityId: "string",
  metadata: "object",
  actorName: "string|null",
  createdAt: "date-time",
};
const auditEntry: Fields = {
  id: "uuid",
  action: "string",
  entityType: "string",
  entityId: "string",
  actorName: "string|null",
  surface: "DASHBOARD|API|CLI|MCP|SYSTEM",
  apiKeyId: "uuid|null",
  ipAddress: "string|null",
  createdAt: "date-time",
};
const service: Fields = {
  id: "string",
  name: "string",
  slug: "string",
  type: "WEB|WORKER|STATIC",
  status: "string",
  url: "string",
  branch: "string",
};
const ok: Fields = { ok: "boolean" };
const pagination: Fields = { hasMore: "boolean", nextCursor: "string|null" };
const text = { type: "string" };
const uuid = { type: "string", format: "uuid" };
const cap = { type: ["integer", "null"], minimum: 0, maximum: 10_000_000 };
const percent = { type: ["integer", "null"], minimum: 1, maximum: 100 };

function limit(maximum: number, fallback?: number): object {
  return { type: "integer", minimum: 1, maximum, ...(fallback === undefined ? {} : { default: fallback }) };
}

export const contract: readonly ContractRow[] = [
  { operation: "GET /account", scope: "account:read", access: "read", status: 200, answer: { account } },
  {
    operation: "PUT /account/ai-opt-in",
    scope: "account:write",
    access: "admin",
    flags: "I",
    body: { required: ["aiOptIn"], fields: { aiOptIn: { type: "boolean" } } },
    status: 200,
    answer: ok,
  },
  { operation: "GET /account/export", scope: "account:read", access: "admin", status: 200, answer: null },
  {
    operation: "GET /account/spend-cap",
    scope: "account:read",
    access: "read",
    status: 200,
    answer: { spendCapMad: "integer|null", spendAlertPct: "integer|null", currentSpendMad: "number" },
  },
  {
    operation: "PUT /account/spend-cap",
    scope: "account:write",
    access: "admin",
    flags: "I",
    body: { required: ["spendCapMad", "spendAlertPct"], fields: { spendCapMad: cap, spendAlertPct: percent } },
    status: 200,
    answer: ok,
  },
  {
    operation: "GET /activity",
    scope: "activity:read",
    access: "read",
    query: { limit: limit(100, 20), cursor: text, entityType: text, entityId: text },
    status: 200,
    answer: { data: [activityEvent], pagination },
  },
  {
    operation: "GET /api-keys",
    scope: "api-keys:read",
    access: "read",
    flags: "S",
    status: 200,
    answer: { data: [apiKey] },
  },
  {
    operation: "POST /api-keys",
    scope: "api-keys:write",
    access: "admin",
    flags: "S",
    body: {
      required: ["name"],
      fields: {
        name: { type: "string", minLength: 1, maxLength: 60 },
        scopes: { type: "array", maxItems: 20, items: { type: "string", maxLength: 40 } },
        ipAllowlist: { type: "array", maxItems: 50, items: { type: "string", maxLength: 64 } },
      },
    },
    status: 201,
    answer: { apiKey: { ...apiKey, key: "string" } },
  },
  {
    operation: "POST /api-keys/{id}/revoke",
    scope: "api-keys:write",
    access: "admin",
    flags: "S, I",
    status: 200,
    answer: ok,
    errors: [...usualErrors, 404],
  },
  {
    operation: "GET /audit",
    scope: "audit:read",
    access: "admin",
    query: {
      action: { type: "string", maxLength: 120 },
      entityType: { type: "string", maxLength: 60 },
      entityId: uuid,
      userId: uuid,
      cursor: uuid,
      limit: limit(100, 50),
    },
    status: 200,
    answer: { items: [auditEntry], nextCursor: "uuid?" },
  },
  {
    operation: "GET /audit/entity-types",
    scope: "audit:read",
    access: "admin",
    status: 200,
    answer: { data: ["string"] },
  },
  {
    operation: "GET /audit/export",
    query: { format: { type: "string", enum: ["csv", "json"] }, action: text, entityType: text },
    status: 200,
    answer: { data: [auditEntry] },
  },
  {
    operation: "GET /services",
    query: { limit: limit(100), cursor: text, type: { type: "string", enum: ["WEB", "WORKER", "STATIC"] } },
    status: 200,
    answer: { data: [service], pagination },
  },
  {
    operation: "POST /services",
    body: { required: ["projectId", "name", "repoUrl"], fields: { projectId: text, name: text, repoUrl: text } },
    status: 201,
    answer: { service },
  },
  { operation: "POST /services/{id}/deploy", status: 202, answer: { deploymentId: "string" } },
];

/** Section Errors: what every operation may answer with, beside 404 where the path has an id. */
export const contractErrors: readonly number[] = usualErrors;

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
  LogEntry: { timestamp: "string", line: "string" },
};
