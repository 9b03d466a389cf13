import { sql } from "kysely";
import type { UsageSample } from "../../engines/engine.ts";
import type { Executor } from "../../platform/database/database.ts";

/**
 * Adds windows, and brings each service's latest reading up to date: one statement, however many services.
 * A service that was released has a reading in every window, also when nothing of it runs; a row of its own in the
 * windows has it only when something runs, or should.
 */
export async function addSamples(executor: Executor, samples: readonly UsageSample[]): Promise<void> {
  const windows = samples.map(({ windowStart }) => windowStart);
  const used = samples.flatMap(({ windowStart, services }) => services.map((one) => ({ ...one, windowStart })));
  await sql`
    with used as (
      select * from json_to_recordset(${JSON.stringify(used)}::json) as used (
        "serviceId" uuid, "windowStart" timestamptz, "cpuCores" real, "memoryMb" real, "instancesUp" integer)
    ), released as (
      select services.id, services.account_id, case
          when desired_state = 'STOPPED' or services.status = 'SUSPENDED' or build_plan -> 'start' = 'null' then 0
          else instances end as wanted
      from services join deployments on deployments.id = services.current_deployment_id
    ), readings as (
      select released.id as service_id, released.account_id, window_start, "cpuCores" as cpu_cores,
        "memoryMb" as memory_mb, coalesce("instancesUp", 0) as up, wanted
      from released cross join unnest(${windows}::timestamptz[]) as window_start
        left join used on used."serviceId" = released.id and used."windowStart" = window_start
    ), windows as (
      insert into service_samples
      select service_id, window_start, cpu_cores, memory_mb, up, wanted from readings where wanted > 0 or up > 0
      on conflict do nothing
    )
    insert into service_readings as known
      (service_id, account_id, window_start, cpu_cores, memory_mb, instances_up, instances_wanted)
    select distinct on (service_id) service_id, account_id, window_start, cpu_cores, memory_mb, up, wanted
    from readings order by service_id, window_start desc
    on conflict (service_id) do update set
      window_start = excluded.window_start, cpu_cores = excluded.cpu_cores, memory_mb = excluded.memory_mb,
      instances_up = excluded.instances_up, instances_wanted = excluded.instances_wanted
    where known.window_start < excluded.window_start
  `.execute(executor);
}

/** Makes the hours of their windows: the newest ones anew, as more windows have come, and all that are missing. */
export async function makeHours(executor: Executor): Promise<void> {
  await sql`
    insert into service_sample_hours
    select service_id, date_trunc('hour', window_start, 'UTC'), avg(cpu_cores), max(cpu_cores), avg(memory_mb),
      max(memory_mb), min(instances_up), max(instances_wanted)
    from service_samples
    where window_start >= coalesce((select max(hour) - interval '2 hours' from service_sample_hours), '-infinity')
    group by 1, 2 order by 1, 2
    on conflict (service_id, hour) do update set
      cpu_cores_avg = excluded.cpu_cores_avg, cpu_cores_max = excluded.cpu_cores_max,
      memory_mb_avg = excluded.memory_mb_avg, memory_mb_max = excluded.memory_mb_max,
      instances_up_min = excluded.instances_up_min, instances_wanted_max = excluded.instances_wanted_max
  `.execute(executor);
}

/** Forgets what is older, at most `limit` rows of each; how many it was. */
export async function forget(
  executor: Executor,
  before: { readonly windows: Date; readonly hours: Date },
  limit: number,
): Promise<number> {
  const windows = await sql`delete from service_samples where ctid = any(array(
    select ctid from service_samples where window_start < ${before.windows} limit ${limit}))`.execute(executor);
  const hours = await sql`delete from service_sample_hours where ctid = any(array(
    select ctid from service_sample_hours where hour < ${before.hours} limit ${limit}))`.execute(executor);
  return Math.max(Number(windows.numAffectedRows ?? 0), Number(hours.numAffectedRows ?? 0));
}

/** Of services that are gone. */
export async function forgetReadings(executor: Executor): Promise<void> {
  await sql`delete from service_readings where not exists (select from services where id = service_id)`.execute(
    executor,
  );
}
