/**
 * Moves deployments: the state machine of `deployments.service.ts`, carried out.
 *
 * A job names a deployment; `drive` takes it on if nobody else does and works until it has ended or has to wait. While
 * it works it holds the lock of the service, which dies with the process: after a `kill -9` the next process takes the
 * deployment over at the state its row has, adopts the tasks that still run in the engine, and goes on. Every state
 * change is guarded by status and attempt number, so that a process that was only thought dead cannot interfere.
 * What waits (for a build slot, for an earlier deployment of the service) is looked at again when something ends, and
 * by a sweep every few seconds.
 */
import { setTimeout as delay } from "node:timers/promises";
import type { Insertable, Updateable } from "kysely";
import { keepStep } from "../../builders/build-steps.ts";
import { type BuildPlan, storedBuildPlan } from "../../builders/plan.ts";
import { EdgeUnreachableError } from "../../edge/control.ts";
import { type Engine, EngineUnreachableError } from "../../engines/engine.ts";
import type { Clock } from "../../kernel/clock.ts";
import { type Database, type Executor, isDatabaseAway } from "../../platform/database/database.ts";
import type { LockSession } from "../../platform/database/lock-session.ts";
import type { Tables } from "../../platform/database/tables.ts";
import type { Logger } from "../../platform/log.ts";
import { addJob } from "../../platform/queue.ts";
import type { ActivityService } from "../activity/activity.service.ts";
import type { Notify } from "../channels/notice.ts";
import type { EnvService } from "../env/env.service.ts";
import type { RoutePublisher } from "../runtime/route-publisher.ts";
import type { RuntimeService } from "../runtime/runtime.service.ts";
import type { UpkeepService } from "../upkeep/upkeep.service.ts";
import type { BuildPhase } from "./build-phase.ts";
import { deploymentNotice, type NoticeAddresses } from "./deployment-notice.ts";
import { type BuildTime, DeploymentTasks } from "./deployment-tasks.ts";
import * as repo from "./deployments.repo.ts";
import type { DeploymentStatus } from "./deployments.schema.ts";
import { driveTask } from "./deployments.service.ts";
import { diskFull, isDiskFull } from "./disk-room.ts";
import { DeploymentCancelled, DeploymentFailure, HeldDeployment, HoldLost } from "./held-deployment.ts";
import type { PushPhase } from "./push-phase.ts";
import { type Releases, toRelease } from "./releases.ts";
import type { StartPhase } from "./start-phase.ts";

const holdCheckMs = 500;
const sweepMs = 5000;
/** Its visitors wait longer; the deployment's own beginning comes before. */
const showDelayMs = 500;
const failedStopGraceMs = 2000;
/** The first visitors come before what nobody waits for. */
const keepDelayMs = 250;
/** The next deployment of the service waits for no longer. */
const keepTimeoutMs = 60_000;
const longestMessage = 4000;
/** More than every step may take together: whatever is older hangs. */
const deadlineMs = 100 * 60_000;
const unexpected =
  "Something went wrong inside Ksar while it deployed. Deploy again; if it fails again, tell the operator, whose log has the cause.";
/** Every step that may run as a task: what a cancel kills. */
const stepNames = ["fetch", "install", "build", "pre-deploy"] as const;

export interface DeploymentsWorkerOptions {
  readonly database: Database;
  readonly engine: Engine;
  readonly env: EnvService;
  readonly releases: Releases;
  readonly runtime: RuntimeService;
  readonly publisher: RoutePublisher;
  readonly upkeep: UpkeepService;
  readonly activity: ActivityService;
  readonly notify: Notify;
  readonly addresses: NoticeAddresses;
  readonly locks: LockSession;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly tasks: DeploymentTasks;
  readonly build: BuildPhase;
  readonly push: PushPhase;
  readonly start: StartPhase;
  readonly buildSlots: number;
  /** The host at which a slug answers: what a health check asks for. */
  readonly hostOf: (slug: string) => string;
}

export class DeploymentsWorker {
  readonly #options: DeploymentsWorkerOptions;
  readonly #stopping = new AbortController();
  /** The deployments that are held here. */
  readonly #atWork = new Set<string>();
  #sweep: NodeJS.Timeout | null = null;

  constructor(options: DeploymentsWorkerOptions) {
    this.#options = options;
  }

  startSweeping(): void {
    this.#sweep = setInterval(() => {
      this.ringUnfinished().catch((error: unknown) =>
        this.#options.logger.warn({ err: error }, "deployments could not be swept"),
      );
    }, sweepMs);
  }

  /** Lets go of what it works on; the engine's tasks go on, and the next process takes over. */
  close(): void {
    if (this.#sweep !== null) clearInterval(this.#sweep);
    this.#stopping.abort(new HoldLost());
  }

  /** Until it has ended, or is let go of; then its service is looked at, whatever has become of its instances. */
  isAtWork(deploymentId: string): boolean {
    return this.#atWork.has(deploymentId);
  }

  async ringUnfinished(): Promise<void> {
    const { database } = this.#options;
    for (const id of await repo.listUnfinished(database))
      await addJob(database, driveTask, { deploymentId: id }, { key: `${driveTask}/${id}` });
  }

  async drive(deploymentId: string): Promise<void> {
    const row = await repo.findDeployment(this.#options.database, deploymentId);
    if (row === undefined) return;
    let moved = false;
    await this.#options.locks.withLock(`service/${row.serviceId}`, async () => {
      moved = await this.#driveLocked(row);
    });
    // What waited for this one's place may have it now.
    if (moved) await this.ringUnfinished();
  }

  /** true when it has come to an end here; false when it has to wait, or is somebody else's. */
  async #driveLocked(row: repo.DeploymentRow): Promise<boolean> {
    const held = await this.#claim(row);
    if (held === null) return false;
    const { runtime, database, logger } = this.#options;
    const { id: deploymentId } = row;
    this.#atWork.add(deploymentId);
    const ended = new AbortController();
    const signal = AbortSignal.any([ended.signal, this.#stopping.signal, this.#options.locks.lost]);
    const beside = Promise.all([this.#watch(held, ended), this.#showDeploying(held, ended.signal)]);
    let plan: BuildPlan | null = null;
    try {
      plan = await this.#work(held, signal);
    } catch (error) {
      const reason: unknown = signal.aborted ? signal.reason : error;
      if (held.status === "LIVE") throw error;
      const lost = reason instanceof HoldLost || this.#stopping.signal.aborted || this.#options.locks.lost.aborted;
      if (lost || isPassing(reason)) {
        logger.info({ deploymentId, err: reason }, "let go of a deployment; the sweep takes it up again");
        return false;
      }
      await this.#end(held, reason);
    } finally {
      ended.abort(new HoldLost());
      await beside;
      this.#atWork.delete(deploymentId);
      await runtime.request(database, held.row.serviceId);
    }
    if (plan !== null) await this.#keepInstalled(held, plan);
    await this.#options.upkeep.request(database, held.row.serviceId);
    return true;
  }

  /** For the next build, which has to wait for it. It costs that build time and nothing else when it does not come about. */
  async #keepInstalled(held: HeldDeployment, plan: BuildPlan): Promise<void> {
    const { tasks, engine, logger } = this.#options;
    const { id, artifactId } = held.row;
    const step = artifactId === id ? keepStep(plan) : null;
    if (step === null) return;
    const ended = AbortSignal.any([this.#stopping.signal, this.#options.locks.lost]);
    try {
      // Other services' deployments may have its place meanwhile.
      await this.ringUnfinished();
      await delay(keepDelayMs, undefined, { signal: ended });
      const name = "keep";
      const nothing = { heading: null, runtimes: [], env: {}, secrets: {} };
      await tasks.run(held, { ...step, ...nothing, name, timeoutMs: keepTimeoutMs, isJob: true }, ended);
      await engine.forgetTask(DeploymentTasks.id(id, name));
    } catch (error) {
      if (ended.aborted) return;
      logger.warn({ err: error, deploymentId: id }, "what was installed could not be kept for the next build");
    }
  }

  /** The row is as it was before the service's lock was taken: a claim of what has changed since is refused. */
  async #claim(row: repo.DeploymentRow): Promise<HeldDeployment | null> {
    const { engine, database, clock, buildSlots } = this.#options;
    engine.expectRun().catch(() => undefined);
    const claimed =
      row.status === "QUEUED"
        ? await database.transaction().execute((own) => repo.claimQueued(own, row, buildSlots, clock.now()))
        : await repo.claimActive(database, row);
    return claimed === undefined ? null : new HeldDeployment(database, clock, claimed, claimed.attempt);
  }

  /** By its status, and to visitors of a service that has no release yet. Nothing waits for it, and nothing fails for it. */
  async #showDeploying({ row }: HeldDeployment, ended: AbortSignal): Promise<void> {
    const { runtime, publisher, database, logger } = this.#options;
    try {
      await runtime.showDeploying(database, row.serviceId);
      await delay(showDelayMs, undefined, { signal: ended });
      await publisher.publish();
    } catch (error) {
      if (!ended.aborted)
        logger.warn({ err: error, deploymentId: row.id }, "a service could not be shown as being deployed");
    }
  }

  /** Aborts when the deployment is to be cancelled, or is no longer ours; ends with the signal. */
  async #watch(held: HeldDeployment, ended: AbortController): Promise<void> {
    for (;;) {
      await delay(holdCheckMs, undefined, { signal: ended.signal }).catch(() => undefined);
      if (ended.signal.aborted) return;
      const now = await repo.findHold(this.#options.database, held.row.id).catch(() => null);
      if (now === undefined || (now !== null && now.attempt !== held.attempt)) ended.abort(new HoldLost());
      else if (now !== null && now.cancelRequestedAt !== null) ended.abort(new DeploymentCancelled());
    }
  }

  /** From wherever the row stands to LIVE; the plan that was carried out. */
  async #work(held: HeldDeployment, signal: AbortSignal): Promise<BuildPlan> {
    const { build, push, start, env, publisher, database, releases } = this.#options;
    const { row } = held;
    if (row.startedAt !== null && held.now.getTime() - row.startedAt.getTime() > deadlineMs) {
      throw new DeploymentFailure(
        "The deployment was not finished in time. Deploy again; if it happens again, tell the operator.",
      );
    }
    const reuses = row.artifactId !== row.id;
    let values =
      row.sealedEnv === null ? await env.valuesOf(database, row.accountId, row.serviceId) : releases.openEnv(row);
    let plan = row.buildPlan === null ? null : storedBuildPlan(row.buildPlan);
    if (held.status === "BUILDING") {
      if (!reuses) plan = await build.run(held, values, signal);
      if (reuses) await held.moveTo("PUSHING");
      else await this.#moveAfterBuild(held, "PUSHING");
    }
    if (plan === null) throw new Error("a deployment past its build has no build plan");
    if (held.status === "PUSHING") {
      if (!reuses) await push.run(held, plan, values, signal);
      values = await env.valuesOf(database, row.accountId, row.serviceId);
      await held.moveTo("DEPLOYING", { sealedEnv: releases.sealEnv(row.id, values) });
    }
    const release = toRelease(row, plan, values);
    const [service] = await Promise.all([
      repo.findInstanceCount(database, row.serviceId),
      this.#options.tasks.say(held, "==> Starting"),
    ]);
    if (service === undefined) throw new HoldLost();
    await start.run(
      release,
      service.instances,
      { path: row.settings.healthCheckPath, host: this.#options.hostOf(row.settings.slug) },
      signal,
    );
    signal.throwIfAborted();
    await publisher.switching(row.serviceId, { deploymentId: row.id, artifactId: row.artifactId, plan }, async () => {
      await held.moveTo("LIVE", { finishedAt: held.now }, async (transaction) => {
        await repo.setCurrent(transaction, row.serviceId, row.id);
        if (row.settings.branchIsDefault) await repo.setBranch(transaction, row.serviceId, row.id);
        await this.#tell(transaction, held, null);
      });
      await this.#sayLive(held);
    });
    return plan;
  }

  /** It is live whatever becomes of these words. */
  async #sayLive(held: HeldDeployment): Promise<void> {
    const { tasks, logger } = this.#options;
    await tasks.say(held, "==> Live").catch((error: unknown) => {
      logger.warn({ err: error, deploymentId: held.row.id }, "the log of a live deployment could not be ended");
    });
  }

  /** FAILED or CANCELLED: what the deployment started is taken down, its sentence and its log are kept. */
  async #end(held: HeldDeployment, reason: unknown): Promise<void> {
    const { engine, tasks, logger } = this.#options;
    const { row } = held;
    const cancelled = reason instanceof DeploymentCancelled;
    const message = cancelled
      ? "Cancelled."
      : reason instanceof DeploymentFailure
        ? reason.message
        : isDiskFull(reason)
          ? diskFull
          : unexpected;
    if (!cancelled && !(reason instanceof DeploymentFailure))
      logger.error({ err: reason, deploymentId: row.id }, "a deployment failed unexpectedly");
    await tasks.stop(row.id, stepNames);
    const started = (await engine.listInstances()).filter((instance) => instance.deploymentId === row.id);
    await Promise.all(started.map((instance) => engine.stopInstance(instance.id, failedStopGraceMs)));
    await tasks.say(held, ...`==> ${cancelled ? "Cancelled" : `Failed: ${message}`}`.split("\n"));
    const end = { errorMessage: message.slice(0, longestMessage), finishedAt: held.now };
    // Who cancels is told of it by the activity of that operation.
    await this.#moveAfterBuild(held, cancelled ? "CANCELLED" : "FAILED", end, async (transaction) => {
      if (!cancelled) await this.#tell(transaction, held, message);
    });
    if (row.artifactId === row.id) await engine.removeArtifact(row.serviceId, row.id);
  }

  /** With what the build took, if there was one: recorded once, and kept when the service is gone. */
  async #moveAfterBuild(
    held: HeldDeployment,
    status: DeploymentStatus,
    changes: Updateable<Tables["deployments"]> = {},
    also: (transaction: Executor) => Promise<void> = async () => {},
  ): Promise<void> {
    const time = await this.#options.tasks.buildTime(held.row.id);
    if (time === null) return held.moveTo(status, changes, also);
    await held.moveTo(status, { ...changes, buildSeconds: time.seconds }, async (transaction) => {
      await repo.recordBuild(transaction, usageOf(held.row, time));
      await also(transaction);
    });
  }

  /** In the activity feed, as nobody's deed: the platform brought it to its end; and by the account's channels. */
  async #tell(transaction: Executor, { row }: HeldDeployment, failure: string | null): Promise<void> {
    const { activity, notify, addresses } = this.#options;
    await activity.record(transaction, {
      accountId: row.accountId,
      action: failure === null ? "deployment.live" : "deployment.failed",
      entityType: "deployment",
      entityId: row.id,
      metadata: { serviceId: row.serviceId, trigger: row.trigger },
      actorName: null,
    });
    // As the build has left it: the commit is known by now.
    const ended = await repo.findEnded(transaction, row.id);
    if (ended !== undefined) await notify(transaction, deploymentNotice(ended, failure, addresses));
  }

  /** Of a service that was deleted: what its builds took up to now, before they are taken down with the rest. */
  async settleBuilds(service: {
    accountId: string;
    serviceId: string;
    deploymentIds: readonly string[];
  }): Promise<void> {
    const { database, tasks } = this.#options;
    if (service.deploymentIds.length === 0) return;
    for (const id of await repo.withoutBuildUsage(database, service.deploymentIds)) {
      await tasks.stop(id, stepNames);
      const time = await tasks.buildTime(id);
      if (time !== null) await repo.recordBuild(database, usageOf({ ...service, id }, time));
    }
  }
}

/** A part of Ksar that is away for a moment: nothing is wrong with the deployment, and the sweep takes it up again. */
function isPassing(error: unknown): boolean {
  return error instanceof EngineUnreachableError || error instanceof EdgeUnreachableError || isDatabaseAway(error);
}

function usageOf(
  deployment: { readonly id: string; readonly accountId: string; readonly serviceId: string },
  { startedAt, seconds }: BuildTime,
): Insertable<Tables["buildUsage"]> {
  const { id: deploymentId, accountId, serviceId } = deployment;
  return { deploymentId, accountId, serviceId, startedAt, seconds };
}
