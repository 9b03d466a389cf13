import { sql } from "kysely";
import type { Executor } from "../../platform/database/database.ts";

/** Whose key it is: what an account's API key (or a person, without one) chose. */
export interface Claim {
  readonly accountId: string;
  readonly holderId: string;
  readonly key: string;
}

export interface StoredAnswer {
  readonly fingerprint: Buffer;
  readonly status: number;
  readonly body: string;
}

export function findAnswer(executor: Executor, claim: Claim, since: Date): Promise<StoredAnswer | undefined> {
  return executor
    .selectFrom("idempotencyKeys")
    .select(["fingerprint", "status", "body"])
    .where("accountId", "=", claim.accountId)
    .where("holderId", "=", claim.holderId)
    .where("key", "=", claim.key)
    .where("createdAt", ">", since)
    .executeTakeFirst();
}

/** false when another transaction holds it; held until this one ends. The number is the claim's, well mixed. */
export async function tryLock(transaction: Executor, number: bigint): Promise<boolean> {
  const { rows } = await sql<{
    locked: boolean;
  }>`select pg_try_advisory_xact_lock(${number}::bigint) as locked`.execute(transaction);
  return rows[0]?.locked === true;
}

/** In place of one that has expired. */
export async function storeAnswer(
  transaction: Executor,
  claim: Claim,
  answer: StoredAnswer,
  createdAt: Date,
): Promise<void> {
  const values = { ...answer, createdAt };
  await transaction
    .insertInto("idempotencyKeys")
    .values({ ...claim, ...values })
    .onConflict((conflict) => conflict.columns(["accountId", "holderId", "key"]).doUpdateSet(values))
    .execute();
}

export async function deleteAnswersBefore(executor: Executor, time: Date): Promise<void> {
  await executor.deleteFrom("idempotencyKeys").where("createdAt", "<", time).execute();
}

/** What follows can be undone by itself. */
export async function beginEffect(transaction: Executor): Promise<void> {
  await sql`savepoint effect`.execute(transaction);
}

export async function undoEffect(transaction: Executor): Promise<void> {
  await sql`rollback to savepoint effect`.execute(transaction);
}
