import { type Insertable, type Selectable, sql, type Updateable } from "kysely";
import type { Executor } from "../../platform/database/database.ts";
import { statement } from "../../platform/database/statement.ts";
import type { Tables } from "../../platform/database/tables.ts";

export type ServiceRow = Selectable<Tables["services"]>;

export function findService(executor: Executor, accountId: string, id: string): Promise<ServiceRow | undefined> {
  return executor
    .selectFrom("services")
    .selectAll()
    .where("accountId", "=", accountId)
    .where("id", "=", id)
    .executeTakeFirst();
}

interface ListedServices {
  readonly accountId: string;
  readonly type: ServiceRow["type"] | undefined;
  readonly projectId: string | undefined;
  readonly after: string | null;
  readonly count: number;
}

/** Newest first; up to `count` rows behind the id `after`. */
export const listServices = statement((executor, { accountId, type, projectId, after, count }: ListedServices) => {
  let query = executor
    .selectFrom("services")
    .select(["id", "name", "slug", "type", "status", "branch"])
    .where("accountId", "=", accountId);
  if (type) query = query.where("type", "=", type);
  if (projectId) query = query.where("projectId", "=", projectId);
  if (after) query = query.where("id", "<", after);
  return query.orderBy("id", "desc").limit(count);
});

/** Keeps the project from being deleted until the transaction ends; false when the account has no such project. */
export async function holdProject(executor: Executor, accountId: string, projectId: string): Promise<boolean> {
  const row = await executor
    .selectFrom("projects")
    .select("id")
    .where("accountId", "=", accountId)
    .where("id", "=", projectId)
    .forShare()
    .executeTakeFirst();
  return row !== undefined;
}

/** undefined when the slug is taken. */
export function insertService(
  executor: Executor,
  service: Insertable<Tables["services"]>,
): Promise<ServiceRow | undefined> {
  return executor
    .insertInto("services")
    .values(service)
    .onConflict((conflict) => conflict.column("slug").doNothing())
    .returningAll()
    .executeTakeFirst();
}

export async function countServices(executor: Executor, accountId: string): Promise<number> {
  const row = await executor
    .selectFrom("services")
    .select((eb) => eb.fn.countAll<number>().as("count"))
    .where("accountId", "=", accountId)
    .executeTakeFirstOrThrow();
  return row.count;
}

/** Of all instances of all services together, in MiB; files alone need none. */
export async function sumMemory(executor: Executor, accountId: string): Promise<number> {
  const row = await executor
    .selectFrom("services")
    .select(sql<number>`coalesce(sum(memory_mb::bigint * instances), 0)::bigint`.as("total"))
    .where("accountId", "=", accountId)
    .where("type", "<>", "STATIC")
    .executeTakeFirstOrThrow();
  return row.total;
}

export function updateService(
  executor: Executor,
  accountId: string,
  id: string,
  changes: Updateable<Tables["services"]>,
): Promise<ServiceRow | undefined> {
  return executor
    .updateTable("services")
    .set(changes)
    .where("accountId", "=", accountId)
    .where("id", "=", id)
    .returningAll()
    .executeTakeFirst();
}

/**
 * Deletes the row and leaves the note by which the reconciler takes down what still runs, and the one that says whose its
 * last traffic is; false when there was none.
 */
export async function deleteService(executor: Executor, accountId: string, id: string): Promise<boolean> {
  const found = await executor
    .selectFrom("services")
    .select("id")
    .where("accountId", "=", accountId)
    .where("id", "=", id)
    .forUpdate()
    .executeTakeFirst();
  if (found === undefined) return false;
  const deployments = await executor.selectFrom("deployments").select("id").where("serviceId", "=", id).execute();
  await executor
    .insertInto("serviceRemovals")
    .values({ serviceId: id, accountId, deploymentIds: deployments.map((row) => row.id) })
    .execute();
  await executor.insertInto("deletedServices").values({ serviceId: id, accountId }).execute();
  await executor.deleteFrom("services").where("id", "=", id).execute();
  return true;
}
