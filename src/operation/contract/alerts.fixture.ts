/** Alerts. */
import { boolean, type ContractRow, type Fields, limit, number, ok, usualErrors, uuid, within } from "./row.fixture.ts";

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
const metric = { type: "string", enum: ["CPU_CORES", "MEMORY_MB", "SERVICE_DOWN"] };
const comparator = { type: "string", enum: ["GT", "LT"] };

export const alertsRows: readonly ContractRow[] = [
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
];
