import { defineOperation, type Operation } from "../../operation/operation.ts";
import { BuildLogQuery, LogPage, ServiceLogQuery } from "./logs.schema.ts";
import type { LogsService } from "./logs.service.ts";

export function logOperations(logs: LogsService): Operation[] {
  const shared = {
    tag: "Logs",
    scope: "logs:read",
    access: "read",
    method: "GET",
    status: 200,
    response: LogPage,
    streams: true,
  } as const;
  return [
    defineOperation({
      ...shared,
      id: "services.logs",
      path: "/services/{id}/logs",
      summary: "Read or follow what a service's instances print",
      query: ServiceLogQuery,
      handle: (call) => logs.ofService(call.caller, call.params.id, call.query, call),
    }),
    defineOperation({
      ...shared,
      id: "deployments.logs",
      path: "/deployments/{id}/logs",
      summary: "Read or follow a deployment's build log",
      query: BuildLogQuery,
      handle: (call) => logs.ofBuild(call.caller, call.params.id, call.query, call),
    }),
    defineOperation({
      ...shared,
      id: "cron.runLogs",
      path: "/cron/runs/{runId}/logs",
      summary: "Read or follow what a run of a cron job printed",
      query: BuildLogQuery,
      handle: (call) => logs.ofRun(call.caller, call.params.runId, call.query, call),
    }),
  ];
}
