import type { Executor } from "../../platform/database/database.ts";

export interface SealedVariable {
  readonly name: string;
  readonly sealedValue: Buffer;
}

export function listVariables(executor: Executor, accountId: string, serviceId: string) {
  return executor
    .selectFrom("envVariables")
    .select(["name", "sealedValue", "updatedAt"])
    .where("accountId", "=", accountId)
    .where("serviceId", "=", serviceId)
    .orderBy("name")
    .execute();
}

export async function deleteVariables(
  executor: Executor,
  accountId: string,
  serviceId: string,
  names: readonly string[],
): Promise<number> {
  if (names.length === 0) return 0;
  const result = await executor
    .deleteFrom("envVariables")
    .where("accountId", "=", accountId)
    .where("serviceId", "=", serviceId)
    .where("name", "in", names)
    .executeTakeFirst();
  return Number(result.numDeletedRows);
}

export async function putVariables(
  executor: Executor,
  accountId: string,
  serviceId: string,
  variables: readonly SealedVariable[],
  updatedAt: Date,
): Promise<void> {
  if (variables.length === 0) return;
  await executor
    .insertInto("envVariables")
    .values(variables.map((variable) => ({ ...variable, accountId, serviceId, updatedAt })))
    .onConflict((conflict) =>
      conflict.columns(["serviceId", "name"]).doUpdateSet((eb) => ({
        sealedValue: eb.ref("excluded.sealedValue"),
        updatedAt: eb.ref("excluded.updatedAt"),
      })),
    )
    .execute();
}

/** Serialises writers of one service's environment; also proves that the service is the account's. */
export function lockService(executor: Executor, accountId: string, serviceId: string) {
  return executor
    .selectFrom("services")
    .select("id")
    .where("accountId", "=", accountId)
    .where("id", "=", serviceId)
    .forNoKeyUpdate()
    .executeTakeFirst();
}

export async function serviceExists(executor: Executor, accountId: string, serviceId: string): Promise<boolean> {
  const row = await executor
    .selectFrom("services")
    .select("id")
    .where("accountId", "=", accountId)
    .where("id", "=", serviceId)
    .executeTakeFirst();
  return row !== undefined;
}
