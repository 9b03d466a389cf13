import type { Executor } from "../../platform/database/database.ts";
import type { GatewayName } from "./gateway.ts";

export function findCard(executor: Executor, accountId: string, gateway: GatewayName) {
  return executor
    .selectFrom("savedCards")
    .select(["customerRef", "cardRef"])
    .where("accountId", "=", accountId)
    .where("gateway", "=", gateway)
    .executeTakeFirst();
}

export async function insertCustomer(
  executor: Executor,
  accountId: string,
  gateway: GatewayName,
  customerRef: string,
  updatedAt: Date,
): Promise<string> {
  const row = await executor
    .insertInto("savedCards")
    .values({ accountId, gateway, customerRef, cardRef: null, updatedAt })
    .onConflict((conflict) => conflict.columns(["accountId", "gateway"]).doUpdateSet({ updatedAt }))
    .returning("customerRef")
    .executeTakeFirstOrThrow();
  return row.customerRef;
}

export async function saveCard(
  executor: Executor,
  accountId: string,
  gateway: GatewayName,
  card: { readonly customerRef: string; readonly cardRef: string },
  updatedAt: Date,
): Promise<void> {
  await executor
    .insertInto("savedCards")
    .values({ accountId, gateway, ...card, updatedAt })
    .onConflict((conflict) => conflict.columns(["accountId", "gateway"]).doUpdateSet({ ...card, updatedAt }))
    .execute();
}

/** Keys are billing's own, and unique over all accounts. */
export function findCharge(executor: Executor, gateway: GatewayName, key: string) {
  return executor
    .selectFrom("cardCharges")
    .select(["accountId", "amountMinor", "status", "providerTxnId", "createdAt"])
    .where("gateway", "=", gateway)
    .where("key", "=", key)
    .executeTakeFirst();
}

export async function insertCharge(
  executor: Executor,
  charge: { gateway: GatewayName; key: string; accountId: string; amountMinor: number; createdAt: Date },
): Promise<void> {
  await executor
    .insertInto("cardCharges")
    .values(charge)
    .onConflict((conflict) => conflict.columns(["gateway", "key"]).doNothing())
    .execute();
}

export async function endCharge(
  executor: Executor,
  gateway: GatewayName,
  key: string,
  end: { status: "PAID"; providerTxnId: string } | { status: "REFUSED"; reason: string },
): Promise<void> {
  await executor
    .updateTable("cardCharges")
    .set(end)
    .where("gateway", "=", gateway)
    .where("key", "=", key)
    .where("status", "=", "PENDING")
    .execute();
}
