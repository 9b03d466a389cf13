/**
 * For each operation a request that succeeds, made anew for each test. The generated tests (operations.test.ts) break one
 * thing at a time about it. An operation without an entry here fails them: nothing is missed.
 */
import type { TestAccount, TestApi } from "./api.fixture.ts";

export interface Example {
  readonly params?: Readonly<Record<string, string>>;
  /** Without the question mark. */
  readonly query?: string;
  readonly body?: unknown;
}

export interface World {
  readonly api: TestApi;
  readonly account: TestAccount;
  readonly projectId: string;
}

export async function makeWorld(api: TestApi): Promise<World> {
  const account = await api.newAccount();
  const { body } = await account.call("POST", "/projects", { name: "World" });
  return { api, account, projectId: body.project.id };
}

let made = 0;

async function newProject({ account }: World): Promise<string> {
  made += 1;
  return (await account.call("POST", "/projects", { name: `Project ${made}` })).body.project.id;
}

async function newService({ account, projectId }: World): Promise<string> {
  made += 1;
  const repoUrl = "https://example.com/a.git";
  return (await account.call("POST", "/services", { projectId, name: `service-${made}`, repoUrl })).body.service.id;
}

async function newDeployment(world: World): Promise<{ serviceId: string; id: string }> {
  const serviceId = await newService(world);
  return { serviceId, id: (await world.account.call("POST", `/services/${serviceId}/deploy`)).body.deploymentId };
}

/** As the worker leaves it. */
async function newLiveDeployment(world: World): Promise<{ serviceId: string; id: string }> {
  const deployment = await newDeployment(world);
  await world.api.query("update deployments set status = 'LIVE', finished_at = now() where id = $1", [deployment.id]);
  await world.api.query("update services set current_deployment_id = $1 where id = $2", [
    deployment.id,
    deployment.serviceId,
  ]);
  return deployment;
}

async function newKey({ account }: World): Promise<string> {
  return (await account.call("POST", "/api-keys", { name: "Example" })).body.apiKey.id;
}

async function newMember({ api, account }: World): Promise<string> {
  return (await api.newMember(account.accountId, "VIEWER")).userId;
}

/** An account may make 60 a minute, and the tests make more. */
async function forgetInvites({ api, account }: World): Promise<void> {
  await api.query("delete from invites where account_id = $1", [account.accountId]);
}

async function newInvite(world: World): Promise<string> {
  await forgetInvites(world);
  made += 1;
  const body = { email: `invited-${made}@example.com`, role: "VIEWER" };
  return (await world.account.call("POST", "/invites", body)).body.invite.id;
}

const id = async (making: Promise<string>): Promise<Example> => ({ params: { id: await making } });
const deploymentId = async (making: Promise<{ id: string }>): Promise<Example> => ({
  params: { id: (await making).id },
});
const serviceIdOf = async (making: Promise<{ serviceId: string }>): Promise<Example> => ({
  params: { id: (await making).serviceId },
});
const nothing = async (): Promise<Example> => ({});

export const examples: Readonly<Record<string, (world: World) => Promise<Example>>> = {
  "account.get": nothing,
  "account.setAiOptIn": async () => ({ body: { aiOptIn: true } }),
  "account.setRequire2fa": async () => ({ body: { require2fa: false } }),
  "account.export": nothing,
  "account.spendCap": nothing,
  "account.setSpendCap": async () => ({ body: { spendCapMad: 500, spendAlertPct: null } }),
  "activity.list": async () => ({ query: "limit=5&entityType=service" }),
  "apiKeys.list": nothing,
  "apiKeys.create": async () => ({
    body: { name: "CI", scopes: ["api-keys:read"], ipAllowlist: ["127.0.0.0/8", "::1"] },
  }),
  "apiKeys.revoke": (world) => id(newKey(world)),
  "audit.list": async () => ({ query: "limit=5&action=projects.create" }),
  "audit.entityTypes": nothing,
  "audit.export": async () => ({ query: "format=json&entityType=project" }),
  "members.list": async () => ({ query: "limit=5" }),
  "members.update": async (world) => ({ params: { id: await newMember(world) }, body: { role: "DEVELOPER" } }),
  "members.remove": (world) => id(newMember(world)),
  "invites.list": async () => ({ query: "limit=5" }),
  "invites.create": async (world) => {
    await forgetInvites(world);
    made += 1;
    return { body: { email: `new-${made}@example.com`, role: "DEVELOPER" } };
  },
  "invites.resend": (world) => id(newInvite(world)),
  "invites.revoke": (world) => id(newInvite(world)),
  "projects.list": async () => ({ query: "limit=5" }),
  "projects.create": async () => {
    made += 1;
    return { body: { name: `Example ${made}`, description: null } };
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
