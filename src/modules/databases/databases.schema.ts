import { type Static, Type } from "typebox";
import { uuidPattern } from "../../kernel/ids.ts";
import { Choice, Closed, cursor, DateTime, limit, Nullable, PageOf, Uuid } from "../../operation/schema.ts";

/** What this Ksar makes. */
export const offeredTypes = ["POSTGRES"] as const;

const statuses = ["PROVISIONING", "AVAILABLE", "STOPPED", "FAILED", "DELETING"] as const;

export const Database = Closed(
  {
    id: Type.String(),
    name: Type.String({ examples: ["orders"] }),
    type: Type.String({ description: "What it is: POSTGRES.", examples: ["POSTGRES"] }),
    status: Choice(
      statuses,
      "PROVISIONING until it is ready; STOPPED while its server is down, which Ksar starts again; FAILED when it could not be made; DELETING until nothing of it is left.",
    ),
    isBranch: Type.Boolean({ description: "Whether it is a branch of another database.", examples: [false] }),
    projectId: Nullable(Type.String({ description: "null: its project was deleted while it was on its way out." })),
    version: Nullable(Type.String({ description: "Of the server; null until it is ready.", examples: ["18.4"] })),
    sizeMb: Nullable(
      Type.Integer({ description: "What it takes of the disk, in MiB; null until it was measured.", examples: [72] }),
    ),
    failure: Nullable(Type.String({ description: "Why it is FAILED.", examples: [null] })),
    createdAt: DateTime,
  },
  { title: "Database" },
);
export type Database = Static<typeof Database>;

export const DatabasePage = PageOf(Database);
export const DatabaseResponse = Closed({ database: Database });

export const DatabaseQuery = Closed({
  limit: limit(100, 20),
  cursor,
  projectId: Type.Optional(
    Type.String({ format: "uuid", pattern: uuidPattern, description: "Only the databases of this project." }),
  ),
});

export const NewDatabase = Closed({
  projectId: Uuid,
  name: Type.String({ minLength: 1, maxLength: 80, description: "Unique in the project.", examples: ["orders"] }),
  type: Choice(offeredTypes, "This Ksar offers POSTGRES."),
});
export type NewDatabase = Static<typeof NewDatabase>;

export const Connection = Closed(
  {
    host: Type.String({ examples: ["127.0.0.1"] }),
    port: Type.Integer({ examples: [30_112] }),
    database: Type.String({ examples: ["app"] }),
    username: Type.String({ examples: ["app"] }),
    password: Type.String({ examples: ["Wc4PzG2hC0Vq3n6kSx1bTr8m"] }),
    url: Type.String({
      description: "All of it, as most libraries take it.",
      examples: ["postgres://app:Wc4PzG2hC0Vq3n6kSx1bTr8m@127.0.0.1:30112/app"],
    }),
  },
  { title: "DatabaseConnection" },
);
export type Connection = Static<typeof Connection>;
