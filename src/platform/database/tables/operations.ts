/** What every operation leaves behind: audit, activity, answers by Idempotency-Key. */
import type { JSONColumnType } from "kysely";
import type { Json } from "../../../kernel/json.ts";
import type { CreatedAt } from "./created-at.ts";

export interface OperationsTables {
  auditEntries: {
    id: string;
    accountId: string;
    action: string;
    entityType: string;
    entityId: string;
    userId: string | null;
    actorName: string | null;
    surface: "DASHBOARD" | "API" | "CLI" | "MCP" | "SYSTEM";
    apiKeyId: string | null;
    ipAddress: string | null;
    createdAt: CreatedAt;
  };
  activityEvents: {
    id: string;
    accountId: string;
    action: string;
    entityType: string;
    entityId: string;
    metadata: JSONColumnType<{ readonly [name: string]: Json }>;
    actorName: string | null;
    createdAt: CreatedAt;
  };
  idempotencyKeys: {
    accountId: string;
    holderId: string;
    key: string;
    fingerprint: Buffer;
    status: number;
    body: string;
    createdAt: Date;
  };
}
