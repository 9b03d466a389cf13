import { defineOperation, type Operation } from "../../operation/operation.ts";
import { Ok } from "../../operation/schema.ts";
import {
  CronJobChanges,
  CronJobCreated,
  CronJobPage,
  CronJobQuery,
  CronJobResponse,
  CronRunPage,
  NewCronJob,
} from "./cron.schema.ts";
import type { CronService } from "./cron.service.ts";

export function cronOperations(cron: CronService): Operation[] {
  const tag = "Cron jobs";
  const read = { tag, scope: "cron:read", access: "read", method: "GET", status: 200 } as const;
  const write = { tag, scope: "cron:write", access: "write", entity: "cron_job" } as const;
  return [
    defineOperation({
      ...read,
      id: "cron.list",
      path: "/cron",
      summary: "List cron jobs, newest first",
      query: CronJobQuery,
      response: CronJobPage,
      handle: ({ caller, query }) => cron.list(caller, query.limit ?? 20, query.cursor),
    }),
    defineOperation({
      ...write,
      id: "cron.create",
      method: "POST",
      path: "/cron",
      summary: "Create a cron job",
      description:
        "It runs in the service's current release, with its environment and its limits; without a service in an empty sandbox of its own.",
      activity: "cron.created",
      body: NewCronJob,
      status: 201,
      response: CronJobCreated,
      errors: ["plan_restricted"],
      handle: async ({ transaction, caller, body, note }) => {
        const id = await cron.create(transaction, caller, body);
        note({ entityId: id, metadata: { name: body.name, schedule: body.schedule } });
        return { cronJob: { id } };
      },
    }),
    defineOperation({
      ...read,
      id: "cron.get",
      path: "/cron/{id}",
      summary: "Get a cron job",
      response: CronJobResponse,
      handle: async ({ caller, params }) => ({ cronJob: await cron.get(caller, params.id) }),
    }),
    defineOperation({
      ...write,
      id: "cron.update",
      method: "PATCH",
      path: "/cron/{id}",
      summary: "Change a cron job",
      description: "A run under way goes on as it began. `enabled: false` pauses the schedule.",
      activity: "cron.updated",
      body: CronJobChanges,
      bodyOptional: true,
      status: 200,
      response: Ok,
      handle: async ({ transaction, caller, params, body, note }) => {
        const name = await cron.change(transaction, caller, params.id, body);
        note({ metadata: { name, changed: Object.keys(body) } });
        return { ok: true };
      },
    }),
    defineOperation({
      ...write,
      id: "cron.delete",
      method: "DELETE",
      path: "/cron/{id}",
      summary: "Delete a cron job, its runs and their logs",
      description: "A run under way is ended.",
      access: "admin",
      activity: "cron.deleted",
      status: 200,
      response: Ok,
      handle: async ({ transaction, caller, params, note }) => {
        note({ metadata: { name: await cron.remove(transaction, caller, params.id) } });
        return { ok: true };
      },
    }),
    defineOperation({
      ...write,
      id: "cron.run",
      method: "POST",
      path: "/cron/{id}/run",
      summary: "Run a cron job now",
      description:
        "Answers once the run is queued; GET /cron/{id}/runs tells its outcome. While a run of the job waits or goes on, this one is SKIPPED.",
      activity: "cron.run",
      status: 202,
      response: Ok,
      handle: async ({ transaction, caller, params, note }) => {
        const { name, runId } = await cron.run(transaction, caller, params.id);
        note({ metadata: { name, runId } });
        return { ok: true };
      },
    }),
    defineOperation({
      ...read,
      id: "cron.runs",
      path: "/cron/{id}/runs",
      summary: "List a cron job's runs, newest first",
      description: "The newest 100 of the last 30 days are kept.",
      query: CronJobQuery,
      response: CronRunPage,
      handle: ({ caller, params, query }) => cron.runs(caller, params.id, query.limit ?? 20, query.cursor),
    }),
  ];
}
