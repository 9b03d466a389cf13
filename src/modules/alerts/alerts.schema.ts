import { type Static, Type } from "typebox";
import { Choice, Closed, DateTime, limit, Nullable, Uuid } from "../../operation/schema.ts";
import { alertStates, comparators } from "./judgement.ts";

export const metrics = ["CPU_CORES", "MEMORY_MB", "SERVICE_DOWN"] as const;
export type Metric = (typeof metrics)[number];

const name = Type.String({ minLength: 1, maxLength: 80, examples: ["Shop is too busy"] });
const metric = Choice(
  metrics,
  "CPU_CORES: cores used by all instances together. MEMORY_MB: their working set. SERVICE_DOWN: 1 while the service should run and no instance of it is up, else 0.",
);
const comparator = Choice(comparators, "Fires above (GT) or below (LT) the threshold.");
/** Larger than any machine; what JSON lets through beyond it is a mistake. */
const threshold = Type.Number({ minimum: -1_000_000_000, maximum: 1_000_000_000, examples: [1.5] });
const channelId = Nullable(
  Type.String({
    ...Uuid,
    description: "The one channel that is told; null or left out: every channel that is enabled.",
  }),
);
const state = Choice(alertStates, "UNKNOWN: there is no reading, or the rule is not enabled.");

export const AlertRule = Closed(
  {
    id: Uuid,
    name,
    metric,
    comparator,
    threshold: Type.Number({ examples: [1.5] }),
    enabled: Type.Boolean({ examples: [true] }),
    state,
    lastValue: Nullable(Type.Number({ description: "Of the latest check; null without a reading.", examples: [0.42] })),
    lastCheckedAt: Nullable(DateTime),
    serviceId: Nullable(
      Type.String({ ...Uuid, description: "null: the rule watches the worst of all the account's services." }),
    ),
    serviceName: Nullable(Type.String()),
    channelId: Nullable(Type.String({ ...Uuid, description: "null: every channel that is enabled is told." })),
    channelName: Nullable(Type.String()),
  },
  { title: "AlertRule" },
);
export type AlertRule = Static<typeof AlertRule>;

export const NewAlertRule = Closed({
  name,
  metric,
  comparator,
  threshold,
  serviceId: Type.Optional(
    Type.String({ ...Uuid, description: "Left out: the rule watches the worst of all the account's services." }),
  ),
  channelId: Type.Optional(channelId),
});
export type NewAlertRule = Static<typeof NewAlertRule>;

export const AlertRuleChanges = Closed({
  threshold: Type.Optional(threshold),
  comparator: Type.Optional(comparator),
  enabled: Type.Optional(Type.Boolean({ examples: [true] })),
  name: Type.Optional(name),
  channelId: Type.Optional(channelId),
});
export type AlertRuleChanges = Static<typeof AlertRuleChanges>;

export const AlertEvent = Closed(
  {
    id: Uuid,
    state,
    value: Nullable(Type.Number({ description: "The reading that made the change.", examples: [1.93] })),
    createdAt: DateTime,
  },
  { title: "AlertEvent" },
);
export type AlertEvent = Static<typeof AlertEvent>;

export const AlertEventsQuery = Closed({ limit: limit(50, 20) });

export const AlertPreviewQuery = Closed({
  metric,
  serviceId: Type.String({ ...Uuid, description: "The service that it is read of." }),
});
export const AlertPreview = Closed({
  value: Nullable(Type.Number({ description: "The latest reading; null when there is none.", examples: [0.42] })),
});
export type AlertPreview = Static<typeof AlertPreview>;
