import { type Insertable, sql } from "kysely";
import type { Executor } from "../../platform/database/database.ts";
import type { Tables } from "../../platform/database/tables.ts";
import type { GatewayName } from "./gateway.ts";

export type CheckoutRow = NonNullable<Awaited<ReturnType<typeof findByToken>>>;

export async function insertCheckout(transaction: Executor, row: Insertable<Tables["checkouts"]>): Promise<void> {
  await transaction.insertInto("checkouts").values(row).execute();
}

/** Whoever has the page's address may see it: it can't be guessed. */
export function findByToken(executor: Executor, tokenHash: Buffer) {
  return executor.selectFrom("checkouts").selectAll().where("tokenHash", "=", tokenHash).executeTakeFirst();
}

/** What a provider speaks of; the row is locked. */
export function lockCheckout(transaction: Executor, id: string) {
  return transaction.selectFrom("checkouts").selectAll().where("id", "=", id).forUpdate().executeTakeFirst();
}

export function findPaid(executor: Executor, id: string) {
  return executor
    .selectFrom("checkouts")
    .selectAll()
    .where("id", "=", id)
    .where("status", "=", "PAID")
    .executeTakeFirst();
}

export async function findSettledBy(
  executor: Executor,
  gateway: GatewayName,
  providerTxnId: string,
): Promise<string | null> {
  const row = await executor
    .selectFrom("checkouts")
    .select("id")
    .where("gateway", "=", gateway)
    .where("providerTxnId", "=", providerTxnId)
    .executeTakeFirst();
  return row?.id ?? null;
}

export async function markPaid(
  transaction: Executor,
  id: string,
  payment: { readonly providerTxnId: string; readonly paidAt: Date },
): Promise<void> {
  await transaction
    .updateTable("checkouts")
    .set({ status: "PAID", reason: null, ...payment })
    .where("id", "=", id)
    .where("status", "<>", "PAID")
    .executeTakeFirstOrThrow();
}

/** false when it is not open any more: what is paid stays paid, and the first end counts. */
export async function markEnded(
  executor: Executor,
  id: string,
  end: { readonly status: "FAILED" | "ABANDONED" | "EXPIRED"; readonly reason: string | null },
): Promise<boolean> {
  const result = await executor
    .updateTable("checkouts")
    .set(end)
    .where("id", "=", id)
    .where("status", "=", "OPEN")
    .executeTakeFirst();
  return result.numUpdatedRows === 1n;
}

export async function rememberProvider(
  executor: Executor,
  id: string,
  provider: { readonly providerRef: string; readonly providerUrl: string },
): Promise<void> {
  await executor.updateTable("checkouts").set(provider).where("id", "=", id).where("status", "<>", "PAID").execute();
}

/** Open ones that are over, those first, and of the gateways that can be asked those not asked since `askedBefore`. */
export function listDue(
  executor: Executor,
  due: { readonly now: Date; readonly askable: readonly GatewayName[]; readonly askedBefore: Date },
  count: number,
) {
  const { now, askable, askedBefore } = due;
  return executor
    .selectFrom("checkouts")
    .selectAll()
    .where("status", "=", "OPEN")
    .where((where) =>
      where.or([
        where("expiresAt", "<=", now),
        where.and([
          sql<boolean>`gateway = any(${[...askable]}::text[])`,
          where("providerRef", "is not", null),
          where.or([where("polledAt", "is", null), where("polledAt", "<", askedBefore)]),
        ]),
      ]),
    )
    .orderBy(sql`polled_at nulls first`)
    .orderBy("id")
    .limit(count)
    .execute();
}

export async function rememberPoll(executor: Executor, id: string, polledAt: Date): Promise<void> {
  await executor.updateTable("checkouts").set({ polledAt }).where("id", "=", id).where("status", "=", "OPEN").execute();
}

/** For the operator, by id or reference. */
export function findForOperator(executor: Executor, idOrReference: { id: string } | { reference: string }) {
  return executor
    .selectFrom("checkouts")
    .select(["id", "accountId", "gateway", "amountMinor", "status"])
    .$if("id" in idOrReference, (query) => query.where("id", "=", "id" in idOrReference ? idOrReference.id : ""))
    .$if("reference" in idOrReference, (query) =>
      query.where("reference", "=", "reference" in idOrReference ? idOrReference.reference : ""),
    )
    .executeTakeFirst();
}

/** For the operator: newest first, of all accounts. */
export function listForOperator(executor: Executor, gateway: GatewayName, statuses: readonly CheckoutRow["status"][]) {
  return executor
    .selectFrom("checkouts")
    .innerJoin("accounts", "accounts.id", "checkouts.accountId")
    .select([
      "checkouts.id",
      "checkouts.reference",
      "checkouts.accountId",
      "accounts.name as accountName",
      "checkouts.amountMinor",
      "checkouts.description",
      "checkouts.status",
      "checkouts.createdAt",
      "checkouts.expiresAt",
    ])
    .where("checkouts.gateway", "=", gateway)
    .where("checkouts.status", "in", [...statuses])
    .orderBy("checkouts.id", "desc")
    .limit(500)
    .execute();
}

/** Those that nobody paid and that were over by then, up to `count`; how many went. */
export async function deleteUnpaid(executor: Executor, overBefore: Date, count: number): Promise<number> {
  const result = await executor
    .deleteFrom("checkouts")
    .where("id", "in", (inner) =>
      inner
        .selectFrom("checkouts")
        .select("id")
        // An open one is closed at its provider first.
        .where("status", "not in", ["PAID", "OPEN"])
        .where("expiresAt", "<", overBefore)
        .orderBy("expiresAt")
        .limit(count)
        // One that is being paid this moment stays.
        .forUpdate()
        .skipLocked(),
    )
    .executeTakeFirst();
  return Number(result.numDeletedRows);
}
