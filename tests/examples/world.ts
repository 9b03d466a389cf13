import type { TestAccount, TestApi } from "../api.fixture.ts";

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

/** By the operation's id: what makes a request that succeeds. */
export type Examples = Readonly<Record<string, (world: World) => Promise<Example>>>;

export async function makeWorld(api: TestApi): Promise<World> {
  const account = await api.newAccount();
  // Its limits are beyond what the tests make.
  await api.query("update accounts set plan = 'AGENCY' where id = $1", [account.accountId]);
  const { body } = await account.call("POST", "/projects", { name: "World" });
  return { api, account, projectId: body.project.id };
}

let made = 0;

/** For names that have to be free. */
export function nextNumber(): number {
  made += 1;
  return made;
}

export async function newProject({ account }: World): Promise<string> {
  return (await account.call("POST", "/projects", { name: `Project ${nextNumber()}` })).body.project.id;
}

export async function newService({ account, projectId }: World): Promise<string> {
  const repoUrl = "https://example.com/a.git";
  return (await account.call("POST", "/services", { projectId, name: `service-${nextNumber()}`, repoUrl })).body.service
    .id;
}

export const id = async (making: Promise<string>): Promise<Example> => ({ params: { id: await making } });
export const nothing = async (): Promise<Example> => ({});
