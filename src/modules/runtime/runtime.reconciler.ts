/**
 * Keeps what runs as the rows say it should: the instances of the current release up, everything else of the service
 * down, the routes and the status true, deleted services gone.
 *
 * Level-triggered and idempotent: it takes a service's id, reads what is wanted and what runs, and mends the difference.
 * It may be killed at any line and run again. A deployment on its way owns the instances of its own release; they are
 * left alone until it has ended. An instance that is no longer wanted first loses its route, then gets time to finish
 * what it carries, then SIGTERM, then SIGKILL.
 */
import { setTimeout as delay } from "node:timers/promises";
import type { EdgeControl } from "../../edge/control.ts";
import type { Engine, InstanceStatus } from "../../engines/engine.ts";
import type { Database } from "../../platform/database/database.ts";
import type { LockSession } from "../../platform/database/lock-session.ts";
import type { Logger } from "../../platform/log.ts";
import { instancesOf, type Release } from "./release.ts";
import type { RoutePublisher } from "./route-publisher.ts";
import * as repo from "./runtime.repo.ts";
import type { RuntimeService } from "./runtime.service.ts";
import { statusOf } from "./service-status.ts";

/** kamal-proxy's drain time. */
const drainMs = 30_000;
const drainPollMs = 100;
/** From SIGTERM to SIGKILL. */
const stopGraceMs = 10_000;
const retryMs = 1000;

export interface RuntimeReconcilerOptions {
  readonly database: Database;
  readonly engine: Engine;
  readonly edge: Pick<EdgeControl, "inFlight">;
  readonly publisher: RoutePublisher;
  readonly runtime: RuntimeService;
  readonly locks: LockSession;
  readonly logger: Logger;
  /** The release of a deployment, its environment opened. */
  readonly releaseOf: (deploymentId: string) => Promise<Release>;
  /** Of a deleted service: ends its builds and records what they took. */
  readonly settleBuilds: (service: Removal) => Promise<void>;
}

interface Removal {
  readonly accountId: string;
  readonly serviceId: string;
  readonly deploymentIds: readonly string[];
}

export class RuntimeReconciler {
  readonly #options: RuntimeReconcilerOptions;
  readonly #retiring = new Set<string>();
  /** Service → the instances wanted when it was last looked at: one that is wanted again is not stopped after all. */
  readonly #wanted = new Map<string, ReadonlySet<string>>();
  readonly #stopping = new AbortController();

  constructor(options: RuntimeReconcilerOptions) {
    this.#options = options;
  }

  async reconcile(serviceId: string): Promise<void> {
    const { database, locks, runtime } = this.#options;
    const held = await locks.withLock(`runtime/${serviceId}`, () => this.#reconcile(serviceId));
    if (!held) await runtime.request(database, serviceId, new Date(Date.now() + retryMs));
  }

  /** Asks for every service: at the start, and now and then, for whatever went unnoticed. */
  async requestAll(): Promise<void> {
    for (const id of await repo.listServiceIds(this.#options.database))
      await this.#options.runtime.request(this.#options.database, id);
  }

  /** Lets go of instances that are being drained: the next reconciler takes them up. */
  close(): void {
    this.#stopping.abort();
  }

  async #reconcile(serviceId: string): Promise<void> {
    const { database, engine, publisher, runtime, releaseOf } = this.#options;
    const row = await repo.findRuntime(database, serviceId);
    if (row === undefined) {
      const removal = await repo.findRemoval(database, serviceId);
      if (removal !== undefined) await this.#remove({ serviceId, ...removal });
      return;
    }
    const wanted =
      row.currentDeploymentId === null || row.desiredState === "STOPPED" || row.status === "SUSPENDED"
        ? []
        : instancesOf(await releaseOf(row.currentDeploymentId), row.instances);
    const running = (await engine.listInstances()).filter((instance) => instance.serviceId === serviceId);
    for (const spec of wanted) await engine.startInstance(spec);
    await publisher.publish();
    const wantedIds = new Set(wanted.map((spec) => spec.id));
    this.#wanted.set(serviceId, wantedIds);
    // The row is read again: a deployment may have begun to start instances since, or have ended.
    const latest = await repo.findRuntime(database, serviceId);
    if (latest === undefined || latest.currentDeploymentId !== row.currentDeploymentId) {
      return runtime.request(database, serviceId);
    }
    const kept = (instance: InstanceStatus) =>
      wantedIds.has(instance.id) || instance.deploymentId === latest.activeDeploymentId;
    for (const instance of running) if (!kept(instance) && instance.state !== "STOPPING") this.#retire(instance);
    const now = (await engine.listInstances()).filter((instance) => instance.serviceId === serviceId);
    await repo.setStatus(database, serviceId, statusOf(latest, now));
  }

  #retire(instance: InstanceStatus): void {
    if (this.#retiring.has(instance.id)) return;
    this.#retiring.add(instance.id);
    const { engine, logger } = this.#options;
    this.#drain(instance.id)
      .then(async () => {
        if (this.#wanted.get(instance.serviceId)?.has(instance.id) !== true)
          await engine.stopInstance(instance.id, stopGraceMs);
      })
      .catch((error: unknown) => {
        if (!this.#stopping.signal.aborted)
          logger.warn(
            { err: error, instance: instance.id },
            "an instance could not be retired; it will be tried again",
          );
      })
      .finally(() => this.#retiring.delete(instance.id));
  }

  /** Waits until the edge carries nothing to the instance any more, at most `drainMs`. */
  async #drain(id: string): Promise<void> {
    const deadline = Date.now() + drainMs;
    while (Date.now() < deadline) {
      // An edge that does not answer carries nothing either, or is beyond our knowledge: wait the time out.
      const inFlight = await this.#options.edge.inFlight([id]).catch(() => null);
      if (inFlight !== null && (inFlight.get(id) ?? 0) === 0) return;
      await delay(drainPollMs, undefined, { signal: this.#stopping.signal });
    }
  }

  async #remove(removal: Removal): Promise<void> {
    const { database, engine, publisher, locks, runtime, settleBuilds } = this.#options;
    const { serviceId, deploymentIds } = removal;
    await publisher.publish();
    // A deployment of the service may still be on its way; it ends when it finds its row gone.
    const removed = await locks.withLock(`service/${serviceId}`, async () => {
      await settleBuilds(removal);
      await engine.removeService(serviceId);
      for (const deploymentId of deploymentIds) await engine.removeLog({ kind: "build", deploymentId });
      await repo.finishRemoval(database, serviceId);
      this.#wanted.delete(serviceId);
    });
    if (!removed) await runtime.request(database, serviceId, new Date(Date.now() + retryMs));
  }
}
