import { type Insertable, type Selectable, sql } from "kysely";
import type { Executor } from "../../platform/database/database.ts";
import { statement } from "../../platform/database/statement.ts";
import type { Tables } from "../../platform/database/tables.ts";

export type DatabaseRow = Selectable<Tables["databases"]>;

export function findDatabase(executor: Executor, accountId: string, id: string): Promise<DatabaseRow | undefined> {
  return executor
    .selectFrom("databases")
    .selectAll()
    .where("accountId", "=", accountId)
    .where("id", "=", id)
    .executeTakeFirst();
}

/** Nobody changes its state until the transaction ends. */
export function lockDatabase(executor: Executor, accountId: string, id: string): Promise<DatabaseRow | undefined> {
  return executor
    .selectFrom("databases")
    .selectAll()
    .where("accountId", "=", accountId)
    .where("id", "=", id)
    .forUpdate()
    .executeTakeFirst();
}

interface ListedDatabases {
  readonly accountId: string;
  readonly projectId: string | undefined;
  readonly after: string | null;
  readonly count: number;
}

/** Newest first; up to `count` rows behind the id `after`. */
export const listDatabases = statement((executor, { accountId, projectId, after, count }: ListedDatabases) => {
  let query = executor.selectFrom("databases").selectAll().where("accountId", "=", accountId);
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

/** undefined when another database of the project has the name. */
export async function insertDatabase(
  executor: Executor,
  database: Insertable<Tables["databases"]>,
  sealedPassword: Buffer,
): Promise<DatabaseRow | undefined> {
  const row = await executor
    .insertInto("databases")
    .values(database)
    .onConflict((conflict) =>
      conflict.columns(["projectId", "name"]).where(sql<boolean>`status <> 'DELETING'`).doNothing(),
    )
    .returningAll()
    .executeTakeFirst();
  if (row === undefined) return undefined;
  await executor.insertInto("databaseCredentials").values({ databaseId: row.id, sealedPassword }).execute();
  return row;
}

export async function countDatabases(executor: Executor, accountId: string): Promise<number> {
  const row = await executor
    .selectFrom("databases")
    .select((eb) => eb.fn.countAll<number>().as("count"))
    .where("accountId", "=", accountId)
    .where("status", "<>", "DELETING")
    .executeTakeFirstOrThrow();
  return row.count;
}

/** The row; undefined when there was none. One that is DELETING already stays so. */
export function markDeleting(executor: Executor, accountId: string, id: string): Promise<DatabaseRow | undefined> {
  return executor
    .updateTable("databases")
    .set({ status: "DELETING" })
    .where("accountId", "=", accountId)
    .where("id", "=", id)
    .returningAll()
    .executeTakeFirst();
}

/** A rotation that is under way goes on with the password that it has: it may be in force. */
export async function askForPassword(executor: Executor, id: string, sealed: Buffer): Promise<void> {
  await executor
    .updateTable("databaseCredentials")
    .set({ sealedNextPassword: sql<Buffer>`coalesce(sealed_next_password, ${sealed})` })
    .where("databaseId", "=", id)
    .execute();
}

export type Credentials = Selectable<Tables["databaseCredentials"]>;

export function findCredentials(executor: Executor, id: string): Promise<Credentials | undefined> {
  return executor.selectFrom("databaseCredentials").selectAll().where("databaseId", "=", id).executeTakeFirst();
}

/** Nobody else changes the password until the transaction ends. */
export function lockCredentials(executor: Executor, id: string): Promise<Credentials | undefined> {
  return executor
    .selectFrom("databaseCredentials")
    .selectAll()
    .where("databaseId", "=", id)
    .forUpdate()
    .executeTakeFirst();
}

export async function setPassword(executor: Executor, id: string, sealedPassword: Buffer): Promise<void> {
  await executor
    .updateTable("databaseCredentials")
    .set({ sealedPassword, sealedNextPassword: null })
    .where("databaseId", "=", id)
    .execute();
}
