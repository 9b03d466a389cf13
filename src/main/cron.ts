/** Cron jobs, put together: what people ask for, and what each worker does about it. */
import type { Engine } from "../engines/engine.ts";
import { systemClock } from "../kernel/clock.ts";
import type { ActivityService } from "../modules/activity/activity.service.ts";
import type { LimitsService } from "../modules/billing/limits/limits.service.ts";
import { CronCleaner } from "../modules/cron/cron.cleaner.ts";
import { CronRunner } from "../modules/cron/cron.runner.ts";
import { CronScheduler } from "../modules/cron/cron.scheduler.ts";
import { CronService, dispatchTask, removeTask } from "../modules/cron/cron.service.ts";
import type { Releases } from "../modules/deployments/releases.ts";
import type { Database } from "../platform/database/database.ts";
import type { LockSession } from "../platform/database/lock-session.ts";
import type { Logger } from "../platform/log.ts";
import type { Area } from "./area.ts";

export interface CronOptions {
  readonly database: Database;
  readonly engine: Engine;
  readonly activity: ActivityService;
  readonly releases: Releases;
  readonly limits: Pick<LimitsService, "check">;
  readonly logger: Logger;
  /** Runs at once. */
  readonly maxRuns: number;
}

export interface Cron extends Area {
  readonly cron: CronService;
}

export function createCron({ database, engine, activity, releases, limits, logger, maxRuns }: CronOptions): Cron {
  const clock = systemClock;
  const cron = new CronService(database, clock, limits);
  /** Of this worker, while it works. */
  let runner: CronRunner | null = null;
  let cleaner: CronCleaner | null = null;

  const start = (locks: LockSession) => {
    const running = new CronRunner({
      ...{ database, engine, activity, locks, clock, logger, places: maxRuns },
      releaseOf: (deploymentId) => releases.of(deploymentId),
    });
    const cleaning = new CronCleaner({ database, engine, locks, clock, logger });
    const scheduler = new CronScheduler({ database, clock, logger, onQueued: () => running.ring() });
    [runner, cleaner] = [running, cleaning];
    for (const part of [running, cleaning, scheduler]) part.start();
    return async () => {
      [runner, cleaner] = [null, null];
      await Promise.all([running, cleaning, scheduler].map((part) => part.close()));
    };
  };
  return {
    cron,
    start,
    tasks: {
      [dispatchTask]: async () => runner?.ring(),
      [removeTask]: async () => cleaner?.ring(),
    },
    sweep: async () => cleaner?.forgetOldRuns(),
    keptArtifacts: (serviceId) => cron.artifactsInUse(serviceId),
    knownSandboxes: (ids) => cron.knownJobs(ids),
  };
}
