/** A round over the rules of all accounts: in pages, each read and written by one statement. */
import { sql } from "kysely";
import type { Executor } from "../../platform/database/database.ts";
import { metricOf } from "./alerts.repo.ts";
import type { Metric } from "./alerts.schema.ts";
import type { Comparator, Standing } from "./judgement.ts";

export interface DueRule extends Standing {
  readonly id: string;
  readonly accountId: string;
  readonly name: string;
  readonly metric: Metric;
  readonly comparator: Comparator;
  readonly threshold: number;
  readonly serviceId: string | null;
  readonly serviceName: string | null;
  readonly channelId: string | null;
  readonly revision: number;
  readonly lastCheckedAt: Date | null;
  readonly lastWindow: Date | null;
  /** The current reading and its window; null without one. */
  readonly value: number | null;
  readonly window: Date | null;
}

/** By id. A rule without a service reads the worst of its account's: the highest for GT, the lowest for LT. */
export async function dueRules(
  executor: Executor,
  { fresh, checkedBefore }: { readonly fresh: Date; readonly checkedBefore: Date },
  after: string | null,
  limit: number,
): Promise<readonly DueRule[]> {
  const { rows } = await sql<DueRule>`
    with page as (
      select * from alert_rules
      where enabled and id > coalesce(${after}::uuid, '00000000-0000-0000-0000-000000000000')
        and (last_checked_at is null or last_checked_at <= ${checkedBefore})
      order by id limit ${limit}
    ), readings as (
      select *, ${metricOf("SERVICE_DOWN")} as down from service_readings as readings where window_start >= ${fresh}
    ), worst as (
      select account_id, max(window_start) as window_start,
        max(cpu_cores) as cpu_max, min(cpu_cores) as cpu_min, max(memory_mb) as memory_max, min(memory_mb) as memory_min,
        max(down) as down_max, min(down) as down_min
      from readings where account_id in (select account_id from page where service_id is null) group by account_id
    )
    select page.id, page.account_id, page.name, metric, comparator, threshold, page.service_id,
      services.name as service_name, channel_id, revision, state, pending_state, pending_count, told_firing,
      last_checked_at, last_window, coalesce(own.window_start, worst.window_start) as "window",
      case metric
        when 'CPU_CORES' then coalesce(own.cpu_cores, case comparator when 'GT' then cpu_max else cpu_min end)
        when 'MEMORY_MB' then coalesce(own.memory_mb, case comparator when 'GT' then memory_max else memory_min end)
        else coalesce(own.down, case comparator when 'GT' then down_max else down_min end)
      end::double precision as value
    from page
      left join services on services.id = page.service_id
      left join readings as own on own.service_id = page.service_id
      left join worst on worst.account_id = page.account_id and page.service_id is null
    order by page.id
  `.execute(executor);
  return rows;
}

export interface NewStanding extends Standing {
  readonly id: string;
  readonly revision: number;
  /** As it was read. */
  readonly lastCheckedAt: Date | null;
  readonly lastWindow: Date | null;
  readonly lastValue: number | null;
  readonly checkedAt: Date;
  /** Of the reading that it was judged by. */
  readonly window: Date | null;
}

/** Writes those that are as they were read; their ids. */
export async function setStandings(
  executor: Executor,
  standings: readonly NewStanding[],
): Promise<ReadonlySet<string>> {
  const rows = standings.map((one) => ({
    id: one.id,
    revision: one.revision,
    before: one.lastCheckedAt,
    state: one.state,
    pending: one.pendingState,
    count: one.pendingCount,
    told: one.toldFiring,
    value: one.lastValue,
    at: one.checkedAt,
    read: one.window ?? one.lastWindow,
  }));
  const written = await sql<{ id: string }>`
    update alert_rules set state = judged.state, pending_state = judged.pending, pending_count = judged.count,
      told_firing = judged.told, last_value = judged.value, last_checked_at = judged.at, last_window = judged.read
    from json_to_recordset(${JSON.stringify(rows)}::json) as judged (
      id uuid, revision integer, before timestamptz, state text, pending text, count smallint, told boolean,
      value double precision, at timestamptz, read timestamptz)
    where alert_rules.id = judged.id and alert_rules.revision = judged.revision and enabled
      and last_checked_at is not distinct from judged.before
    returning alert_rules.id
  `.execute(executor);
  return new Set(written.rows.map(({ id }) => id));
}

/** For each of these rules, by its id, the name of the service whose reading is the worst of its account's. */
export async function worstServices(
  executor: Executor,
  rules: readonly DueRule[],
): Promise<ReadonlyMap<string, string>> {
  // Rules of an account that ask the same are answered once.
  const questions = new Map(rules.map((rule) => [questionOf(rule), rule]));
  if (questions.size === 0) return new Map();
  const asked = [...questions].map(([question, { accountId, metric, comparator, window }]) => ({
    ...{ question, account: accountId, metric, comparator, read: window },
  }));
  const { rows } = await sql<{ question: string; name: string }>`
    select question, worst.name
    from json_to_recordset(${JSON.stringify(asked)}::json) as asked (
        question text, account uuid, metric text, comparator text, read timestamptz),
      lateral (
        select services.name, case asked.metric
          when 'CPU_CORES' then readings.cpu_cores
          when 'MEMORY_MB' then readings.memory_mb
          else ${metricOf("SERVICE_DOWN")}
        end as value
        from service_readings as readings join services on services.id = service_id
        where readings.account_id = asked.account and window_start > asked.read - interval '1 minute'
        order by case asked.comparator when 'GT' then -1 else 1 end * case asked.metric
          when 'CPU_CORES' then readings.cpu_cores
          when 'MEMORY_MB' then readings.memory_mb
          else ${metricOf("SERVICE_DOWN")}
        end nulls last limit 1
      ) as worst
    where worst.value is not null
  `.execute(executor);
  const names = new Map(rows.map(({ question, name }) => [question, name]));
  return new Map(
    rules.flatMap((rule) => {
      const name = names.get(questionOf(rule));
      return name === undefined ? [] : [[rule.id, name] as const];
    }),
  );
}

function questionOf({ accountId, metric, comparator }: DueRule): string {
  return `${accountId}/${metric}/${comparator}`;
}

/** Forgets events that are older. */
export async function forgetEvents(executor: Executor, before: Date): Promise<void> {
  await executor.deleteFrom("alertEvents").where("createdAt", "<", before).execute();
}
