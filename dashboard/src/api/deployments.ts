import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";
import { answerOf, type Schemas } from "../../../sdk/client.ts";
import { api } from "./client.ts";

export type DeploymentStatus = Schemas["Deployment"]["status"];

const busyMs = 2000;
const calmMs = 20_000;

export function isUnderWay({ finishedAt }: Pick<Schemas["Deployment"], "finishedAt">): boolean {
  return finishedAt === null;
}

export function deploymentsQuery(serviceId: string) {
  return infiniteQueryOptions({
    queryKey: ["services", serviceId, "deployments"],
    initialPageParam: null as string | null,
    queryFn: ({ signal, pageParam }) =>
      answerOf(
        api.GET("/services/{id}/deployments", {
          params: {
            path: { id: serviceId },
            query: { limit: 20, ...(pageParam === null ? {} : { cursor: pageParam }) },
          },
          signal,
        }),
      ),
    getNextPageParam: ({ pagination }) => pagination.nextCursor,
    refetchInterval: ({ state }) => (state.data?.pages[0]?.data.some(isUnderWay) === true ? busyMs : calmMs),
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
