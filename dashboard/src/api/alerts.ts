import { queryOptions } from "@tanstack/react-query";
import { answerOf } from "../../../sdk/client.ts";
import { api } from "./client.ts";

/** Rules are checked every 30 s. */
const checkedMs = 15_000;

export function alertsQuery() {
  return queryOptions({
    queryKey: ["alerts"],
    queryFn: async ({ signal }) => (await answerOf(api.GET("/alerts", { signal }))).data,
    refetchInterval: checkedMs,
  });
}
