import { sql } from "kysely";
import type { Executor } from "../../platform/database/database.ts";

/** Of these, the services that there are, or that are being taken down already. */
export async function knownServices(executor: Executor, ids: readonly string[]): Promise<ReadonlySet<string>> {
  const { rows } = await sql<{ id: string }>`
    select id from services where id = any(${ids}::uuid[])
    union select service_id from service_removals where service_id = any(${ids}::uuid[])
  `.execute(executor);
  return new Set(rows.map((row) => row.id));
}

/** Of these deployments, those that there are, and whose they are. */
export async function servicesOf(executor: Executor, ids: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const { rows } = await sql<{ id: string; serviceId: string }>`
    select id, service_id from deployments where id = any(${ids}::uuid[])
  `.execute(executor);
  return new Map(rows.map((row) => [row.id, row.serviceId]));
}

/** The deployments of a service whose build logs are kept: the newest `count`, those made since, those under way. */
export async function keptLogs(
  executor: Executor,
  serviceId: string,
  count: number,
  since: Date,
): Promise<ReadonlySet<string>> {
  const { rows } = await sql<{ id: string }>`
    (select id from deployments where service_id = ${serviceId} order by id desc limit ${count})
    union
    (select id from deployments where service_id = ${serviceId} and created_at >= ${since})
    union
    (select id from deployments where service_id = ${serviceId} and finished_at is null)
  `.execute(executor);
  return new Set(rows.map((row) => row.id));
}
