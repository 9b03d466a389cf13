/**
 * Keeps the edge's routing table as the rows and the running instances say it should be.
 *
 * Level-triggered: each `publish` makes the whole table anew. Calls while one is under way share the next, so a burst of
 * changes costs two tables, and whoever awaits `publish` knows that the edge serves what was true when it asked.
 * When the engine can't say what runs, nothing is published: the edge goes on with what it has.
 */

import { storedBuildPlan } from "../../builders/plan.ts";
import type { EdgeControl } from "../../edge/control.ts";
import type { InstanceStatus } from "../../engines/engine.ts";
import type { Database } from "../../platform/database/database.ts";
import { routeOf, type ServingRelease } from "./routing.ts";
import { listRuntime, nextTableVersion, type RuntimeRow } from "./runtime.repo.ts";

export interface RoutePublisherOptions {
  readonly database: Database;
  readonly edge: Pick<EdgeControl, "apply">;
  readonly listInstances: () => Promise<readonly InstanceStatus[]>;
  readonly baseDomain: string;
}

export class RoutePublisher {
  readonly #options: RoutePublisherOptions;
  /** Service → the release that a deployment is switching to, before the rows say so. */
  readonly #switching = new Map<string, ServingRelease>();
  /** What was applied last: most looks find nothing new, and then nothing is written. */
  #inForce: string | null = null;
  #running: Promise<void> | null = null;
  #next: Promise<void> | null = null;

  constructor(options: RoutePublisherOptions) {
    this.#options = options;
  }

  /** Resolves once a table made after this call is in force. */
  publish(): Promise<void> {
    if (this.#running === null) {
      this.#running = this.#publishNow().finally(() => {
        this.#running = null;
      });
      return this.#running;
    }
    this.#next ??= this.#running
      .catch(() => undefined)
      .then(() => {
        this.#next = null;
        return this.publish();
      });
    return this.#next;
  }

  /**
   * Routes the service to a release while `work` makes the rows agree; afterwards the rows decide again: where it has failed,
   * whoever called has the service looked at.
   */
  async switching(serviceId: string, release: ServingRelease, work: () => Promise<void>): Promise<void> {
    this.#switching.set(serviceId, release);
    try {
      await this.publish();
      await work();
    } finally {
      this.#switching.delete(serviceId);
    }
  }

  async #publishNow(): Promise<void> {
    const { database, edge, listInstances, baseDomain } = this.#options;
    // As it is before the rows are read: rows from before a switch, without the switch, would lead back to the old release.
    const switching = new Map(this.#switching);
    const [rows, instances] = await Promise.all([listRuntime(database), listInstances()]);
    const byService = Map.groupBy(instances, (instance) => instance.serviceId);
    const routes = rows.flatMap((row) => {
      const release = switching.get(row.id) ?? currentRelease(row);
      return routeOf(row, release, byService.get(row.id) ?? [], baseDomain) ?? [];
    });
    const made = JSON.stringify(routes);
    if (made === this.#inForce) return;
    this.#inForce = null;
    await edge.apply({ version: await nextTableVersion(database), routes });
    this.#inForce = made;
  }
}

function currentRelease(row: RuntimeRow): ServingRelease | null {
  if (row.currentDeploymentId === null || row.artifactId === null) return null;
  return { deploymentId: row.currentDeploymentId, artifactId: row.artifactId, plan: storedBuildPlan(row.buildPlan) };
}
