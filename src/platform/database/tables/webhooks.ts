/** Outgoing webhooks, what is to be delivered to them, and each attempt at it. */
import type { Generated } from "kysely";
import type { CreatedAt } from "./created-at.ts";

export interface WebhooksTables {
  webhooks: {
    id: string;
    accountId: string;
    url: string;
    events: string[];
    enabled: Generated<boolean>;
    sealedSecret: Buffer;
    lastStatus: number | null;
    lastDeliveryAt: Date | null;
    failingSince: Date | null;
    createdAt: CreatedAt;
  };
  webhookDeliveries: {
    id: string;
    accountId: string;
    webhookId: string;
    event: string;
    body: string;
    status: Generated<"PENDING" | "DELIVERED" | "FAILED">;
    attempts: Generated<number>;
    nextAttemptAt: Date;
    error: string | null;
    createdAt: CreatedAt;
    sequence: Generated<number>;
  };
  webhookAttempts: {
    deliveryId: string;
    number: number;
    startedAt: Date;
    durationMs: number;
    statusCode: number | null;
    error: string | null;
    response: string | null;
  };
}
