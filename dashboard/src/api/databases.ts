import { queryOptions } from "@tanstack/react-query";
import { answerOf, type Schemas } from "../../../sdk/client.ts";
import { api } from "./client.ts";
import { pages } from "./pages.ts";

export type DatabaseStatus = Schemas["Database"]["status"];

const busyMs = 1000;
const calmMs = 15_000;

function isUnderWay(status: DatabaseStatus): boolean {
  return status === "PROVISIONING" || status === "DELETING";
}

export function databasesQuery() {
  return pages({
    key: ["databases"],
    read: (page, signal) => answerOf(api.GET("/databases", { params: { query: { limit: 50, ...page } }, signal })),
    againMs: (databases) => (databases.some(({ status }) => isUnderWay(status)) ? busyMs : calmMs),
  });
}

export function databaseQuery(id: string) {
  return queryOptions({
    queryKey: ["databases", id],
    queryFn: async ({ signal }) =>
      (await answerOf(api.GET("/databases/{id}", { params: { path: { id } }, signal }))).database,
    refetchInterval: ({ state }) => (state.data !== undefined && isUnderWay(state.data.status) ? busyMs : calmMs),
  });
}
