/** A page of the log as one text, made by the database. */
import { type RawBuilder, sql } from "kysely";
import type { PlainQuery } from "../../platform/database/plain-query.ts";
import type { AuditEntry } from "./audit.schema.ts";

export type ExportFormat = "csv" | "json";

/** In the order of the CSV's cells. */
export const exportColumns = [
  "id",
  "createdAt",
  "action",
  "entityType",
  "entityId",
  "actorName",
  "surface",
  "apiKeyId",
  "ipAddress",
] as const satisfies readonly (keyof AuditEntry)[];

export interface ExportFilter {
  readonly action?: string | undefined;
  readonly entityType?: string | undefined;
}

export interface ExportPage {
  /** Lines of CSV, or JSON objects with commas between them; empty when there is none. */
  readonly text: string;
  readonly count: number;
  /** The id of the oldest; null when there is none. */
  readonly last: string | null;
}

/** Newest first; up to `count` entries behind the id `after`. */
export async function exportPage(
  query: PlainQuery,
  accountId: string,
  filter: ExportFilter,
  { format, count, after }: { readonly format: ExportFormat; readonly count: number; readonly after: string | null },
): Promise<ExportPage> {
  const { action, entityType } = filter;
  const [page] = await query(sql<ExportPage>`
    with page as (
      select id, action, entity_type as "entityType", entity_id as "entityId", actor_name as "actorName", surface,
        api_key_id as "apiKeyId", ip_address as "ipAddress",
        to_char(created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as "createdAt"
      from audit_entries
      where account_id = ${accountId} and id < ${after ?? lastId}
        ${action === undefined ? sql`` : sql`and action = ${action}`}
        ${entityType === undefined ? sql`` : sql`and entity_type = ${entityType}`}
      order by id desc limit ${count}
    )
    select coalesce(string_agg(${format === "csv" ? csvLine : sql`row_to_json(page)::text`},
      ${format === "csv" ? "" : ","} order by id desc), '') as text,
      count(*)::integer as count, min(id::text) as last
    from page`);
  if (page === undefined) throw new Error("an aggregate returned no row");
  return page;
}

const lastId = "ffffffff-ffff-ffff-ffff-ffffffffffff";

/** Spreadsheets take a cell that begins so for a formula: an apostrophe makes it text (OWASP, CSV injection). */
const formula = "^[=+@\\t\\r\\n＝＋－＠-]";

/** RFC 4180: quotes around what has quotes, commas or line ends in it, and quotes doubled. */
function cell(column: RawBuilder<unknown>): RawBuilder<string> {
  const text = sql<string>`case when ${column} ~ ${sql.lit(formula)} then '''' || ${column} else coalesce(${column}, '') end`;
  return sql`case when ${column} ~ '[",\\r\\n]' then '"' || replace(${text}, '"', '""') || '"' else ${text} end`;
}

/** Ids, times and surfaces are as they are. */
const csvLine = sql`id || ',' || "createdAt" || ',' || ${cell(sql`action`)} || ',' || ${cell(sql`"entityType"`)} || ','
  || "entityId" || ',' || ${cell(sql`"actorName"`)} || ',' || surface || ',' || coalesce("apiKeyId"::text, '') || ','
  || ${cell(sql`"ipAddress"`)} || E'\\r\\n'`;
