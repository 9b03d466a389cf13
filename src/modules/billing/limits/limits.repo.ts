import type { Executor } from "../../../platform/database/database.ts";

/** Whoever adds something to an account that its plan limits does it one after the other. Its plan; undefined: no account. */
export async function lockPlan(executor: Executor, accountId: string): Promise<string | undefined> {
  const row = await executor
    .selectFrom("accounts")
    .select("plan")
    .where("id", "=", accountId)
    .forNoKeyUpdate()
    .executeTakeFirst();
  return row?.plan;
}
