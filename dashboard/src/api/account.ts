import { queryOptions } from "@tanstack/react-query";
import { answerOf } from "../../../sdk/client.ts";
import { api } from "./client.ts";

export function spendCapQuery() {
  return queryOptions({
    queryKey: ["account", "spend-cap"],
    queryFn: ({ signal }) => answerOf(api.GET("/account/spend-cap", { signal })),
  });
}

export function accountQuery() {
  return queryOptions({
    queryKey: ["account"],
    queryFn: async ({ signal }) => (await answerOf(api.GET("/account", { signal }))).account,
  });
}
