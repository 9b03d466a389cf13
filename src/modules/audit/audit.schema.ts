import { type Static, Type } from "typebox";
import { surfaces } from "../../operation/caller.ts";
import { Choice, Closed, DateTime, limit, Nullable, Uuid } from "../../operation/schema.ts";

export const AuditEntry = Closed(
  {
    id: Uuid,
    action: Type.String({ description: "The operation, such as `services.create`." }),
    entityType: Type.String({ description: "What it changed, such as `service`." }),
    entityId: Type.String(),
    actorName: Nullable(Type.String({ description: "null: the platform itself." })),
    surface: Choice(surfaces, "The channel through which the action came."),
    apiKeyId: Nullable(Type.String({ ...Uuid, description: "null: no key was used." })),
    ipAddress: Nullable(Type.String({ description: "null: it did not come over the network." })),
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

const action = Type.Optional(
  Type.String({ minLength: 1, maxLength: 120, description: "Only this operation, `services.create` for example." }),
);
const entityType = Type.Optional(
  Type.String({ minLength: 1, maxLength: 60, description: "Only changes of such things, `service` for example." }),
);

export const AuditQuery = Closed({
  action,
  entityType,
  entityId: Type.Optional(Type.String({ ...Uuid, description: "Only changes of this one thing." })),
  userId: Type.Optional(Type.String({ ...Uuid, description: "What this person did, with any key of theirs." })),
  cursor: Type.Optional(
    Type.String({ ...Uuid, description: "`nextCursor` of the page before; the first page when left out." }),
  ),
  limit: limit(100, 50),
});

export const AuditExportQuery = Closed({
  format: Type.Optional({ ...Choice(["csv", "json"], "As what the log is sent."), default: "json" }),
  action,
  entityType,
});

export const AuditExport = Closed({ data: Type.Array(AuditEntry) });
