import type { Engine } from "../../engines/engine.ts";
import type { Executor } from "../../platform/database/database.ts";
import { addJob } from "../../platform/queue.ts";
import { instancesOf, type Release } from "./release.ts";
import * as repo from "./runtime.repo.ts";

export const reconcileTask = "runtime.reconcile";

/** What other modules ask of the runtime. */
export class RuntimeService {
  readonly #engine: Engine;

  constructor(engine: Engine) {
    this.#engine = engine;
  }

  /** Has the reconciler look at the service again, once the transaction has committed. */
  async request(executor: Executor, serviceId: string, runAt?: Date): Promise<void> {
    await addJob(
      executor,
      reconcileTask,
      { serviceId },
      { key: `${reconcileTask}/${serviceId}`, ...(runAt === undefined ? {} : { runAt }) },
    );
  }

  /** In its status: that a deployment of the service is at work. */
  async showDeploying(executor: Executor, serviceId: string): Promise<void> {
    await repo.setDeploying(executor, serviceId);
  }

  /** Starts the instances of a release beside whatever runs; their ids. None when the edge serves it from disk. */
  async startInstances(release: Release, count: number): Promise<readonly string[]> {
    const specs = instancesOf(release, count);
    for (const spec of specs) await this.#engine.startInstance(spec);
    return specs.map((spec) => spec.id);
  }
}
