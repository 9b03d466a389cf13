import { defineOperation, type Operation } from "../../operation/operation.ts";
import { Closed, Ok } from "../../operation/schema.ts";
import { Connection, DatabasePage, DatabaseQuery, DatabaseResponse, NewDatabase } from "./databases.schema.ts";
import type { DatabasesService } from "./databases.service.ts";

export function databaseOperations(databases: DatabasesService): Operation[] {
  const tag = "Databases";
  const read = { tag, scope: "databases:read", access: "read", method: "GET", status: 200 } as const;
  const write = { tag, scope: "databases:write", access: "write", entity: "database" } as const;
  return [
    defineOperation({
      ...read,
      id: "databases.list",
      path: "/databases",
      summary: "List databases, newest first",
      query: DatabaseQuery,
      response: DatabasePage,
      handle: ({ caller, query }) =>
        databases.list(caller, { limit: query.limit ?? 20, cursor: query.cursor, projectId: query.projectId }),
    }),
    defineOperation({
      ...write,
      id: "databases.create",
      method: "POST",
      path: "/databases",
      summary: "Create a database",
      description:
        "Answers at once with a database that is PROVISIONING. Seconds later it is AVAILABLE, and webhooks that want to know are told (`database.created`), or FAILED with the reason.",
      activity: "database.requested",
      body: NewDatabase,
      status: 201,
      response: DatabaseResponse,
      errors: ["conflict", "plan_restricted"],
      handle: async ({ transaction, caller, body, note }) => {
        const database = await databases.create(transaction, caller, body);
        note({ entityId: database.id, metadata: { name: database.name, type: database.type } });
        return { database };
      },
    }),
    defineOperation({
      ...read,
      id: "databases.get",
      path: "/databases/{id}",
      summary: "Get a database",
      response: DatabaseResponse,
      handle: async ({ caller, params }) => ({ database: await databases.get(caller, params.id) }),
    }),
    defineOperation({
      ...write,
      id: "databases.delete",
      method: "DELETE",
      path: "/databases/{id}",
      summary: "Delete a database with all that it holds",
      description: "It is DELETING until nothing of it is left, and then gone. What it held can't be brought back.",
      access: "admin",
      activity: "database.deleted",
      status: 200,
      response: Ok,
      handle: async ({ transaction, caller, params, note }) => {
        note({ metadata: { name: await databases.remove(transaction, caller, params.id) } });
        return { ok: true };
      },
    }),
    defineOperation({
      ...read,
      id: "databases.connection",
      path: "/databases/{id}/connection",
      summary: "Get what a database is reached with, its password included",
      description:
        "For services on the same platform: the database listens on the machine itself alone. Refused until it has been provisioned.",
      sensitive: true,
      response: Closed({ connection: Connection }),
      errors: ["conflict"],
      handle: async ({ caller, params }) => ({ connection: await databases.connection(caller, params.id) }),
    }),
    defineOperation({
      ...write,
      id: "databases.rotatePassword",
      method: "POST",
      path: "/databases/{id}/rotate-password",
      summary: "Give a database a new password",
      description:
        "Sessions under the old one are ended. GET /databases/{id}/connection tells the new one as soon as it is in force, mostly at once; until then it tells the old one.",
      activity: "database.password_rotated",
      status: 200,
      response: Ok,
      errors: ["conflict"],
      handle: async ({ transaction, caller, params, note, afterCommit }) => {
        const { name, port } = await databases.rotatePassword(transaction, caller, params.id);
        note({ metadata: { name } });
        afterCommit(() => void databases.applyRotation(params.id, port));
        return { ok: true };
      },
    }),
  ];
}
