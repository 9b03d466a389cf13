import { type Example, type Examples, id, newProject, newService, nextNumber, type World } from "./world.ts";

export async function newDeployment(world: World): Promise<{ serviceId: string; id: string }> {
  const serviceId = await newService(world);
  return { serviceId, id: (await world.account.call("POST", `/services/${serviceId}/deploy`)).body.deploymentId };
}

/** As the worker leaves it. */
export async function newLiveDeployment(world: World): Promise<{ serviceId: string; id: string }> {
  const deployment = await newDeployment(world);
  await world.api.query("update deployments set status = 'LIVE', finished_at = now() where id = $1", [deployment.id]);
  await world.api.query("update services set current_deployment_id = $1 where id = $2", [
    deployment.id,
    deployment.serviceId,
  ]);
  return deployment;
}

const deploymentId = async (making: Promise<{ id: string }>): Promise<Example> => ({
  params: { id: (await making).id },
});
const serviceIdOf = async (making: Promise<{ serviceId: string }>): Promise<Example> => ({
  params: { id: (await making).serviceId },
});

export const servicesExamples: Examples = {
  "projects.list": async () => ({ query: "limit=5" }),
  "projects.create": async () => {
    return { body: { name: `Example ${nextNumber()}`, description: null } };
  },
  "projects.get": (world) => id(newProject(world)),
  "projects.update": async (world) => ({ params: { id: await newProject(world) }, body: { description: "Changed" } }),
  "projects.delete": (world) => id(newProject(world)),
  "services.list": async () => ({ query: "limit=5&type=WEB" }),
  "services.create": async ({ projectId }) => ({
    body: { projectId, name: "example", repoUrl: "https://example.com/a.git", type: "WORKER" },
  }),
  "services.get": (world) => id(newService(world)),
  "services.update": async (world) => ({ params: { id: await newService(world) }, body: { instances: 2 } }),
  "services.delete": (world) => id(newService(world)),
  "services.stop": (world) => id(newService(world)),
  "services.start": (world) => id(newService(world)),
  "services.deploy": async (world) => ({ params: { id: await newService(world) }, body: { clearCache: true } }),
  "services.restart": (world) => serviceIdOf(newLiveDeployment(world)),
  "services.rollback": async (world) => {
    const deployment = await newLiveDeployment(world);
    return { params: { id: deployment.serviceId }, body: { deploymentId: deployment.id } };
  },
  "services.deployments": (world) => serviceIdOf(newDeployment(world)),
  "deployments.get": (world) => deploymentId(newDeployment(world)),
  "deployments.cancel": (world) => deploymentId(newDeployment(world)),
  "env.list": (world) => id(newService(world)),
  "env.replace": async (world) => ({ params: { id: await newService(world) }, body: { env: { A: "1" } } }),
  "env.merge": async (world) => ({ params: { id: await newService(world) }, body: { env: { A: "1", B: null } } }),
  "env.delete": async (world) => {
    const service = await newService(world);
    await world.account.call("PATCH", `/services/${service}/env`, { env: { GONE: "1" } });
    return { params: { id: service, name: "GONE" } };
  },
  "services.logs": (world) => id(newService(world)),
  "deployments.logs": (world) => deploymentId(newDeployment(world)),
};
