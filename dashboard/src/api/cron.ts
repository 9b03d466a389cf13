import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";
import { answerOf, type Schemas } from "../../../sdk/client.ts";
import { api } from "./client.ts";

export type RunStatus = Schemas["CronRun"]["status"];

const busyMs = 2000;
const calmMs = 15_000;

function isUnderWay(status: RunStatus | null): boolean {
  return status === "QUEUED" || status === "RUNNING";
}

export function cronJobsQuery() {
  return infiniteQueryOptions({
    queryKey: ["cron"],
    initialPageParam: null as string | null,
    queryFn: ({ signal, pageParam }) =>
      answerOf(
        api.GET("/cron", {
          params: { query: { limit: 50, ...(pageParam === null ? {} : { cursor: pageParam }) } },
          signal,
        }),
      ),
    getNextPageParam: ({ pagination }) => pagination.nextCursor,
    refetchInterval: ({ state }) =>
      state.data?.pages[0]?.data.some(({ lastStatus }) => isUnderWay(lastStatus)) === true ? busyMs : calmMs,
  });
}

export function cronJobQuery(id: string) {
  return queryOptions({
    queryKey: ["cron", id],
    queryFn: async ({ signal }) =>
      (await answerOf(api.GET("/cron/{id}", { params: { path: { id } }, signal }))).cronJob,
    refetchInterval: calmMs,
  });
}

/** All that are kept: a hundred. */
export function cronRunsQuery(id: string) {
  return queryOptions({
    queryKey: ["cron", id, "runs"],
    queryFn: async ({ signal }) =>
      (await answerOf(api.GET("/cron/{id}/runs", { params: { path: { id }, query: { limit: 100 } }, signal }))).data,
    refetchInterval: ({ state }) => (state.data?.some(({ status }) => isUnderWay(status)) === true ? busyMs : calmMs),
  });
}
