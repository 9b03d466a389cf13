import { queryOptions } from "@tanstack/react-query";
import { answerOf } from "../../../sdk/client.ts";
import { api } from "./client.ts";

export function channelsQuery() {
  return queryOptions({
    queryKey: ["channels"],
    queryFn: async ({ signal }) => (await answerOf(api.GET("/channels", { signal }))).data,
  });
}
