import { queryOptions } from "@tanstack/react-query";
import { answerOf } from "../../../sdk/client.ts";
import { api } from "./client.ts";

export function projectsQuery() {
  return queryOptions({
    queryKey: ["projects"],
    queryFn: ({ signal }) => answerOf(api.GET("/projects", { params: { query: { limit: 100 } }, signal })),
  });
}

export function projectQuery(id: string) {
  return queryOptions({
    queryKey: ["projects", id],
    queryFn: async ({ signal }) =>
      (await answerOf(api.GET("/projects/{id}", { params: { path: { id } }, signal }))).project,
  });
}
