import type { Engine } from "../../engines/engine.ts";
import type { Executor } from "../../platform/database/database.ts";
import { addJob } from "../../platform/queue.ts";
import { instancesOf, type Release } from "./release.ts";
import * as repo from "./runtime.repo.ts";

/** A deployment that ends before it needs no look of its own. */
const showDelayMs = 500;

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

  /** That a deployment of the service is at work: in its status at once, for its visitors with the next look, within a second. */
  async showDeploying(executor: Executor, serviceId: string): Promise<void> {
    await repo.setDeploying(executor, serviceId);
    await this.request(executor, serviceId, new Date(Date.now() + showDelayMs));
  }

  /** Starts the instances of a release beside whatever runs; their ids. None when the edge serves it from disk. */
  async startInstances(release: Release, count: number): Promise<readonly string[]> {
    const specs = instancesOf(release, count);
    for (const spec of specs) await this.#engine.startInstance(spec);
    return specs.map((spec) => spec.id);
  }
}
