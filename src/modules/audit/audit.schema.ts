import { type Static, Type } from "typebox";
import { surfaces } from "../../operation/caller.ts";
import { Choice, Closed, DateTime, limit, Nullable, Uuid } from "../../operation/schema.ts";

export const AuditEntry = Closed(
  {
    id: Uuid,
    action: Type.String({ description: "The operation, such as `services.create`." }),
    entityType: Type.String(),
    entityId: Type.String(),
    actorName: Nullable(Type.String()),
    surface: Choice(surfaces, "The channel through which the action came."),
    apiKeyId: Nullable(Uuid),
    ipAddress: Nullable(Type.String()),
    createdAt: DateTime,
  },
  { title: "AuditEntry" },
);
export type AuditEntry = Static<typeof AuditEntry>;

/** Paging style C. */
export const AuditPage = Closed({
  items: Type.Array(AuditEntry),
  nextCursor: Type.Optional(Type.String({ ...Uuid, description: "Left out on the last page." })),
});

const action = Type.Optional(Type.String({ minLength: 1, maxLength: 120 }));
const entityType = Type.Optional(Type.String({ minLength: 1, maxLength: 60 }));

export const AuditQuery = Closed({
  action,
  entityType,
  entityId: Type.Optional(Uuid),
  userId: Type.Optional(Type.String({ ...Uuid, description: "What this person did, with any key of theirs." })),
  cursor: Type.Optional(Uuid),
  limit: limit(100, 50),
});

export const AuditExportQuery = Closed({
  format: Type.Optional({ ...Choice(["csv", "json"]), default: "json" }),
  action,
  entityType,
});

export const AuditExport = Closed({ data: Type.Array(AuditEntry) });
