import { queryOptions } from "@tanstack/react-query";
import { answerOf } from "../../../sdk/client.ts";
import { api } from "./client.ts";
import { all, pages } from "./pages.ts";

const read = (page: { readonly cursor?: string; readonly limit: number }, signal: AbortSignal) =>
  answerOf(api.GET("/projects", { params: { query: page }, signal }));

export function projectListQuery() {
  return pages({ key: ["projects"], read: (page, signal) => read({ limit: 50, ...page }, signal) });
}

/** All of them, to choose from. */
export function projectsQuery() {
  return queryOptions({
    queryKey: ["projects", "all"],
    queryFn: async ({ signal }) => ({ data: await all((page) => read({ limit: 100, ...page }, signal)) }),
  });
}

export function projectQuery(id: string) {
  return queryOptions({
    queryKey: ["projects", id],
    queryFn: async ({ signal }) =>
      (await answerOf(api.GET("/projects/{id}", { params: { path: { id } }, signal }))).project,
  });
}
