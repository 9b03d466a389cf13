import { queryOptions } from "@tanstack/react-query";
import { answerOf, type Schemas } from "../../../sdk/client.ts";
import { api } from "./client.ts";
import { pages } from "./pages.ts";

export type DeploymentStatus = Schemas["Deployment"]["status"];

const busyMs = 2000;
const calmMs = 20_000;

export function isUnderWay({ finishedAt }: Pick<Schemas["Deployment"], "finishedAt">): boolean {
  return finishedAt === null;
}

export function deploymentsQuery(serviceId: string) {
  return pages({
    key: ["services", serviceId, "deployments"],
    read: (page, signal) =>
      answerOf(
        api.GET("/services/{id}/deployments", {
          params: { path: { id: serviceId }, query: { limit: 20, ...page } },
          signal,
        }),
      ),
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
