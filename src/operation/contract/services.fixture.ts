/** Services, deployments, webhooks. */
import { type ContractRow, type Fields, limit, pagination, text } from "./row.fixture.ts";

const service: Fields = {
  id: "string",
  name: "string",
  slug: "string",
  type: "WEB|WORKER|STATIC",
  status: "string",
  url: "string",
  branch: "string",
};
const webhookEvents = ["DEPLOYMENT_CREATED", "SERVICE_CREATED", "SERVICE_DELETED", "DATABASE_CREATED", "PING"];
export const webhook: Fields = {
  id: "string",
  url: "string",
  events: [webhookEvents.join("|")],
  enabled: "boolean",
  lastStatus: "integer|null",
  lastDeliveryAt: "date-time|null",
  createdAt: "date-time",
};

export const servicesRows: readonly ContractRow[] = [
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
