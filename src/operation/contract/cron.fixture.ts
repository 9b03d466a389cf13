/** Cron jobs. */
import {
  type ContractRow,
  type Fields,
  limit,
  ok,
  pagination,
  text,
  usualErrors,
  uuid,
  within,
} from "./row.fixture.ts";

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
const cronFields = {
  name: within(80),
  schedule: within(120),
  command: within(4000),
  timezone: within(64),
  timeoutSeconds: { type: "integer", minimum: 1, maximum: 3600 },
};

export const cronRows: readonly ContractRow[] = [
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
];
