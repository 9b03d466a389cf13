/**
 * Cron jobs: commands that run on a schedule, in the current release of a service, or in a bare sandbox.
 *
 *   cron_jobs      what is wanted, and when it is due next (`next_run_at`)
 *   cron_runs      QUEUED → RUNNING → SUCCESS | FAILED, or SKIPPED with the reason; one row a due time
 *   cron_removals  jobs that are gone and whose logs and processes are still to go
 *
 * This file is what people ask for. `cron.scheduler.ts` makes runs of due jobs, `cron.runner.ts` gives them their turn and
 * brings each to its end, `cron.cleaner.ts` forgets old ones. All of it may run in several workers, and be killed at any
 * line: a due time becomes a run in the transaction that writes the next one, two unique indexes forbid a second run of a
 * due time and two runs of one job at once, and a run is a task of the engine under its own id, which a new worker waits
 * for instead of starting it again.
 *
 * What a hostile tenant would try: another account's service (every query names the account); thousands of runs (each
 * account has its turn, and at most half of the places: `cron-turns.repo.ts`); processes that stay, output and files without end
 * (the engine's sandbox, log and disk limits).
 */
import type { Clock } from "../../kernel/clock.ts";
import { CronExpressionError, CronSchedule, zoneData } from "../../kernel/cron-expression.ts";
import { decodeCursor, type Page, pageOf } from "../../kernel/cursor.ts";
import { invalidBody, notFound, unknownInBody } from "../../kernel/errors.ts";
import { newId } from "../../kernel/ids.ts";
import type { Caller } from "../../operation/caller.ts";
import type { Database, Executor } from "../../platform/database/database.ts";
import { addJob } from "../../platform/queue.ts";
import type { LimitsService } from "../billing/limits/limits.service.ts";
import * as repo from "./cron.repo.ts";
import type { CronJob, CronJobChanges, CronJobDetails, CronRun, NewCronJob } from "./cron.schema.ts";
import { stillGoing } from "./skip-reasons.ts";

export const dispatchTask = "cron.dispatch";
export const removeTask = "cron.remove";

const assumed = { timezone: "UTC", timeoutSeconds: 300 } as const;

export class CronService {
  readonly #database: Database;
  readonly #clock: Clock;
  readonly #limits: Pick<LimitsService, "check">;

  constructor(database: Database, clock: Clock, limits: Pick<LimitsService, "check">) {
    this.#database = database;
    this.#clock = clock;
    this.#limits = limits;
  }

  async list(caller: Caller, limit: number, cursor: string | undefined): Promise<Page<CronJob>> {
    const after = cursor === undefined ? null : decodeCursor(cursor);
    return pageOf(await repo.listJobs(this.#database, caller.accountId, limit + 1, after), limit, present);
  }

  async get(caller: Caller, id: string): Promise<CronJobDetails> {
    const row = await repo.findJob(this.#database, caller.accountId, id);
    if (row === undefined) throw notFound("cron job");
    const { command, timeoutSeconds, lastExitCode } = row;
    return { ...present(row), command, timeoutSeconds, lastExitCode };
  }

  /** Its id. */
  async create(transaction: Executor, caller: Caller, job: NewCronJob): Promise<string> {
    const { name, command, schedule, serviceId = null } = job;
    const { timezone = assumed.timezone, timeoutSeconds = assumed.timeoutSeconds } = job;
    const plan = this.#plan(schedule, timezone);
    checkCommand(command);
    await this.#holdService(transaction, caller, serviceId);
    const id = newId();
    const { accountId } = caller;
    await repo.insertJob(transaction, {
      ...{ id, accountId, serviceId, name, schedule, timezone, command, timeoutSeconds, enabled: true },
      ...plan,
    });
    await this.#limits.check(transaction, accountId, "cronJobs", () => repo.countJobs(transaction, accountId));
    return id;
  }

  /** Its name. */
  async change(transaction: Executor, caller: Caller, id: string, changes: CronJobChanges): Promise<string> {
    const job = await repo.lockJob(transaction, caller.accountId, id);
    if (job === undefined) throw notFound("cron job");
    if (changes.command !== undefined) checkCommand(changes.command);
    if (changes.serviceId !== undefined) await this.#holdService(transaction, caller, changes.serviceId);
    const { schedule, timezone, enabled } = { ...job, ...changes };
    const isOther = schedule !== job.schedule || timezone !== job.timezone;
    const plan = isOther || (enabled && !job.enabled) ? this.#plan(schedule, timezone) : {};
    const pause = enabled ? {} : { nextRunAt: null };
    await repo.updateJob(transaction, caller.accountId, id, { ...changes, ...plan, ...pause, enabled });
    return changes.name ?? job.name;
  }

  /** The name of what is gone. */
  async remove(transaction: Executor, caller: Caller, id: string): Promise<string> {
    const name = await repo.deleteJob(transaction, caller.accountId, id);
    if (name === undefined) throw notFound("cron job");
    await addJob(transaction, removeTask, {}, { key: removeTask });
    return name;
  }

  async run(transaction: Executor, caller: Caller, id: string): Promise<{ name: string; runId: string }> {
    const job = await repo.lockJob(transaction, caller.accountId, id);
    if (job === undefined) throw notFound("cron job");
    const now = this.#clock.now();
    const runId = newId();
    const overlaps = await repo.hasUnfinishedRun(transaction, id);
    await repo.insertRun(transaction, {
      ...{ id: runId, accountId: caller.accountId, jobId: id, trigger: "MANUAL", scheduledFor: now, createdAt: now },
      ...(overlaps ? { status: "SKIPPED", finishedAt: now, error: stillGoing } : { status: "QUEUED" }),
    });
    if (!overlaps) await addJob(transaction, dispatchTask, {}, { key: dispatchTask });
    return { name: job.name, runId };
  }

  async runs(caller: Caller, jobId: string, limit: number, cursor: string | undefined): Promise<Page<CronRun>> {
    const after = cursor === undefined ? null : decodeCursor(cursor);
    const rows = await repo.listRuns(this.#database, caller.accountId, jobId, limit + 1, after);
    if (rows.length === 0 && (await repo.findJob(this.#database, caller.accountId, jobId)) === undefined)
      throw notFound("cron job");
    return pageOf(rows, limit, presentRun);
  }

  /** For its log. */
  async runOf(
    caller: Caller,
    id: string,
  ): Promise<{ readonly jobId: string; readonly status: string; readonly finishedAt: Date | null }> {
    const row = await repo.findRun(this.#database, caller.accountId, id);
    if (row === undefined) throw notFound("run");
    return row;
  }

  /** The artifacts of a service that runs go on in. */
  artifactsInUse(serviceId: string): Promise<ReadonlySet<string>> {
    return repo.artifactsInUse(this.#database, serviceId);
  }

  /** Of these ids, those that are jobs, or were and are not taken down yet. */
  knownJobs(ids: readonly string[]): Promise<ReadonlySet<string>> {
    return repo.knownJobs(this.#database, ids);
  }

  #plan(schedule: string, timezone: string) {
    const plannedFrom = this.#clock.now();
    try {
      const nextRunAt = new CronSchedule(schedule, timezone).next(plannedFrom);
      if (nextRunAt === null) throw new CronExpressionError("schedule", "never comes: there is no such day");
      return { nextRunAt, plannedFrom, zoneData };
    } catch (error) {
      if (error instanceof CronExpressionError) throw invalidBody(`/${error.part}`, error.message, "cron");
      throw error;
    }
  }

  /** Keeps the service from being deleted until the transaction ends. */
  async #holdService(transaction: Executor, caller: Caller, serviceId: string | null): Promise<void> {
    if (serviceId !== null && !(await repo.holdService(transaction, caller.accountId, serviceId)))
      throw unknownInBody("/serviceId", "service");
  }
}

function checkCommand(command: string): void {
  if (command.trim() === "") throw invalidBody("/command", "is empty", "empty");
}

function present(row: repo.JobRow): CronJob {
  return {
    id: row.id,
    name: row.name,
    schedule: row.schedule,
    timezone: row.timezone,
    enabled: row.enabled,
    serviceId: row.serviceId,
    lastRunAt: row.lastRunAt?.toISOString() ?? null,
    nextRunAt: row.nextRunAt?.toISOString() ?? null,
    lastStatus: row.lastStatus,
  };
}

function presentRun(row: repo.RunRow): CronRun {
  return {
    id: row.id,
    status: row.status,
    trigger: row.trigger,
    scheduledFor: row.scheduledFor.toISOString(),
    startedAt: row.startedAt?.toISOString() ?? null,
    finishedAt: row.finishedAt?.toISOString() ?? null,
    exitCode: row.exitCode,
    error: row.error,
  };
}
