/**
 * What becomes of a job whose time has come: the run that is made, the due times that were missed, the next one.
 *
 * Mostly one due time has come, just now. After a time in which no worker ran it may be many: then only the latest is made
 * up for, if it is not over five minutes ago, and the others are told of by one SKIPPED run. So no job runs a hundred
 * times after a long night, and none is silently left out.
 */
import { CronSchedule } from "../../kernel/cron-expression.ts";
import { mostCounted, wasDown } from "./skip-reasons.ts";

/** A due time that is over so long ago is not made up for. */
const lateMs = 5 * 60_000;

export interface DueTimes {
  /** Oldest first. `skipped`: why nothing came of it; null: it runs. */
  readonly runs: readonly { readonly scheduledFor: Date; readonly skipped: string | null }[];
  readonly next: Date | null;
  readonly plannedFrom: Date;
}

/** `due`: the first due time that nothing became of yet, at or before `now`. */
export function dueTimes(schedule: CronSchedule, due: Date, now: Date): DueTimes {
  const following = schedule.next(due);
  if (following === null || following > now) {
    const isLate = now.getTime() - due.getTime() > lateMs;
    return {
      runs: [{ scheduledFor: due, skipped: isLate ? wasDown(due, 1) : null }],
      next: following,
      plannedFrom: due,
    };
  }
  const next = schedule.next(now);
  const latest = later(schedule.latest(now), due);
  const plannedFrom = latest;
  const isLate = now.getTime() - latest.getTime() > lateMs;
  const missed = missedFrom(schedule, due, isLate ? new Date(now.getTime() + 1) : latest);
  const lastMissed = missed.at(-1);
  const skipped =
    lastMissed === undefined
      ? []
      : [{ scheduledFor: isLate ? latest : lastMissed, skipped: wasDown(due, missed.length) }];
  return { runs: isLate ? skipped : [...skipped, { scheduledFor: latest, skipped: null }], next, plannedFrom };
}

/** Those from `due` on and before `end`, up to so many. */
function missedFrom(schedule: CronSchedule, due: Date, end: Date): readonly Date[] {
  const missed: Date[] = [];
  let time: Date | null = due;
  while (time !== null && time < end && missed.length < mostCounted) {
    missed.push(time);
    time = schedule.next(time);
  }
  return missed;
}

/** Time-zone data may have changed since: what was written as due counts. */
function later(a: Date | null, b: Date): Date {
  return a !== null && a > b ? a : b;
}

/** Schedules of one round are much alike: each is read once. */
export class Schedules {
  readonly #known = new Map<string, CronSchedule>();

  of(expression: string, timezone: string): CronSchedule {
    const key = `${timezone} ${expression}`;
    const known = this.#known.get(key) ?? new CronSchedule(expression, timezone);
    this.#known.set(key, known);
    return known;
  }
}
