import { Type } from "typebox";
import { defineOperation, type Operation } from "../../operation/operation.ts";
import { Closed, Ok, Uuid } from "../../operation/schema.ts";
import {
  AlertEvent,
  AlertEventsQuery,
  AlertPreview,
  AlertPreviewQuery,
  AlertRule,
  AlertRuleChanges,
  NewAlertRule,
} from "./alerts.schema.ts";
import type { AlertsService } from "./alerts.service.ts";

export function alertOperations(alerts: AlertsService): Operation[] {
  const tag = "Alerts";
  const read = { tag, scope: "alerts:read", access: "read", method: "GET", status: 200 } as const;
  const write = { tag, scope: "alerts:write", access: "admin", entity: "alert" } as const;
  return [
    defineOperation({
      ...read,
      id: "alerts.list",
      path: "/alerts",
      summary: "List alert rules, newest first",
      response: Closed({ data: Type.Array(AlertRule) }),
      handle: async ({ caller }) => ({ data: await alerts.list(caller) }),
    }),
    defineOperation({
      ...write,
      id: "alerts.create",
      method: "POST",
      path: "/alerts",
      summary: "Create an alert rule",
      description:
        "It is checked every 30 s: two breaching readings in a row make it FIRING, two good ones OK again. An account may have 500 rules.",
      activity: "alert.created",
      body: NewAlertRule,
      status: 201,
      response: Closed({ alert: Closed({ id: Uuid }, { title: "CreatedAlert" }) }),
      errors: ["conflict"],
      handle: async ({ transaction, caller, body, note }) => {
        const id = await alerts.create(transaction, caller, body);
        note({ entityId: id, metadata: { name: body.name } });
        return { alert: { id } };
      },
    }),
    defineOperation({
      ...write,
      id: "alerts.update",
      method: "PATCH",
      path: "/alerts/{id}",
      summary: "Change an alert rule",
      activity: "alert.updated",
      body: AlertRuleChanges,
      bodyOptional: true,
      status: 200,
      response: Ok,
      handle: async ({ transaction, caller, params, body, note }) => {
        const name = await alerts.change(transaction, caller, params.id, body);
        note({ metadata: { name, changed: Object.keys(body) } });
        return { ok: true };
      },
    }),
    defineOperation({
      ...write,
      id: "alerts.delete",
      method: "DELETE",
      path: "/alerts/{id}",
      summary: "Delete an alert rule",
      activity: "alert.deleted",
      status: 200,
      response: Ok,
      handle: async ({ transaction, caller, params, note }) => {
        note({ metadata: { name: await alerts.remove(transaction, caller, params.id) } });
        return { ok: true };
      },
    }),
    defineOperation({
      ...read,
      id: "alerts.events",
      path: "/alerts/{id}/events",
      summary: "Read how an alert rule's state changed, newest first",
      query: AlertEventsQuery,
      response: Closed({ data: Type.Array(AlertEvent) }),
      handle: async ({ caller, params, query }) => ({
        data: await alerts.events(caller, params.id, query.limit ?? 20),
      }),
    }),
    defineOperation({
      ...read,
      id: "alerts.preview",
      path: "/alerts/preview",
      summary: "Read a metric's current value, to choose a threshold by",
      query: AlertPreviewQuery,
      response: AlertPreview,
      handle: ({ caller, query }) => alerts.preview(caller, query.metric, query.serviceId),
    }),
  ];
}
