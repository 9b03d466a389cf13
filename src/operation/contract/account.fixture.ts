/** Account, API keys, activity, audit log. */
import { type ContractRow, type Fields, limit, ok, pagination, text, usualErrors, uuid } from "./row.fixture.ts";

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
const cap = { type: ["integer", "null"], minimum: 0, maximum: 10_000_000 };
const percent = { type: ["integer", "null"], minimum: 1, maximum: 100 };

export const accountRows: readonly ContractRow[] = [
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
];
