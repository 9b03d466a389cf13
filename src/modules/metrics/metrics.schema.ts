import { type Static, Type } from "typebox";
import { Closed, DateTime, Nullable } from "../../operation/schema.ts";
import { mostPoints } from "./resolution.ts";

const gap = "null where nothing was measured";
const level = (description: string, example: number) =>
  Nullable(Type.Number({ description: `${description}; ${gap}.`, examples: [example] }));
const count = (description: string, example: number) =>
  Nullable(Type.Integer({ description: `${description}; ${gap}.`, examples: [example] }));

export const MetricsPoint = Closed(
  {
    at: Type.String({ ...DateTime, description: "Where the interval begins." }),
    cpuCores: level("Cores used by all instances together, on average", 0.42),
    cpuCoresMax: level("The most in any 10 s (of hours: of the hour)", 0.97),
    memoryMb: level("Working set of all instances together, on average", 183.5),
    memoryMbMax: level("The most", 201.2),
    instancesUp: count("The fewest that were up", 2),
    instancesWanted: count("How many should have been", 2),
    requests: count("Requests that began", 1240),
    bytesIn: count("Sent by visitors", 482_000),
    bytesOut: count("Sent to visitors", 9_120_000),
    statuses: Nullable(
      Type.Object(
        Object.fromEntries(["1xx", "2xx", "3xx", "4xx", "5xx"].map((name) => [name, Type.Integer()])) as Record<
          "1xx" | "2xx" | "3xx" | "4xx" | "5xx",
          ReturnType<typeof Type.Integer>
        >,
        {
          additionalProperties: false,
          description: `Answers by the class of their status; ${gap}.`,
          examples: [{ "1xx": 0, "2xx": 1201, "3xx": 12, "4xx": 27, "5xx": 0 }],
        },
      ),
    ),
    latencyMs: Nullable(
      Closed(
        { p50: Type.Number(), p95: Type.Number(), p99: Type.Number() },
        {
          description:
            "Milliseconds to the head of the answer that half, 95 % and 99 % of the requests did not exceed, to within a tenth; null where none was measured.",
          examples: [{ p50: 12.4, p95: 48.1, p99: 130.6 }],
        },
      ),
    ),
  },
  { title: "MetricsPoint" },
);
export type MetricsPoint = Static<typeof MetricsPoint>;

export const MetricsSeries = Closed(
  {
    since: Type.String({ ...DateTime, description: "Where the first interval begins." }),
    until: Type.String({ ...DateTime, description: "Where the last interval ends." }),
    stepSeconds: Type.Integer({ description: "How long an interval is.", examples: [10] }),
    data: Type.Array(MetricsPoint, {
      description: `Every interval, oldest first; at most ${mostPoints}.`,
    }),
  },
  { title: "MetricsSeries" },
);
export type MetricsSeries = Static<typeof MetricsSeries>;

export const MetricsQuery = Closed({
  since: Type.Optional(Type.String({ ...DateTime, description: "From this time on; an hour before `until`." })),
  until: Type.Optional(Type.String({ ...DateTime, description: "Before this time; now." })),
  step: Type.Optional(
    Type.Integer({
      minimum: 10,
      maximum: 86_400,
      description: `Seconds an interval should have, by the span when left out. Raised to what is kept (10 s for 24 hours, hours for 30 days) and to what makes at most ${mostPoints} intervals; \`stepSeconds\` says what it is.`,
    }),
  ),
});
export type MetricsQuery = Static<typeof MetricsQuery>;
