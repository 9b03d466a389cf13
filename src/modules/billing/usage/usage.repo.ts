import { sql } from "kysely";
import type { Executor } from "../../../platform/database/database.ts";
import type { Meter } from "../../../platform/database/tables/billing.ts";

/** What an account's overage depends on, read at once. */
export interface OverageAccount {
  readonly accountId: string;
  readonly plan: string;
  readonly spendCapMad: number | null;
  readonly balanceMinor: number;
  readonly budgetMinor: number;
  readonly spentMinor: number;
  /** Of the month asked for. */
  readonly netMinor: number;
  readonly chargedMinor: number;
  /** In base units. */
  readonly used: Readonly<Partial<Record<Meter, number>>>;
  readonly meterNet: Readonly<Partial<Record<Meter, number>>>;
  readonly told: Readonly<Partial<Record<Meter, number>>>;
  readonly blocked: readonly Meter[];
}

const columns = (month: string, spendMonth: string) => sql`
  accounts.id as account_id, plan, spend_cap_mad, balance_minor, overage_budget_minor as budget_minor,
  case when spend_month = ${spendMonth}::date then spend_minor else 0 end as spent_minor,
  coalesce(sums.net_minor, 0) as net_minor, coalesce(sums.charged_minor, 0) as charged_minor,
  coalesce((select json_object_agg(meter, amount) from usage_months
    where account_id = accounts.id and month = ${month}::date), '{}') as used,
  coalesce((select json_object_agg(meter, net_minor) from overage_meters
    where account_id = accounts.id and month = ${month}::date), '{}') as meter_net,
  coalesce((select json_object_agg(meter, told_pct) from overage_meters
    where account_id = accounts.id and month = ${month}::date), '{}') as told,
  coalesce((select json_agg(meter) from blocked_meters where account_id = accounts.id), '[]') as blocked`;

const tables = (month: string) => sql`
  accounts join wallets on wallets.account_id = accounts.id
  left join overage_months as sums on sums.account_id = accounts.id and sums.month = ${month}::date`;

export async function findOverage(
  executor: Executor,
  accountId: string,
  month: string,
  spendMonth: string,
): Promise<OverageAccount | undefined> {
  const { rows } = await sql<OverageAccount>`
    select ${columns(month, spendMonth)} from ${tables(month)} where accounts.id = ${accountId}`.execute(executor);
  return rows[0];
}

/** Accounts that used anything in the month, or are still blocked; behind `after`, by id. */
export async function listOverage(
  executor: Executor,
  month: string,
  spendMonth: string,
  after: string | null,
  count: number,
): Promise<readonly OverageAccount[]> {
  const { rows } = await sql<OverageAccount>`
    select ${columns(month, spendMonth)} from ${tables(month)}
    where accounts.id in (
      select account_id from usage_months where month = ${month}::date union select account_id from blocked_meters)
      and (${after}::uuid is null or accounts.id > ${after}::uuid)
    order by accounts.id limit ${count}`.execute(executor);
  return rows;
}

/** The month's row, locked: charges of one account and month stand in line. */
export async function lockMonth(executor: Executor, accountId: string, month: string): Promise<void> {
  await executor
    .insertInto("overageMonths")
    .values({ accountId, month, invoicedAt: null })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  await sql`select 1 from overage_months where account_id = ${accountId} and month = ${month}::date for update`.execute(
    executor,
  );
}

export async function addCharge(
  executor: Executor,
  charge: { readonly accountId: string; readonly month: string; readonly meter: Meter },
  netMinor: number,
  chargedMinor: number,
): Promise<void> {
  const { accountId, month, meter } = charge;
  await sql`update overage_months set net_minor = net_minor + ${netMinor}::bigint, charged_minor = charged_minor + ${chargedMinor}::bigint
    where account_id = ${accountId} and month = ${month}::date`.execute(executor);
  await executor
    .insertInto("overageMeters")
    .values({ accountId, month, meter, netMinor })
    .onConflict((conflict) =>
      conflict
        .columns(["accountId", "month", "meter"])
        .doUpdateSet({ netMinor: sql<number>`overage_meters.net_minor + excluded.net_minor` }),
    )
    .execute();
}

export async function setTold(
  executor: Executor,
  about: { readonly accountId: string; readonly month: string; readonly meter: Meter },
  toldPct: number,
): Promise<void> {
  await executor
    .insertInto("overageMeters")
    .values({ ...about, toldPct })
    .onConflict((conflict) => conflict.columns(["accountId", "month", "meter"]).doUpdateSet({ toldPct }))
    .execute();
}

export async function setBlocked(
  executor: Executor,
  accountId: string,
  meters: readonly Meter[],
  at: Date,
): Promise<void> {
  await sql`delete from blocked_meters where account_id = ${accountId} and meter <> all(${meters}::text[])`.execute(
    executor,
  );
  if (meters.length === 0) return;
  await executor
    .insertInto("blockedMeters")
    .values(meters.map((meter) => ({ accountId, meter, blockedAt: at })))
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

/** Its services, whose routes depend on it. */
export async function listServiceIds(executor: Executor, accountId: string): Promise<readonly string[]> {
  const rows = await executor.selectFrom("services").select("id").where("accountId", "=", accountId).execute();
  return rows.map(({ id }) => id);
}

/** Months before this one that were charged for and have no invoice yet. */
export async function listUninvoiced(executor: Executor, before: string, count: number) {
  return executor
    .selectFrom("overageMonths")
    .select(["accountId", sql<string>`to_char(month, 'YYYY-MM-DD')`.as("month")])
    .where("invoicedAt", "is", null)
    .where("month", "<", before)
    .limit(count)
    .execute();
}

/** What was charged in the month, by meter; undefined when it has been invoiced meanwhile. Under the month's lock. */
export async function takeForInvoice(
  executor: Executor,
  accountId: string,
  month: string,
  at: Date,
): Promise<readonly { readonly meter: Meter; readonly netMinor: number }[] | undefined> {
  const taken = await executor
    .updateTable("overageMonths")
    .set({ invoicedAt: at })
    .where("accountId", "=", accountId)
    .where("month", "=", month)
    .where("invoicedAt", "is", null)
    .returning("accountId")
    .executeTakeFirst();
  if (taken === undefined) return undefined;
  return executor
    .selectFrom("overageMeters")
    .select(["meter", "netMinor"])
    .where("accountId", "=", accountId)
    .where("month", "=", month)
    .where("netMinor", ">", 0)
    .orderBy("meter")
    .execute();
}
