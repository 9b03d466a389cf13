import { type Insertable, sql } from "kysely";
import type { Executor } from "../../platform/database/database.ts";
import type { Tables } from "../../platform/database/tables.ts";

export interface AuditFilter {
  readonly action?: string | undefined;
  readonly entityType?: string | undefined;
  readonly entityId?: string | undefined;
  readonly userId?: string | undefined;
}

export type AuditRow = Awaited<ReturnType<typeof listEntries>>[number];

export async function insertEntry(executor: Executor, entry: Insertable<Tables["auditEntries"]>): Promise<void> {
  await executor.insertInto("auditEntries").values(entry).execute();
}

/** Newest first; up to `count` entries behind the id `after`. */
export function listEntries(
  executor: Executor,
  accountId: string,
  filter: AuditFilter,
  count: number,
  after: string | null,
) {
  let query = executor
    .selectFrom("auditEntries")
    .select(["id", "action", "entityType", "entityId", "actorName", "surface", "apiKeyId", "ipAddress", "createdAt"])
    .where("accountId", "=", accountId);
  for (const column of ["action", "entityType", "entityId", "userId"] as const) {
    const value = filter[column];
    if (value !== undefined) query = query.where(column, "=", value);
  }
  if (after !== null) query = query.where("id", "<", after);
  return query.orderBy("id", "desc").limit(count).execute();
}

/** Skips from one type to the next along the index: the log may have a million entries, the types are a dozen. */
export async function listEntityTypes(executor: Executor, accountId: string): Promise<readonly string[]> {
  const { rows } = await sql<{ entityType: string }>`
    with recursive types (entity_type) as (
      (select entity_type from audit_entries where account_id = ${accountId} order by entity_type limit 1)
      union all
      select (
        select entry.entity_type from audit_entries as entry
        where entry.account_id = ${accountId} and entry.entity_type > types.entity_type
        order by entry.entity_type limit 1
      ) from types where types.entity_type is not null
    )
    select entity_type from types where entity_type is not null`.execute(executor);
  return rows.map((row) => row.entityType);
}
