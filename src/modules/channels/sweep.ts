/** Forgets what nobody asks for any more. */
import type { Clock } from "../../kernel/clock.ts";
import type { Database } from "../../platform/database/database.ts";
import { deleteMailsBefore } from "./mail-limits.repo.ts";
import { deleteKeysBefore, deleteOld } from "./messages.repo.ts";

const dayMs = 24 * 3_600_000;
const keptDays = 30;
/** Attempts of a channel. */
const keptDeliveries = 500;
/** A year's renewal is told of once in that year. */
const keptKeyDays = 400;
const mailLimitMs = 3_600_000;

export async function sweepChannels(database: Database, clock: Clock): Promise<void> {
  const ago = (ms: number) => new Date(clock.now().getTime() - ms);
  await deleteOld(database, ago(keptDays * dayMs), keptDeliveries);
  await deleteKeysBefore(database, ago(keptKeyDays * dayMs));
  await deleteMailsBefore(database, ago(mailLimitMs));
}
