/** The dispatcher's: it acts for no account, on what is due, whoever's it is. */
import { sql } from "kysely";
import type { Executor } from "../../platform/database/database.ts";

export interface DueDelivery {
  readonly id: string;
  readonly webhookId: string;
  readonly accountId: string;
  readonly event: string;
  readonly body: string;
  readonly attempts: number;
  readonly url: string;
  readonly sealedSecret: Buffer;
}

export interface DueOfWebhook {
  readonly webhookId: string;
  readonly accountId: string;
  readonly failing: boolean;
  readonly deliveries: readonly DueDelivery[];
}

const firstUuid = "00000000-0000-0000-0000-000000000000";

interface DueOptions {
  readonly now: Date;
  readonly after: string | null;
  readonly webhooks: number;
  readonly perWebhook: number;
  readonly inHand: readonly string[];
  readonly full: readonly string[];
}

/** It hops over the index from webhook to webhook: a long queue of one costs nothing. */
export function dueQuery({ now, after, webhooks, perWebhook, inHand, full }: DueOptions) {
  return sql<Omit<DueDelivery, "id"> & { readonly id: string | null; readonly failing: boolean }>`
    with recursive pending as (
      (select webhook_id from webhook_deliveries
       where status = 'PENDING' and webhook_id > ${after ?? firstUuid}::uuid order by webhook_id limit 1)
      union all
      select next.webhook_id from pending cross join lateral (
        select webhook_id from webhook_deliveries
        where status = 'PENDING' and webhook_id > pending.webhook_id order by webhook_id limit 1
      ) as next
    )
    select webhooks.id as webhook_id, webhooks.account_id, webhooks.failing_since is not null as failing,
      webhooks.url, webhooks.sealed_secret, due.id, due.event, due.body, due.attempts
    from (select webhook_id from pending limit ${webhooks}) as waiting
    join webhooks on webhooks.id = waiting.webhook_id
    left join lateral (
      select id, event, body, attempts, next_attempt_at, sequence from webhook_deliveries as delivery
      where delivery.webhook_id = waiting.webhook_id and delivery.status = 'PENDING' and delivery.next_attempt_at <= ${now}
        and webhooks.enabled and webhooks.id <> all(${full}::uuid[]) and delivery.id <> all(${inHand}::uuid[])
      order by delivery.next_attempt_at, delivery.sequence limit ${perWebhook}
    ) as due on true
    order by webhooks.id, due.next_attempt_at, due.sequence`;
}

/**
 * What is due, webhook by webhook, at most `perWebhook` of each in its order; of up to `webhooks` webhooks behind the id
 * `after`. `last` is where to go on, null at the end.
 */
export async function findDue(
  executor: Executor,
  options: DueOptions,
): Promise<{ readonly due: readonly DueOfWebhook[]; readonly last: string | null }> {
  const { rows } = await dueQuery(options).execute(executor);
  const groups = [...Map.groupBy(rows, (row) => row.webhookId).values()];
  const due = groups.flatMap((group) => {
    const deliveries = group.flatMap(({ id, ...rest }) => (id === null ? [] : [{ ...rest, id }]));
    const [first] = group;
    if (first === undefined || deliveries.length === 0) return [];
    return [{ webhookId: first.webhookId, accountId: first.accountId, failing: first.failing, deliveries }];
  });
  return { due, last: groups.length < options.webhooks ? null : (rows.at(-1)?.webhookId ?? null) };
}

export interface AttemptRecord {
  readonly deliveryId: string;
  readonly webhookId: string;
  readonly number: number;
  readonly startedAt: Date;
  readonly durationMs: number;
  readonly statusCode: number | null;
  readonly error: string | null;
  readonly response: string | null;
  readonly succeeded: boolean;
  /** null: there is no further one. */
  readonly nextAttemptAt: Date | null;
}

/** Before their deliveries: whoever disables a webhook takes the rows in this order too. Those that are still there. */
export async function lockWebhooks(executor: Executor, ids: readonly string[]): Promise<void> {
  await executor.selectFrom("webhooks").select("id").where("id", "in", ids).orderBy("id").forNoKeyUpdate().execute();
}

/** Each delivery's row and attempt. One that somebody else has recorded an attempt of since is left as it is. */
export async function recordAttempts(executor: Executor, records: readonly AttemptRecord[]): Promise<void> {
  await sql`
    with results as (
      select * from jsonb_to_recordset(${JSON.stringify(records.map(toRow))}::jsonb) as result (
        delivery_id uuid, number integer, started_at timestamptz, duration_ms integer, status_code integer,
        error text, response text, succeeded boolean, next_attempt_at timestamptz)
    ), changed as (
      update webhook_deliveries as delivery set
        attempts = results.number,
        next_attempt_at = coalesce(results.next_attempt_at, delivery.next_attempt_at),
        status = case when results.succeeded then 'DELIVERED'
          when results.next_attempt_at is not null and webhooks.enabled then 'PENDING' else 'FAILED' end
      from results, webhooks
      where delivery.id = results.delivery_id and delivery.attempts = results.number - 1 and webhooks.id = delivery.webhook_id
      returning delivery.id
    )
    insert into webhook_attempts (delivery_id, number, started_at, duration_ms, status_code, error, response)
    select delivery_id, number, started_at, duration_ms, status_code, error, response
    from results join changed on changed.id = results.delivery_id`.execute(executor);
}

function toRow(record: AttemptRecord) {
  const { deliveryId, number, startedAt, durationMs, statusCode, error, response, succeeded, nextAttemptAt } = record;
  return {
    delivery_id: deliveryId,
    number,
    started_at: startedAt,
    duration_ms: durationMs,
    status_code: statusCode,
    error,
    response,
    succeeded,
    next_attempt_at: nextAttemptAt,
  };
}

/** What the attempts of one batch say of a webhook. */
export interface WebhookStanding {
  readonly id: string;
  readonly lastStatus: number | null;
  readonly lastDeliveryAt: Date;
  readonly succeeded: boolean;
  /** The first failure since the latest success in the batch, or since its beginning; null: it ended with a success. */
  readonly failingFrom: Date | null;
}

/** The webhooks, as they stand now. */
export async function recordStandings(executor: Executor, standings: readonly WebhookStanding[]) {
  const { rows } = await sql<{
    readonly id: string;
    readonly accountId: string;
    readonly url: string;
    readonly enabled: boolean;
    readonly failingSince: Date | null;
  }>`
    update webhooks set
      last_status = standing.last_status,
      last_delivery_at = standing.last_delivery_at,
      failing_since = case when standing.failing_from is null then null
        when standing.succeeded then standing.failing_from
        else coalesce(webhooks.failing_since, standing.failing_from) end
    from jsonb_to_recordset(${JSON.stringify(standings.map(toStandingRow))}::jsonb) as standing (
      id uuid, last_status integer, last_delivery_at timestamptz, succeeded boolean, failing_from timestamptz)
    where webhooks.id = standing.id
    returning webhooks.id, webhooks.account_id, webhooks.url, webhooks.enabled, webhooks.failing_since`.execute(
    executor,
  );
  return rows;
}

function toStandingRow({ id, lastStatus, lastDeliveryAt, succeeded, failingFrom }: WebhookStanding) {
  return {
    id,
    last_status: lastStatus,
    last_delivery_at: lastDeliveryAt,
    succeeded,
    failing_from: failingFrom,
  };
}

export async function disableWebhook(executor: Executor, id: string): Promise<void> {
  await executor.updateTable("webhooks").set({ enabled: false }).where("id", "=", id).execute();
}

export async function ownersOf(executor: Executor, accountId: string): Promise<readonly string[]> {
  const rows = await executor
    .selectFrom("memberships")
    .innerJoin("users", "users.id", "memberships.userId")
    .select("users.email")
    .where("memberships.accountId", "=", accountId)
    .where("memberships.role", "=", "OWNER")
    .execute();
  return rows.map(({ email }) => email);
}

/** Deletes up to `count` deliveries that ended and are older; how many. */
export async function deleteEnded(executor: Executor, before: Date, count: number): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from webhook_deliveries where id in (
      select id from webhook_deliveries where created_at < ${before} and status <> 'PENDING' order by created_at limit ${count}
      for update skip locked
    )`.execute(executor);
  return Number(numAffectedRows ?? 0);
}

/** Of each webhook, deletes up to `count` of the deliveries that ended before its newest `kept`; how many. */
export async function deleteBeyond(executor: Executor, kept: number, count: number): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from webhook_deliveries where id in (
      select beyond.id from webhooks cross join lateral (
        select id, status from webhook_deliveries where webhook_id = webhooks.id order by id desc offset ${kept} limit ${count}
      ) as beyond where beyond.status <> 'PENDING'
    )`.execute(executor);
  return Number(numAffectedRows ?? 0);
}

/** Up to `count` deliveries that have waited too long end; how many. */
export async function giveUpOld(executor: Executor, before: Date, error: string, count: number): Promise<number> {
  const { numAffectedRows } = await sql`
    update webhook_deliveries set status = 'FAILED', error = ${error} where id in (
      select id from webhook_deliveries where created_at < ${before} and status = 'PENDING' order by created_at limit ${count}
      for update skip locked
    ) and status = 'PENDING'`.execute(executor);
  return Number(numAffectedRows ?? 0);
}
