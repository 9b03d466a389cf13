/** Everything that works on the queue, put together: deployments and the services' running. */
import { setTimeout as delay } from "node:timers/promises";
import type { Runner } from "graphile-worker";
import type pg from "pg";
import { systemClock } from "../kernel/clock.ts";
import type { ActivityService } from "../modules/activity/activity.service.ts";
import type { Notify } from "../modules/channels/notice.ts";
import { BuildPhase } from "../modules/deployments/build-phase.ts";
import { DeploymentTasks } from "../modules/deployments/deployment-tasks.ts";
import { type DeploymentsService, driveTask } from "../modules/deployments/deployments.service.ts";
import { DeploymentsWorker } from "../modules/deployments/deployments.worker.ts";
import { PushPhase } from "../modules/deployments/push-phase.ts";
import type { Releases } from "../modules/deployments/releases.ts";
import { StartPhase } from "../modules/deployments/start-phase.ts";
import type { EnvService } from "../modules/env/env.service.ts";
import { MeteringCollector } from "../modules/metering/metering.collector.ts";
import type { PlatformMetrics } from "../modules/metrics/platform-metrics.ts";
import { RoutePublisher } from "../modules/runtime/route-publisher.ts";
import { RuntimeReconciler } from "../modules/runtime/runtime.reconciler.ts";
import { type RuntimeService, reconcileTask } from "../modules/runtime/runtime.service.ts";
import { UpkeepService, upkeepTask } from "../modules/upkeep/upkeep.service.ts";
import { UpkeepSweeper } from "../modules/upkeep/upkeep.sweeper.ts";
import type { Database } from "../platform/database/database.ts";
import { LockSession } from "../platform/database/lock-session.ts";
import { EgressGuard } from "../platform/egress.ts";
import type { Logger } from "../platform/log.ts";
import { startWorker } from "../platform/queue.ts";
import type { Area } from "./area.ts";
import type { ControlPlaneOptions } from "./control-plane.ts";

/** For whatever no event told of. */
const reconcileAllMs = 30_000;
const sweepAllMs = 60 * 60_000;
/** From an instance's change to a look at its service: a deployment that waited for it goes first, and many are one. */
const changeDelayMs = 25;
/** Jobs mostly wait: for builds, for instances to answer. Enough that those never hold up the services' reconciling. */
const queueConcurrency = 40;
const restartMs = 1000;

interface WorkersOptions {
  readonly options: ControlPlaneOptions;
  readonly pool: pg.Pool;
  readonly database: Database;
  readonly env: EnvService;
  readonly releases: Releases;
  readonly runtime: RuntimeService;
  readonly areas: readonly Area[];
  readonly deployments: DeploymentsService;
  readonly activity: ActivityService;
  readonly notify: Notify;
  readonly platformMetrics: PlatformMetrics;
}

export class Workers {
  readonly #with: WorkersOptions;
  readonly #ended = new AbortController();
  #stop: () => Promise<void> = async () => undefined;

  constructor(options: WorkersOptions) {
    this.#with = options;
  }

  /** Starts them, and starts them anew whenever the database has dropped them. */
  async start(): Promise<void> {
    const lost = await this.#start();
    lost.addEventListener("abort", () => {
      if (!this.#ended.signal.aborted) void this.#restart();
    });
  }

  async stop(): Promise<void> {
    this.#ended.abort();
    await this.#stop();
  }

  async #restart(): Promise<void> {
    const { logger } = this.#with.options;
    logger.warn("the database ended the workers' session; starting them again");
    await this.#stop();
    while (!this.#ended.signal.aborted) {
      try {
        await this.start();
        return;
      } catch (error) {
        logger.warn({ err: error }, "the workers could not be started yet");
        await delay(restartMs);
      }
    }
  }

  /** The signal that aborts when they have to be started anew. */
  async #start(): Promise<AbortSignal> {
    const { options, pool, database, env, releases, runtime, activity, notify, areas } = this.#with;
    const { engine, edge, logger } = options;
    const locks = await LockSession.open(options.connection);
    const publisher = new RoutePublisher({
      database,
      edge,
      baseDomain: options.baseDomain,
      listInstances: () => engine.listInstances(),
    });
    const tasks = new DeploymentTasks(engine);
    const upkeep = new UpkeepService();
    const egress = new EgressGuard({ allow: options.egressAllow });
    const deployments = new DeploymentsWorker({
      database,
      engine,
      env,
      releases,
      runtime,
      publisher,
      upkeep,
      activity,
      notify,
      addresses: { addressOf: options.addressOf, publicUrl: options.publicUrl },
      locks,
      clock: systemClock,
      logger,
      tasks,
      build: new BuildPhase({
        engine,
        tasks,
        egress,
        allowLocalRepository: options.allowLocalRepository,
        minFreeMb: options.minFreeMb,
      }),
      push: new PushPhase(engine, tasks),
      start: new StartPhase({ engine, runtime, startDeadlineMs: options.startTimeoutSeconds * 1000 }),
      buildSlots: options.maxBuilds,
      hostOf: (slug) => new URL(options.addressOf(slug)).host,
    });
    const reconciler = new RuntimeReconciler({
      database,
      engine,
      edge,
      publisher,
      runtime,
      locks,
      logger,
      releaseOf: (deploymentId) => releases.of(deploymentId),
      settleBuilds: (service) => deployments.settleBuilds(service),
    });
    const sweeper = new UpkeepSweeper({
      database,
      engine,
      clock: systemClock,
      logger,
      keptArtifacts: async (serviceId) => {
        const kept = [this.#with.deployments, ...areas].map(async (part) => part.keptArtifacts?.(serviceId) ?? []);
        return new Set((await Promise.all(kept)).flatMap((ids) => [...ids]));
      },
      knownSandboxes: async (ids) => {
        const known = areas.map(async (area) => area.knownSandboxes?.(ids) ?? []);
        return new Set((await Promise.all(known)).flatMap((some) => [...some]));
      },
    });
    const metering = new MeteringCollector({
      database,
      edge,
      locks,
      clock: systemClock,
      logger,
      counted: (services, accountIds) => {
        this.#with.platformMetrics.countTraffic(services);
        for (const area of areas) area.counted?.(accountIds);
      },
    });
    const runner = await startWorker({
      pool,
      database,
      locks,
      logger,
      concurrency: queueConcurrency,
      tasks: {
        ...Object.assign({}, ...areas.map((area) => area.tasks)),
        [driveTask]: ({ deploymentId = "" }) => deployments.drive(deploymentId),
        [reconcileTask]: ({ serviceId = "" }) => reconciler.reconcile(serviceId),
        [upkeepTask]: ({ serviceId = null }) => sweeper.sweep(serviceId),
      },
    });
    const report = (error: unknown) =>
      logger.warn({ err: error }, "a look at the services failed; another one follows");
    // Ended by itself it could not tell the database how a job ended: all of it is started anew, as when the locks are lost.
    runner.promise
      .catch(report)
      .then(() => locks.close())
      .catch(report);
    const changed = new Set<string>();
    let soon: NodeJS.Timeout | undefined;
    const unsubscribe = engine.onInstanceChange(({ serviceId, deploymentId }) => {
      // Whose instances start is looked at by who starts them; the service is looked at when that has ended.
      if (deploymentId !== null && deployments.isAtWork(deploymentId)) return;
      changed.add(serviceId);
      soon ??= setTimeout(() => {
        soon = undefined;
        publisher.publish().catch(report);
        for (const id of changed) runtime.request(database, id).catch(report);
        changed.clear();
      }, changeDelayMs);
    });
    const everything = setInterval(() => reconciler.requestAll().catch(report), reconcileAllMs);
    const hourly = setInterval(() => {
      upkeep.request(database, null).catch(report);
      for (const area of areas) area.sweep?.().catch(report);
    }, sweepAllMs);
    await upkeep.request(database, null);
    await reconciler.requestAll();
    await deployments.ringUnfinished();
    deployments.startSweeping();
    metering.start();
    const stopAreas = areas.map((area) => area.start?.(locks));
    this.#stop = async () => {
      clearInterval(everything);
      clearInterval(hourly);
      unsubscribe();
      clearTimeout(soon);
      metering.close();
      await Promise.all(stopAreas.map((stop) => stop?.()));
      deployments.close();
      reconciler.close();
      await stopRunner(runner, logger);
      await locks.close().catch(report);
    };
    return locks.lost;
  }
}

async function stopRunner(runner: Runner, logger: Logger): Promise<void> {
  await runner
    .stop()
    .catch((error: unknown) => logger.warn({ err: error }, "the queue's workers did not stop in order"));
}
