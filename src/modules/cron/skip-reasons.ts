/** Why a run was skipped, in sentences for whoever looks for it. */

export const stillGoing = "The previous run was still waiting or going on, and runs of a job do not overlap.";

export const accountSuspended = "The account is suspended: its jobs run again once its billing is settled.";

export const serviceStopped =
  "The service is stopped, so its schedule rests: start the service, or run the job by hand.";

export function notUnderstood(what: string): string {
  return `The job is paused, because its schedule is not understood any more: ${what}. Correct it, then enable the job.`;
}

export function waitedTooLong(minutes: number): string {
  return `It waited ${minutes} minutes for its turn: this Ksar runs a limited number of cron jobs at once, and all places were taken. Spread the schedules, shorten the runs, or ask the operator for more (KSAR_MAX_CRON_RUNS).`;
}

export const waits = "It waits for its turn: this Ksar runs a limited number of cron jobs at once.";

/** `since`: the first due time that nothing became of. */
export function wasDown(since: Date, missed: number): string {
  const others =
    missed > 1
      ? ` ${missed === mostCounted ? "At least " : ""}${missed} due times were missed, from ${since.toISOString()} on.`
      : "";
  return `Ksar was not running when this was due.${others}`;
}

/** Missed due times are counted up to here. */
export const mostCounted = 1000;
