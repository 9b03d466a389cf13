import { type Static, Type } from "typebox";
import { Closed, cursor, DateTime, limit, Nullable, Uuid } from "../../operation/schema.ts";

export const ActivityEvent = Closed(
  {
    id: Uuid,
    action: Type.String({ description: "What happened, such as `service.created`.", examples: ["service.created"] }),
    entityType: Type.String({ description: "What it happened to, such as `service`." }),
    entityId: Type.String(),
    metadata: Type.Unsafe<object>({
      type: "object",
      additionalProperties: true,
      description: "What the event is about, by names that depend on the action.",
      examples: [{ name: "Shop" }],
    }),
    actorName: Nullable(Type.String({ description: "null: the platform itself." })),
    createdAt: DateTime,
  },
  { title: "ActivityEvent" },
);
export type ActivityEvent = Static<typeof ActivityEvent>;

export const ActivityQuery = Closed({
  limit: limit(100, 20),
  cursor,
  entityType: Type.Optional(
    Type.String({ minLength: 1, maxLength: 60, description: "Only events of such things, `service` for example." }),
  ),
  entityId: Type.Optional(Type.String({ minLength: 1, maxLength: 60, description: "Only events of this one thing." })),
});
