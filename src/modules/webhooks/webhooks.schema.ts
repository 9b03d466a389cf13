import { type Static, Type } from "typebox";
import { Choice, Closed, DateTime, Nullable, Uuid } from "../../operation/schema.ts";
import { webhookEventNames } from "./webhook-events.ts";

const url = Type.String({
  minLength: 1,
  maxLength: 2048,
  description: "Where deliveries are sent: http or https, on the public internet, without user and password.",
  examples: ["https://example.com/hooks/ksar"],
});
const events = Type.Array(Choice(webhookEventNames), {
  description: "Which events are delivered; an empty list is all of them.",
});
const secret = Type.String({
  description: "What deliveries are signed with. It is shown here alone.",
  examples: ["whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oDRDhj5pUoHqI="],
});

const fields = {
  id: Uuid,
  url: Type.String({ examples: ["https://example.com/hooks/ksar"] }),
  events: Type.Array(Choice(webhookEventNames), { description: "Which events are delivered; none: all of them." }),
  enabled: Type.Boolean({ description: "Whether events are delivered." }),
  lastStatus: Nullable(
    Type.Integer({
      description: "The status that the latest attempt was answered with; null without an answer.",
      examples: [200],
    }),
  ),
  lastDeliveryAt: Nullable(Type.String({ format: "date-time", description: "When the latest attempt began." })),
  createdAt: DateTime,
};

export const Webhook = Closed(fields, { title: "Webhook" });
export type Webhook = Static<typeof Webhook>;

export const WebhookWithSecret = Closed({ ...fields, secret }, { title: "WebhookWithSecret" });
export type WebhookWithSecret = Static<typeof WebhookWithSecret>;

export const NewWebhook = Closed({ url, events: Type.Optional(events) });
export type NewWebhook = Static<typeof NewWebhook>;

export const WebhookChanges = Closed(
  { url: Type.Optional(url), events: Type.Optional(events), enabled: Type.Optional(Type.Boolean()) },
  { minProperties: 1 },
);
export type WebhookChanges = Static<typeof WebhookChanges>;

const DeliveryAttempt = Closed(
  {
    number: Type.Integer({ examples: [1] }),
    startedAt: DateTime,
    durationMs: Type.Integer({ examples: [84] }),
    statusCode: Nullable(Type.Integer({ description: "null: there was no answer.", examples: [503] })),
    error: Nullable(Type.String({ description: "Why it was no success.", examples: ["The endpoint answered 503."] })),
    response: Nullable(Type.String({ description: "How the answer's body begins.", examples: ["upstream is away"] })),
  },
  { title: "DeliveryAttempt" },
);

export const Delivery = Closed(
  {
    id: Type.String({
      format: "uuid",
      description: "Sent as x-ksar-delivery and webhook-id, the same at every attempt.",
    }),
    event: Type.String({ examples: ["service.created"] }),
    status: Choice(
      ["PENDING", "DELIVERED", "FAILED"],
      "PENDING: it waits for its first attempt, or for the next one. FAILED: it was given up.",
    ),
    nextAttemptAt: Nullable(Type.String({ format: "date-time", description: "Of a PENDING one." })),
    error: Nullable(Type.String({ description: "Why it was not delivered, or not yet." })),
    attempts: Type.Array(DeliveryAttempt, { description: "The latest ten, in their order." }),
    createdAt: DateTime,
  },
  { title: "WebhookDelivery" },
);
export type Delivery = Static<typeof Delivery>;
