/** Notification channels. */
import { boolean, type ContractRow, type Fields, limit, ok, usualErrors, within } from "./row.fixture.ts";

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
const events = { type: "array", items: { type: "string", enum: channelEvents } };

export const channelsRows: readonly ContractRow[] = [
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
];
