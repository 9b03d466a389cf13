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
  /** Each parameter's rules, as JSON Schema. */
  readonly query?: Readonly<Record<string, object>>;
  readonly requiredQuery?: readonly string[];
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
const alertRule: Fields = {
  id: "uuid",
  name: "string",
  metric: "CPU_CORES|MEMORY_MB|SERVICE_DOWN",
  comparator: "GT|LT",
  threshold: "number",
  enabled: "boolean",
  state: "string",
  lastValue: "number|null",
  lastCheckedAt: "date-time|null",
  serviceId: "uuid|null",
  serviceName: "string|null",
  channelId: "uuid|null",
  channelName: "string|null",
};
const channelEvents = [
  "DEPLOY_SUCCESS",
  "DEPLOY_FAILED",
  "DEPLOY_SKIPPED",
  "MEMBER_JOINED",
  "LIMIT_WARNING",
  "SSL_EXPIRING",
  "BILLING_PAST_DUE",
  "BILLING_RENEWAL_DUE",
];
const channel: Fields = {
  id: "uuid",
  type: "EMAIL|WEBHOOK",
  target: "string",
  events: [channelEvents.join("|")],
  enabled: "boolean",
  createdAt: "date-time",
  hasSecret: "boolean",
};
const channelDelivery: Fields = {
  id: "uuid",
  event: "string",
  title: "string",
  success: "boolean",
  statusCode: "integer|null",
  error: "string|null",
  createdAt: "date-time",
};
const cronJob: Fields = {
  id: "uuid",
  name: "string",
  schedule: "string",
  timezone: "string",
  enabled: "boolean",
  serviceId: "uuid|null",
  lastRunAt: "date-time|null",
  nextRunAt: "date-time|null",
  lastStatus: "QUEUED|RUNNING|SUCCESS|FAILED|SKIPPED|null",
};
const invoice: Fields = {
  id: "uuid",
  number: "string|null",
  amountMad: "number",
  status: "string",
  plan: "string|null",
  term: "string|null",
  provider: "string|null",
  hostedUrl: "string|null",
  pdfUrl: "string|null",
  periodStart: "date-time|null",
  servicePeriodStart: "date-time|null",
  servicePeriodEnd: "date-time|null",
  createdAt: "date-time",
  lines: [{ meter: "string|null", quantity: "number", unitPriceMad: "number", amountMad: "number" }],
};
const fullInvoice: Fields = {
  ...invoice,
  subtotalMinor: "integer|null",
  taxMinor: "integer|null",
  taxRateBp: "integer|null",
  seller: "any",
  buyer: "any",
  totalMad: "number",
  subtotalMad: "number",
  taxMad: "number",
};
const ledgerRow: Fields = {
  id: "string",
  kind: "string",
  amountMinor: "integer",
  meter: "string|null",
  quantity: "string|null",
  periodStart: "date-time|null",
  provider: "string|null",
  providerTxnId: "string|null",
  description: "string|null",
  createdAt: "date-time",
};
const billingIdentity: Fields = {
  billingEmail: "string|null",
  billingName: "string|null",
  billingAddress: "string|null",
  billingIce: "string|null",
  billingTaxId: "string|null",
  billingRc: "string|null",
};
const wallet: Fields = {
  billingMode: "string",
  purpose: "string",
  balanceMinor: "integer",
  autoRechargeMinor: "integer|null",
  autoRechargeAtMinor: "integer|null",
  canAutoRecharge: "boolean",
  status: "string",
  fundsOverage: "boolean",
};
const overage: Fields = {
  enabled: "boolean",
  applies: "boolean",
  eligible: "boolean",
  budgetMinor: "integer",
  spentMinor: "integer",
  budgetRemainingMinor: "integer",
  balanceMinor: "integer",
  canBuyOverage: "boolean",
  meters: [
    {
      meter: "string",
      used: "number",
      included: "number",
      unit: "string",
      pct: "number",
      overageMinor: "integer",
      rateMicroSantimat: "integer",
      exhausted: "boolean",
      limitReached: "boolean",
      blocked: "boolean",
      enforcement: "string",
    },
  ],
};
const webhookEvents = ["DEPLOYMENT_CREATED", "SERVICE_CREATED", "SERVICE_DELETED", "DATABASE_CREATED", "PING"];
const webhook: Fields = {
  id: "string",
  url: "string",
  events: [webhookEvents.join("|")],
  enabled: "boolean",
  lastStatus: "integer|null",
  lastDeliveryAt: "date-time|null",
  createdAt: "date-time",
};
const ok: Fields = { ok: "boolean" };
const pagination: Fields = { hasMore: "boolean", nextCursor: "string|null" };
const text = { type: "string" };
const uuid = { type: "string", format: "uuid" };
const cap = { type: ["integer", "null"], minimum: 0, maximum: 10_000_000 };
const percent = { type: ["integer", "null"], minimum: 1, maximum: 100 };

const boolean = { type: "boolean" };
const number = { type: "number" };
const metric = { type: "string", enum: ["CPU_CORES", "MEMORY_MB", "SERVICE_DOWN"] };
const comparator = { type: "string", enum: ["GT", "LT"] };
const events = { type: "array", items: { type: "string", enum: channelEvents } };

function within(maxLength: number, minLength = 1): object {
  return { type: "string", minLength, maxLength };
}

function nullableText(maxLength: number): object {
  return { type: ["string", "null"], maxLength };
}

const cronFields = {
  name: within(80),
  schedule: within(120),
  command: within(4000),
  timezone: within(64),
  timeoutSeconds: { type: "integer", minimum: 1, maximum: 3600 },
};

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
    // The contract declares neither; gaps.md does.
    scope: "audit:read",
    access: "admin",
    query: { format: { type: "string", enum: ["csv", "json"] }, action: text, entityType: text },
    status: 200,
    answer: { data: [auditEntry] },
  },
  { operation: "GET /alerts", scope: "alerts:read", access: "read", status: 200, answer: { data: [alertRule] } },
  {
    operation: "POST /alerts",
    scope: "alerts:write",
    access: "admin",
    flags: "I",
    body: {
      required: ["name", "metric", "comparator", "threshold"],
      fields: { name: within(80), metric, comparator, threshold: number, serviceId: uuid },
    },
    status: 201,
    answer: { alert: { id: "uuid" } },
  },
  {
    operation: "PATCH /alerts/{id}",
    scope: "alerts:write",
    access: "admin",
    flags: "I",
    body: { required: [], fields: { threshold: number, comparator, enabled: boolean, name: within(80) } },
    status: 200,
    answer: ok,
    errors: [...usualErrors, 404],
  },
  {
    operation: "DELETE /alerts/{id}",
    scope: "alerts:write",
    access: "admin",
    status: 200,
    answer: ok,
    errors: [...usualErrors, 404],
  },
  {
    operation: "GET /alerts/{id}/events",
    scope: "alerts:read",
    access: "read",
    query: { limit: limit(50, 20) },
    status: 200,
    answer: { data: [{ id: "uuid", state: "string", value: "number|null", createdAt: "date-time" }] },
    errors: [...usualErrors, 404],
  },
  {
    operation: "GET /alerts/preview",
    scope: "alerts:read",
    access: "read",
    query: { metric, serviceId: uuid },
    requiredQuery: ["metric", "serviceId"],
    status: 200,
    answer: { value: "number|null" },
  },
  {
    operation: "POST /billing/auto-renew",
    scope: "billing:write",
    access: "admin",
    flags: "S, I",
    body: { required: ["enabled"], fields: { enabled: boolean } },
    status: 200,
    answer: { autoRenew: "boolean" },
  },
  {
    operation: "POST /billing/cancel",
    scope: "billing:write",
    access: "admin",
    flags: "S, I",
    body: { required: ["cancel"], fields: { cancel: boolean } },
    status: 200,
    answer: { cancelAtPeriodEnd: "boolean", currentPeriodEnd: "date-time|null" },
  },
  {
    operation: "GET /billing/identity",
    scope: "billing:read",
    access: "admin",
    flags: "S",
    status: 200,
    answer: { accountName: "string", ...billingIdentity },
  },
  {
    operation: "PUT /billing/identity",
    scope: "billing:write",
    access: "admin",
    flags: "S, I",
    body: {
      required: [],
      fields: {
        billingEmail: nullableText(320),
        billingName: nullableText(200),
        billingAddress: nullableText(500),
        billingIce: nullableText(32),
        billingTaxId: nullableText(32),
        billingRc: nullableText(32),
      },
    },
    status: 200,
    answer: billingIdentity,
  },
  {
    operation: "GET /billing/invoices",
    scope: "billing:read",
    access: "admin",
    flags: "S",
    query: { limit: limit(100, 20), cursor: uuid },
    status: 200,
    answer: { rows: [invoice], nextCursor: "string|null" },
  },
  {
    operation: "GET /billing/invoices/{id}",
    scope: "billing:read",
    access: "admin",
    flags: "S",
    status: 200,
    answer: fullInvoice,
    errors: [...usualErrors, 404],
  },
  {
    operation: "GET /billing/ledger",
    scope: "billing:read",
    access: "admin",
    flags: "S",
    query: { limit: limit(100, 25), cursor: text },
    status: 200,
    answer: { rows: [ledgerRow], nextCursor: "string|null" },
  },
  {
    operation: "PUT /billing/low-balance-alert",
    scope: "billing:write",
    access: "admin",
    flags: "S, I",
    body: {
      required: ["thresholdMad"],
      fields: {
        thresholdMad: { type: ["number", "null"], minimum: 0 },
        rechargeMad: { type: ["number", "null"], exclusiveMinimum: 0 },
      },
    },
    status: 200,
    answer: { autoRechargeAtMinor: "integer|null", autoRechargeMinor: "integer|null" },
  },
  {
    operation: "GET /billing/overage",
    scope: "billing:read",
    access: "read",
    flags: "S",
    status: 200,
    answer: overage,
  },
  {
    operation: "PUT /billing/overage-budget",
    scope: "billing:write",
    access: "admin",
    flags: "S, I",
    body: { required: ["budgetMad"], fields: { budgetMad: { type: "number", minimum: 0 } } },
    status: 200,
    answer: { budgetMinor: "integer" },
  },
  {
    operation: "POST /billing/plan",
    scope: "billing:write",
    access: "admin",
    flags: "S",
    body: {
      required: ["plan"],
      fields: {
        plan: { type: "string", enum: ["FREE", "DEV", "PRO", "TEAM", "AGENCY", "SCHOOL"] },
        term: { type: "string", enum: ["MONTHLY", "QUARTERLY", "ANNUAL"], default: "MONTHLY" },
      },
    },
    status: 200,
    answer: {
      url: "string|null",
      carriedDays: "number",
      switched: "boolean",
      currentPeriodEnd: "date-time|null",
      priceMad: "number|null",
    },
  },
  {
    operation: "GET /billing/subscription",
    scope: "billing:read",
    access: "read",
    flags: "S",
    status: 200,
    // The subscription itself, or null, is among the resources below.
    answer: { hasCustomer: "boolean", termsEnabled: "boolean" },
  },
  {
    operation: "POST /billing/topup",
    scope: "billing:write",
    access: "admin",
    flags: "S",
    body: { required: ["amountMad"], fields: { amountMad: { type: "number", exclusiveMinimum: 0 } } },
    status: 200,
    answer: { url: "string", amountMinor: "integer" },
  },
  {
    operation: "GET /billing/wallet",
    scope: "billing:read",
    access: "read",
    flags: "S",
    status: 200,
    answer: wallet,
  },
  {
    operation: "GET /channels",
    scope: "channels:read",
    access: "read",
    flags: "S",
    status: 200,
    answer: { data: [channel] },
  },
  {
    operation: "POST /channels",
    scope: "channels:write",
    access: "admin",
    flags: "S, I",
    body: {
      required: ["type", "target"],
      fields: {
        type: { type: "string", enum: ["EMAIL", "WEBHOOK"] },
        target: within(500),
        events: { ...events, default: [] },
        secret: { type: "string", maxLength: 200 },
      },
    },
    status: 201,
    answer: { id: "uuid" },
  },
  {
    operation: "PATCH /channels/{id}",
    scope: "channels:write",
    access: "admin",
    flags: "S, I",
    body: { required: [], fields: { events, enabled: boolean } },
    status: 200,
    answer: ok,
    errors: [...usualErrors, 404],
  },
  {
    operation: "DELETE /channels/{id}",
    scope: "channels:write",
    access: "admin",
    flags: "S",
    status: 200,
    answer: ok,
    errors: [...usualErrors, 404],
  },
  {
    operation: "GET /channels/{id}/deliveries",
    scope: "channels:read",
    access: "read",
    flags: "S",
    query: { limit: limit(50, 20) },
    status: 200,
    answer: { data: [channelDelivery] },
    errors: [...usualErrors, 404],
  },
  {
    operation: "POST /channels/{id}/test",
    scope: "channels:write",
    access: "admin",
    flags: "S, I",
    status: 200,
    answer: ok,
    errors: [...usualErrors, 404],
  },
  {
    operation: "POST /channels/deliveries/{deliveryId}/retry",
    scope: "channels:write",
    access: "admin",
    flags: "S, I",
    status: 200,
    answer: ok,
    errors: [...usualErrors, 404],
  },
  {
    operation: "GET /cron",
    scope: "cron:read",
    access: "read",
    query: { limit: limit(100, 20), cursor: text },
    status: 200,
    answer: { data: [cronJob], pagination },
  },
  {
    operation: "POST /cron",
    scope: "cron:write",
    access: "write",
    flags: "I",
    body: { required: ["name", "schedule", "command"], fields: { ...cronFields, serviceId: uuid } },
    status: 201,
    answer: { cronJob: { id: "uuid" } },
  },
  {
    operation: "GET /cron/{id}",
    scope: "cron:read",
    access: "read",
    status: 200,
    answer: { cronJob: { ...cronJob, command: "string", timeoutSeconds: "integer", lastExitCode: "integer|null" } },
    errors: [...usualErrors, 404],
  },
  {
    operation: "PATCH /cron/{id}",
    scope: "cron:write",
    access: "write",
    flags: "I",
    body: { required: [], fields: cronFields },
    status: 200,
    answer: ok,
    errors: [...usualErrors, 404],
  },
  {
    operation: "DELETE /cron/{id}",
    scope: "cron:write",
    access: "admin",
    status: 200,
    answer: ok,
    errors: [...usualErrors, 404],
  },
  {
    operation: "POST /cron/{id}/run",
    scope: "cron:write",
    access: "write",
    flags: "I",
    status: 202,
    answer: ok,
    errors: [...usualErrors, 404],
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
  {
    operation: "POST /webhooks",
    // The contract leaves open whether the list may be left out, which then is an empty one.
    body: { required: ["url"], fields: { url: text, events: { type: "array", items: { enum: webhookEvents } } } },
    status: 201,
    answer: { webhook: { ...webhook, secret: "string" } },
  },
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
