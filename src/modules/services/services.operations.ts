import { defineOperation, type Operation } from "../../operation/operation.ts";
import { Ok, PageOf } from "../../operation/schema.ts";
import { NewService, Service, ServiceChanges, ServiceQuery, ServiceResponse } from "./services.schema.ts";
import type { ServicesService } from "./services.service.ts";

export function serviceOperations(services: ServicesService): Operation[] {
  const tag = "Services";
  const read = { tag, scope: "services:read", access: "read" } as const;
  const write = { tag, scope: "services:write", access: "write", entity: "service" } as const;
  return [
    defineOperation({
      ...read,
      id: "services.list",
      method: "GET",
      path: "/services",
      summary: "List services, newest first",
      query: ServiceQuery,
      status: 200,
      response: PageOf(Service),
      handle: ({ caller, query }) =>
        services.list(caller, {
          limit: query.limit ?? 20,
          cursor: query.cursor,
          type: query.type,
          projectId: query.projectId,
        }),
    }),
    defineOperation({
      ...write,
      id: "services.create",
      method: "POST",
      path: "/services",
      summary: "Create a service",
      description: "The service is PENDING until its first deployment: POST /services/{id}/deploy starts one.",
      activity: "service.created",
      body: NewService,
      status: 201,
      response: ServiceResponse,
      errors: ["plan_restricted"],
      handle: async ({ transaction, caller, body, note }) => {
        const service = await services.create(transaction, caller, body);
        note({ entityId: service.id, metadata: { name: service.name } });
        return { service };
      },
    }),
    defineOperation({
      ...read,
      id: "services.get",
      method: "GET",
      path: "/services/{id}",
      summary: "Get a service with its settings",
      status: 200,
      response: ServiceResponse,
      handle: async ({ caller, params }) => ({ service: await services.get(caller, params.id) }),
    }),
    defineOperation({
      ...write,
      id: "services.update",
      method: "PATCH",
      path: "/services/{id}",
      summary: "Change a service's settings",
      description:
        "`instances` takes effect at once, everything else with the next deployment; `restart` is enough for `healthCheckPath`.",
      activity: "service.updated",
      errors: ["plan_restricted"],
      body: ServiceChanges,
      status: 200,
      response: ServiceResponse,
      handle: async ({ transaction, caller, params, body, note }) => {
        const service = await services.change(transaction, caller, params.id, body);
        note({ metadata: { name: service.name, changed: Object.keys(body) } });
        return { service };
      },
    }),
    defineOperation({
      ...write,
      access: "admin",
      activity: "service.deleted",
      id: "services.delete",
      method: "DELETE",
      path: "/services/{id}",
      summary: "Delete a service with its deployments, environment and logs",
      status: 200,
      response: Ok,
      handle: async ({ transaction, caller, params, note }) => {
        note({ metadata: { name: await services.remove(transaction, caller, params.id) } });
        return { ok: true };
      },
    }),
    defineOperation({
      ...write,
      activity: "service.stopped",
      id: "services.stop",
      method: "POST",
      path: "/services/{id}/stop",
      summary: "Stop a service",
      description: "Its instances end; its release stays, and its address answers 503 until it is started.",
      status: 200,
      response: Ok,
      handle: async ({ transaction, caller, params, note }) => {
        note({ metadata: { name: await services.setDesiredState(transaction, caller, params.id, "STOPPED") } });
        return { ok: true };
      },
    }),
    defineOperation({
      ...write,
      activity: "service.started",
      id: "services.start",
      method: "POST",
      path: "/services/{id}/start",
      summary: "Start a stopped service with the release that it had",
      status: 200,
      response: Ok,
      handle: async ({ transaction, caller, params, note }) => {
        note({ metadata: { name: await services.setDesiredState(transaction, caller, params.id, "RUNNING") } });
        return { ok: true };
      },
    }),
  ];
}
