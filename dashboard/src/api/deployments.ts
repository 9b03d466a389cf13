import { queryOptions } from "@tanstack/react-query";
import { answerOf, type Schemas } from "../../../sdk/client.ts";
import { api, queries } from "./client.ts";
import { pages } from "./pages.ts";
import { serviceQuery } from "./services.ts";

export type DeploymentStatus = Schemas["Deployment"]["status"];

const busyMs = 2000;
const calmMs = 20_000;

export function isUnderWay({ finishedAt }: Pick<Schemas["Deployment"], "finishedAt">): boolean {
  return finishedAt === null;
}

export function deploymentsQuery(serviceId: string) {
  return pages({
    key: ["services", serviceId, "deployments"],
    read: async (page, signal) => {
      const answer = await answerOf(
        api.GET("/services/{id}/deployments", {
          params: { path: { id: serviceId }, query: { limit: 20, ...page } },
          signal,
        }),
      );
      // Which one serves is the service's to say. From before this answer it would offer to go back to the one that has
      // just gone live.
      await queries.refetchQueries({ queryKey: serviceQuery(serviceId).queryKey, exact: true });
      return answer;
    },
    againMs: (deployments) => (deployments.some(isUnderWay) ? busyMs : calmMs),
  });
}

export function deploymentQuery(id: string) {
  return queryOptions({
    queryKey: ["deployments", id],
    queryFn: async ({ signal }) =>
      (await answerOf(api.GET("/deployments/{id}", { params: { path: { id } }, signal }))).deployment,
    refetchInterval: ({ state }) => (state.data !== undefined && isUnderWay(state.data) ? 1500 : calmMs),
  });
}
