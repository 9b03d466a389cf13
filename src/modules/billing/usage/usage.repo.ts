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
  accountIds: readonly string[],
  month: string,
  spendMonth: string,
): Promise<readonly OverageAccount[]> {
  const { rows } = await sql<OverageAccount>`
    select ${columns(month, spendMonth)} from ${tables(month)}
    where accounts.id = any(${accountIds}::uuid[]) order by accounts.id`.execute(executor);
  return rows;
}

/** Accounts that used anything in the month, or are still blocked; behind `after`, by id. */
export async function listOverage(
  executor: Executor,
  month: string,
  spendMonth: string,
  after: string,
  count: number,
): Promise<readonly OverageAccount[]> {
  const { rows } = await sql<OverageAccount>`
    select ${columns(month, spendMonth)} from ${tables(month)}
    where accounts.id in (
      select account_id from (
        (select distinct account_id from usage_months
          where month = ${month}::date and account_id > ${after}::uuid
            -- Usage is counted whoever it is for, and a page is full of accounts.
            and exists (select from accounts where accounts.id = account_id)
          order by account_id limit ${count})
        union select account_id from blocked_meters where account_id > ${after}::uuid
      ) as those order by account_id limit ${count})
    order by accounts.id`.execute(executor);
  return rows;
}

/** The months' rows, locked: charges of one account and month stand in line. */
export async function lockMonths(executor: Executor, accountIds: readonly string[], month: string): Promise<void> {
  await sql`insert into overage_months (account_id, month)
    select id, ${month}::date from unnest(${accountIds}::uuid[]) as id order by id on conflict do nothing`.execute(
    executor,
  );
  await sql`select from overage_months where account_id = any(${accountIds}::uuid[]) and month = ${month}::date
    order by account_id for update`.execute(executor);
}

export interface MeterCharge {
  readonly accountId: string;
  readonly meter: Meter;
  readonly netMinor: number;
  readonly chargedMinor: number;
}

export async function addCharges(executor: Executor, month: string, charges: readonly MeterCharge[]): Promise<void> {
  await sql`
    with rows as (
      select * from json_to_recordset(${JSON.stringify(charges)}::json) as rows (
        "accountId" uuid, meter text, "netMinor" bigint, "chargedMinor" bigint)
    ), months as (
      update overage_months set net_minor = net_minor + net, charged_minor = charged_minor + charged
      from (select "accountId", sum("netMinor")::bigint as net, sum("chargedMinor")::bigint as charged
        from rows group by 1) as sums
      where account_id = "accountId" and month = ${month}::date
    )
    insert into overage_meters as known (account_id, month, meter, net_minor)
    select "accountId", ${month}::date, meter, "netMinor" from rows
    on conflict (account_id, month, meter) do update set net_minor = known.net_minor + excluded.net_minor`.execute(
    executor,
  );
}

export async function setTold(
  executor: Executor,
  month: string,
  told: readonly { readonly accountId: string; readonly meter: Meter; readonly toldPct: number }[],
): Promise<void> {
  await executor
    .insertInto("overageMeters")
    .values(told.map((one) => ({ ...one, month })))
    .onConflict((conflict) =>
      conflict.columns(["accountId", "month", "meter"]).doUpdateSet({ toldPct: sql<number>`excluded.told_pct` }),
    )
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

/** What the database counts traffic by. */
export async function setResidencyTiers(executor: Executor, plans: readonly string[]): Promise<void> {
  await sql`with kept as (select unnest(${plans}::text[]) as plan),
    gone as (delete from residency_tiers where plan not in (select plan from kept))
    insert into residency_tiers select plan from kept on conflict do nothing`.execute(executor);
}
