/**
 * Cursors of the lists: the id behind which the next page starts, made opaque. Ids sort by creation, so a cursor stays
 * valid while rows are added or removed, that very row included.
 */
import { invalid } from "./errors.ts";
import { isUuid } from "./ids.ts";

export function encodeCursor(id: string): string {
  return Buffer.from(id).toString("base64url");
}

/** Throws `validation_failed` for what `encodeCursor` never made. */
export function decodeCursor(cursor: string): string {
  const id = Buffer.from(cursor, "base64url").toString();
  if (!isUuid(id) || encodeCursor(id) !== cursor) {
    throw invalid({ in: "query", path: "/cursor", message: "is not a cursor that a list returned", code: "cursor" });
  }
  return id;
}

export interface Page<Row> {
  readonly data: Row[];
  readonly pagination: { readonly hasMore: boolean; readonly nextCursor: string | null };
}

/** A page of paging style A out of up to `limit + 1` rows: the extra row only says that there are more. */
export function pageOf<Row extends { readonly id: string }, Shown>(
  rows: readonly Row[],
  limit: number,
  show: (row: Row) => Shown,
): Page<Shown> {
  const kept = rows.slice(0, limit);
  const last = rows.length > limit ? kept.at(-1) : undefined;
  return {
    data: kept.map(show),
    pagination: { hasMore: last !== undefined, nextCursor: last === undefined ? null : encodeCursor(last.id) },
  };
}
