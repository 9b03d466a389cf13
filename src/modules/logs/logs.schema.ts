import { type Static, Type } from "typebox";
import { Closed, cursor, DateTime, limit, Nullable, PageOf } from "../../operation/schema.ts";

export const LogEntry = Closed(
  {
    timestamp: Type.String({ description: "ISO 8601, milliseconds, UTC." }),
    line: Type.String({ description: "Without its line break.", examples: ["listening on port 3000"] }),
    instance: Nullable(
      Type.String({
        description: "Which instance said it, from 0; null for what the platform or a build step says.",
        examples: ["0"],
      }),
    ),
  },
  { title: "LogEntry" },
);
export type LogEntry = Static<typeof LogEntry>;

/** The newest entries, oldest of them first; `nextCursor` leads to the page of older ones. */
export const LogPage = PageOf(LogEntry);

const common = {
  since: Type.Optional(Type.String({ ...DateTime, description: "From this time on." })),
  until: Type.Optional(Type.String({ ...DateTime, description: "Before this time." })),
  search: Type.Optional(
    Type.String({ minLength: 1, maxLength: 200, description: "Lines that hold this text, upper or lower case alike." }),
  ),
  limit: limit(1000, 100),
  cursor,
  follow: Type.Optional(
    Type.Boolean({
      description:
        "Streams server-sent events instead: the newest `limit` entries, then each new one. An event's id, sent back as `Last-Event-ID`, takes up the stream where it broke off. The stream of a build or a run ends with an event named `end`.",
    }),
  ),
};

/** Of a run, too. */
export const BuildLogQuery = Closed(common);
export const ServiceLogQuery = Closed({
  ...common,
  instance: Type.Optional(
    Type.String({ pattern: "^[0-9]{1,3}$", description: "One instance, from 0.", examples: ["0"] }),
  ),
});
export type LogQuery = Static<typeof ServiceLogQuery>;
