import { sql } from "kysely";
import type { Executor } from "../../platform/database/database.ts";

export interface IdentityFields {
  readonly email: string | null;
  readonly name: string | null;
  readonly address: string | null;
  readonly ice: string | null;
  readonly taxId: string | null;
  readonly rc: string | null;
}

/** With the account's name; undefined where there is no such account. */
export function findIdentity(executor: Executor, accountId: string) {
  return executor
    .selectFrom("accounts")
    .leftJoin("billingIdentities as identity", "identity.accountId", "accounts.id")
    .select([
      "accounts.name as accountName",
      "identity.email",
      "identity.name",
      "identity.address",
      "identity.ice",
      "identity.taxId",
      "identity.rc",
    ])
    .where("accounts.id", "=", accountId)
    .executeTakeFirst();
}

/** Changes what is given, and leaves the rest. */
export async function saveIdentity(
  executor: Executor,
  accountId: string,
  changes: Partial<IdentityFields>,
  updatedAt: Date,
): Promise<IdentityFields> {
  return executor
    .insertInto("billingIdentities")
    .values({ accountId, ...changes, updatedAt })
    .onConflict((conflict) => conflict.column("accountId").doUpdateSet({ ...changes, updatedAt }))
    .returning(["email", "name", "address", "ice", "taxId", "rc"])
    .executeTakeFirstOrThrow();
}

/** Where receipts of an account go that has not said: its longest-standing owner's address. */
export async function findOwnerEmail(executor: Executor, accountId: string): Promise<string | null> {
  const row = await executor
    .selectFrom("memberships")
    .innerJoin("users", "users.id", "memberships.userId")
    .select("users.email")
    .where("memberships.accountId", "=", accountId)
    .where("memberships.role", "=", "OWNER")
    .orderBy("memberships.createdAt")
    .orderBy(sql`users.id`)
    .executeTakeFirst();
  return row?.email ?? null;
}
