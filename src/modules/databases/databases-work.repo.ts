/** What the reconciler reads and writes: of all accounts. */
import { sql } from "kysely";
import type { Executor } from "../../platform/database/database.ts";
import type { DatabaseRow } from "./databases.repo.ts";

export function findForWork(executor: Executor, id: string): Promise<DatabaseRow | undefined> {
  return executor.selectFrom("databases").selectAll().where("id", "=", id).executeTakeFirst();
}

export type WatchedDatabase = Pick<DatabaseRow, "id" | "status" | "sizeMb"> & { readonly rotating: boolean };

export function listWatched(executor: Executor): Promise<readonly WatchedDatabase[]> {
  return executor
    .selectFrom("databases")
    .leftJoin("databaseCredentials", "databaseCredentials.databaseId", "databases.id")
    .select(["databases.id", "databases.status", "databases.sizeMb"])
    .select(sql<boolean>`sealed_next_password is not null`.as("rotating"))
    .orderBy("databases.id")
    .execute();
}

/** false, and nothing happens, when it is PROVISIONING no more. */
export async function finishProvisioning(
  executor: Executor,
  id: string,
  found: { readonly version: string; readonly port: number; readonly provisionedAt: Date },
): Promise<boolean> {
  return changeIf(executor, id, "PROVISIONING", { status: "AVAILABLE", ...found });
}

export async function failProvisioning(executor: Executor, id: string, failure: string): Promise<boolean> {
  return changeIf(executor, id, "PROVISIONING", { status: "FAILED", failure });
}

/** The other way round it does nothing. */
export async function setRunning(executor: Executor, id: string, isUp: boolean): Promise<void> {
  if (isUp) await changeIf(executor, id, "STOPPED", { status: "AVAILABLE" });
  else await changeIf(executor, id, "AVAILABLE", { status: "STOPPED" });
}

export async function setSize(executor: Executor, id: string, sizeMb: number): Promise<void> {
  await executor.updateTable("databases").set({ sizeMb }).where("id", "=", id).execute();
}

/** Nothing of it is left. */
export async function deleteDatabase(executor: Executor, id: string): Promise<void> {
  await executor.deleteFrom("databases").where("id", "=", id).where("status", "=", "DELETING").execute();
}

async function changeIf(
  executor: Executor,
  id: string,
  status: DatabaseRow["status"],
  change: Partial<Omit<DatabaseRow, "id">>,
): Promise<boolean> {
  const result = await executor
    .updateTable("databases")
    .set(change)
    .where("id", "=", id)
    .where("status", "=", status)
    .executeTakeFirst();
  return result.numUpdatedRows === 1n;
}
