import { defineOperation, type Operation } from "../../operation/operation.ts";
import { Closed, cursor, limit, Ok, PageOf } from "../../operation/schema.ts";
import {
  Deployment,
  DeploymentAccepted,
  DeploymentResponse,
  DeployRequest,
  RollbackRequest,
} from "./deployments.schema.ts";
import type { DeploymentsService } from "./deployments.service.ts";

export function deploymentOperations(deployments: DeploymentsService): Operation[] {
  const tag = "Deployments";
  const write = { tag, scope: "deployments:write", access: "write", entity: "deployment" } as const;
  const accepted = { ...write, status: 202, response: DeploymentAccepted } as const;
  return [
    defineOperation({
      ...accepted,
      id: "services.deploy",
      method: "POST",
      path: "/services/{id}/deploy",
      summary: "Build and release a service",
      description:
        "A deployment of the service that still waits is cancelled: the newest wins. The release that serves goes on until the new one answers.",
      body: DeployRequest,
      bodyOptional: true,
      errors: ["plan_restricted"],
      activity: "deployment.created",
      handle: async ({ transaction, caller, params, body, note }) => {
        const deploymentId = await deployments.deploy(transaction, caller, params.id, body);
        note({ entityId: deploymentId, metadata: { serviceId: params.id } });
        return { deploymentId };
      },
    }),
    defineOperation({
      ...accepted,
      id: "services.restart",
      method: "POST",
      path: "/services/{id}/restart",
      summary: "Release the current build again, with today's environment",
      errors: ["service_not_deployed"],
      activity: "service.restarted",
      handle: async ({ transaction, caller, params, note }) => {
        const deploymentId = await deployments.restart(transaction, caller, params.id);
        note({ entityId: deploymentId, metadata: { serviceId: params.id } });
        return { deploymentId };
      },
    }),
    defineOperation({
      ...accepted,
      id: "services.rollback",
      method: "POST",
      path: "/services/{id}/rollback",
      summary: "Release the build of an earlier deployment again",
      body: RollbackRequest,
      errors: ["deployment_not_reusable"],
      activity: "service.rolled_back",
      handle: async ({ transaction, caller, params, body, note }) => {
        const deploymentId = await deployments.rollback(transaction, caller, params.id, body.deploymentId);
        note({ entityId: deploymentId, metadata: { serviceId: params.id, to: body.deploymentId } });
        return { deploymentId };
      },
    }),
    defineOperation({
      tag,
      id: "services.deployments",
      method: "GET",
      path: "/services/{id}/deployments",
      summary: "List a service's deployments, newest first",
      scope: "deployments:read",
      access: "read",
      query: Closed({ limit: limit(100, 20), cursor }),
      status: 200,
      response: PageOf(Deployment),
      handle: ({ caller, params, query }) => deployments.list(caller, params.id, query.limit ?? 20, query.cursor),
    }),
    defineOperation({
      tag,
      id: "deployments.get",
      method: "GET",
      path: "/deployments/{id}",
      summary: "Get a deployment",
      scope: "deployments:read",
      access: "read",
      status: 200,
      response: DeploymentResponse,
      handle: async ({ caller, params }) => ({ deployment: await deployments.get(caller, params.id) }),
    }),
    defineOperation({
      ...write,
      id: "deployments.cancel",
      method: "POST",
      path: "/deployments/{id}/cancel",
      summary: "Cancel a deployment that has not ended",
      description: "What it runs is killed within 10 seconds; the release that serves is not touched.",
      status: 200,
      response: Ok,
      errors: ["deployment_finished"],
      activity: "deployment.cancelled",
      handle: async ({ transaction, caller, params }) => {
        await deployments.cancel(transaction, caller, params.id);
        return { ok: true };
      },
    }),
  ];
}
