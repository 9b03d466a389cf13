import { queryOptions } from "@tanstack/react-query";
import { answerOf } from "../../../sdk/client.ts";
import { api } from "./client.ts";
import { pages } from "./pages.ts";

/** Sizes change by what clients store, of which nobody here is told. */
const againMs = 15_000;

export function bucketsQuery() {
  return pages({
    key: ["buckets"],
    read: (page, signal) => answerOf(api.GET("/buckets", { params: { query: { limit: 50, ...page } }, signal })),
    againMs: () => againMs,
  });
}

export function bucketQuery(id: string) {
  return queryOptions({
    queryKey: ["buckets", id],
    queryFn: async ({ signal }) =>
      (await answerOf(api.GET("/buckets/{id}", { params: { path: { id } }, signal }))).bucket,
    refetchInterval: againMs,
  });
}
