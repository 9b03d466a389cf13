import { type Insertable, sql, type Updateable } from "kysely";
import type { Executor } from "../../platform/database/database.ts";
import type { Tables } from "../../platform/database/tables.ts";

function selectProjects(executor: Executor, accountId: string) {
  return executor
    .selectFrom("projects")
    .select(["projects.id", "projects.name", "projects.slug", "projects.description"])
    .select(sql<number>`(select count(*) from services where services.project_id = projects.id)`.as("serviceCount"))
    .where("projects.accountId", "=", accountId);
}

export type ProjectRow = Awaited<ReturnType<typeof findProject>> & object;

export function findProject(executor: Executor, accountId: string, id: string) {
  return selectProjects(executor, accountId).where("projects.id", "=", id).executeTakeFirst();
}

/** Newest first; up to `count` rows behind the id `after`. */
export function listProjects(executor: Executor, accountId: string, count: number, after: string | null) {
  const query = selectProjects(executor, accountId).orderBy("projects.id", "desc").limit(count);
  return (after === null ? query : query.where("projects.id", "<", after)).execute();
}

/** false when the slug is taken. */
export async function insertProject(executor: Executor, project: Insertable<Tables["projects"]>): Promise<boolean> {
  const rows = await executor
    .insertInto("projects")
    .values(project)
    .onConflict((conflict) => conflict.columns(["accountId", "slug"]).doNothing())
    .returning("id")
    .execute();
  return rows.length === 1;
}

export async function updateProject(
  executor: Executor,
  accountId: string,
  id: string,
  changes: Updateable<Tables["projects"]>,
): Promise<boolean> {
  const result = await executor
    .updateTable("projects")
    .set(changes)
    .where("accountId", "=", accountId)
    .where("id", "=", id)
    .executeTakeFirst();
  return result.numUpdatedRows === 1n;
}

/** Locks the row, so that no service is added to it meanwhile. */
export function lockProject(executor: Executor, accountId: string, id: string) {
  return executor
    .selectFrom("projects")
    .select(["id", "name"])
    .where("accountId", "=", accountId)
    .where("id", "=", id)
    .forUpdate()
    .executeTakeFirst();
}

export async function hasServices(executor: Executor, accountId: string, id: string): Promise<boolean> {
  const row = await executor
    .selectFrom("services")
    .select(sql`1`.as("one"))
    .where("accountId", "=", accountId)
    .where("projectId", "=", id)
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

/** Those that are on their way out do not count. */
export async function hasDatabases(executor: Executor, accountId: string, id: string): Promise<boolean> {
  const row = await executor
    .selectFrom("databases")
    .select(sql`1`.as("one"))
    .where("accountId", "=", accountId)
    .where("projectId", "=", id)
    .where("status", "<>", "DELETING")
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

export async function deleteProject(executor: Executor, accountId: string, id: string): Promise<void> {
  await executor.deleteFrom("projects").where("accountId", "=", accountId).where("id", "=", id).execute();
}
