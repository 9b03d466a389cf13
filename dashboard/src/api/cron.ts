import { queryOptions } from "@tanstack/react-query";
import { answerOf, type Schemas } from "../../../sdk/client.ts";
import { api } from "./client.ts";
import { pages } from "./pages.ts";

export type RunStatus = Schemas["CronRun"]["status"];

const busyMs = 2000;
const calmMs = 15_000;

function isUnderWay(status: RunStatus | null): boolean {
  return status === "QUEUED" || status === "RUNNING";
}

export function cronJobsQuery() {
  return pages({
    key: ["cron"],
    read: (page, signal) => answerOf(api.GET("/cron", { params: { query: { limit: 50, ...page } }, signal })),
    againMs: (jobs) => (jobs.some(({ lastStatus }) => isUnderWay(lastStatus)) ? busyMs : calmMs),
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

export function cronRunsQuery(id: string) {
  return pages({
    key: ["cron", id, "runs"],
    read: (page, signal) =>
      answerOf(api.GET("/cron/{id}/runs", { params: { path: { id }, query: { limit: 100, ...page } }, signal })),
    againMs: (runs) => (runs.some(({ status }) => isUnderWay(status)) ? busyMs : calmMs),
  });
}
