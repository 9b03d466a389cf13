import { defineOperation, type Operation } from "../../operation/operation.ts";
import { PageOf } from "../../operation/schema.ts";
import { ActivityEvent, ActivityQuery } from "./activity.schema.ts";
import type { ActivityService } from "./activity.service.ts";

export function activityOperations(activity: ActivityService): Operation[] {
  return [
    defineOperation({
      id: "activity.list",
      method: "GET",
      path: "/activity",
      tag: "Activity",
      summary: "Read what happened in the account, newest first",
      scope: "activity:read",
      access: "read",
      query: ActivityQuery,
      status: 200,
      response: PageOf(ActivityEvent),
      handle: ({ caller, query: { limit, cursor, ...filter } }) => activity.list(caller, filter, limit ?? 20, cursor),
    }),
  ];
}
