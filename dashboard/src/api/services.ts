import { queryOptions } from "@tanstack/react-query";
import { answerOf, type Schemas } from "../../../sdk/client.ts";
import { api } from "./client.ts";

export type ServiceStatus = Schemas["Service"]["status"];

/** What changes by itself is asked for again: often while something goes on, else now and then. */
const busyMs = 2500;
const calmMs = 15_000;

function everySo(isBusy: boolean): number {
  return isBusy ? busyMs : calmMs;
}

export function servicesQuery(projectId?: string) {
  const query = { limit: 100, ...(projectId === undefined ? {} : { projectId }) };
  return queryOptions({
    queryKey: ["services", { projectId: projectId ?? null }],
    queryFn: ({ signal }) => answerOf(api.GET("/services", { params: { query }, signal })),
    refetchInterval: ({ state }) => everySo(state.data?.data.some(({ status }) => status === "DEPLOYING") === true),
  });
}

export function serviceQuery(id: string) {
  return queryOptions({
    queryKey: ["services", id],
    queryFn: async ({ signal }) =>
      (await answerOf(api.GET("/services/{id}", { params: { path: { id } }, signal }))).service,
    refetchInterval: ({ state }) => everySo(state.data?.status === "DEPLOYING"),
  });
}
