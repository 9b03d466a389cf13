import { queryOptions } from "@tanstack/react-query";
import { answerOf, type Schemas } from "../../../sdk/client.ts";
import { api } from "./client.ts";
import { all, pages } from "./pages.ts";

export type ServiceStatus = Schemas["Service"]["status"];

/** What changes by itself is asked for again: often while something goes on, else now and then. */
const busyMs = 2500;
const calmMs = 15_000;

function everySo(isBusy: boolean): number {
  return isBusy ? busyMs : calmMs;
}

const read = (
  query: { readonly cursor?: string; readonly limit: number; readonly projectId?: string },
  signal: AbortSignal,
) => answerOf(api.GET("/services", { params: { query }, signal }));

export function serviceListQuery(projectId?: string) {
  const ofProject = projectId === undefined ? {} : { projectId };
  return pages({
    key: ["services", { projectId: projectId ?? null }],
    read: (page, signal) => read({ limit: 50, ...ofProject, ...page }, signal),
    againMs: (services) => everySo(services.some(({ status }) => status === "DEPLOYING")),
  });
}

/** All of them, to choose from. */
export function servicesQuery() {
  return queryOptions({
    queryKey: ["services", "all"],
    queryFn: async ({ signal }) => ({ data: await all((page) => read({ limit: 100, ...page }, signal)) }),
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
