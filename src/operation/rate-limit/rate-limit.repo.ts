import { sql } from "kysely";
import type { Executor } from "../../platform/database/database.ts";

/** Times are in ticks: tenths of seconds since 1970, by the database's clock, which all processes share. */
export interface Grant {
  readonly granted: number;
  /** Of the limit, for whoever asks next. */
  readonly remaining: number;
  readonly tick: number;
  readonly nowTick: number;
  readonly resetTick: number;
  readonly retryTick: number;
  /** How long other processes may still give back what they hold; null when they hold nothing. */
  readonly leaseTick: number | null;
}

export interface Ask {
  readonly subject: string;
  readonly wanted: number;
  readonly allowed: number;
  /** 0: what is granted is used at once. */
  readonly leaseTicks: number;
  readonly holder: string;
}

export async function takeFromLimit(executor: Executor, ask: Ask): Promise<Grant> {
  const { rows } = await sql<Grant>`select * from take_rate_limit(
    ${ask.subject}, ${ask.wanted}::integer, ${ask.allowed}::integer, ${ask.leaseTicks}::integer, ${ask.holder})`.execute(
    executor,
  );
  const [row] = rows;
  if (row === undefined) throw new Error("take_rate_limit returned nothing");
  return row;
}

export async function returnToLimit(
  executor: Executor,
  rest: { readonly subject: string; readonly unused: number; readonly tick: number; readonly holder: string },
): Promise<void> {
  await sql`select return_rate_limit(${rest.subject}, ${rest.unused}::integer, ${rest.tick}::bigint, ${rest.holder})`.execute(
    executor,
  );
}

/** Those that nobody has used for a minute say nothing any more. */
export async function deleteUnusedLimits(executor: Executor): Promise<void> {
  await sql`delete from rate_limits
    where coalesce(ticks[cardinality(ticks)], 0) + 600 < floor(extract(epoch from clock_timestamp()) * 10)`.execute(
    executor,
  );
}
