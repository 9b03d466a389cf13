/**
 * Removes from the engine what no row needs any more: builds that failed or are older than the last five releases, logs of
 * old deployments, and whatever a crash left of services and deployments that are gone.
 *
 * Level-triggered and idempotent: first the engine's list, then the rows, then what is in the list without a row that names
 * it. Rows are written before anything is made for them, so what is on the list and has no row had one and lost it.
 * What is younger than an hour stays all the same, and so does everything whose age its id does not tell. Killed at any line
 * it has removed a part; the next sweep does the rest.
 *
 * An empty database, or another Ksar's, names nothing of what is here: then nothing is removed but a warning written.
 */
import type { Engine, Holdings } from "../../engines/engine.ts";
import type { Clock } from "../../kernel/clock.ts";
import { timeOfId } from "../../kernel/ids.ts";
import type { Database } from "../../platform/database/database.ts";
import type { Logger } from "../../platform/log.ts";
import * as repo from "./upkeep.repo.ts";

const orphanMs = 60 * 60_000;
/** Build logs of a service: so many, or of so many days, whichever is more. */
const keptLogs = 50;
const keptLogMs = 30 * 24 * 60 * 60_000;

export interface UpkeepSweeperOptions {
  readonly database: Database;
  readonly engine: Pick<Engine, "listHoldings" | "removeArtifact" | "removeJob" | "removeLog" | "removeService">;
  readonly clock: Clock;
  readonly logger: Logger;
  /** The artifacts of a service that its current release, rollbacks and deployments under way need. */
  readonly keptArtifacts: (serviceId: string) => Promise<ReadonlySet<string>>;
  /** Of these ids, those that are no services and have folders of their own all the same: jobs. */
  readonly knownSandboxes: (ids: readonly string[]) => Promise<ReadonlySet<string>>;
}

export class UpkeepSweeper {
  readonly #options: UpkeepSweeperOptions;

  constructor(options: UpkeepSweeperOptions) {
    this.#options = options;
  }

  /** `serviceId` null: everything. Of a single service only what rows say is judged, not what lost its row. */
  async sweep(serviceId: string | null): Promise<void> {
    const { database, engine, logger, knownSandboxes } = this.#options;
    const all = await engine.listHoldings(serviceId);
    const sandboxes = await knownSandboxes([...all.services, ...all.jobLogs]);
    const held = {
      ...all,
      services: all.services.filter((id) => !sandboxes.has(id)),
      artifacts: all.artifacts.filter((one) => one.serviceId === null || !sandboxes.has(one.serviceId)),
    };
    const known = await repo.knownServices(database, held.services);
    if (known.size + sandboxes.size === 0 && held.services.length > 0) {
      if (serviceId === null)
        logger.warn({ services: held.services.length }, "the database knows none of the services on this disk");
      return;
    }
    const deployments = await repo.servicesOf(database, [
      ...held.artifacts.map((one) => one.artifactId),
      ...held.buildLogs,
    ]);
    const isOrphan = (id: string) => serviceId === null && !deployments.has(id) && this.#isOld(id);
    await this.#sweepArtifacts(held, serviceId, deployments, isOrphan);
    await this.#sweepLogs(held, serviceId, deployments, isOrphan);
    if (serviceId !== null) return;
    for (const id of held.services) {
      if (known.has(id) || !this.#isOld(id)) continue;
      await this.#remove("a service without a row", id, () => engine.removeService(id));
    }
    for (const id of held.jobLogs) {
      if (sandboxes.has(id) || !this.#isOld(id)) continue;
      await this.#remove("a cron job without a row", id, () => engine.removeJob(id));
    }
  }

  async #sweepArtifacts(
    held: Holdings,
    serviceId: string | null,
    deployments: ReadonlyMap<string, string>,
    isOrphan: (id: string) => boolean,
  ): Promise<void> {
    const { engine, keptArtifacts } = this.#options;
    const kept = remembered(keptArtifacts);
    for (const { serviceId: holder, artifactId } of held.artifacts) {
      const owner = deployments.get(artifactId);
      const mine = owner !== undefined && (serviceId === null || owner === serviceId);
      const goes = mine ? !(await kept(owner)).has(artifactId) : isOrphan(artifactId);
      if (!goes) continue;
      await this.#remove("a build", artifactId, () => engine.removeArtifact(owner ?? holder, artifactId));
    }
  }

  async #sweepLogs(
    held: Holdings,
    serviceId: string | null,
    deployments: ReadonlyMap<string, string>,
    isOrphan: (id: string) => boolean,
  ): Promise<void> {
    const { database, engine, clock } = this.#options;
    const since = new Date(clock.now().getTime() - keptLogMs);
    const kept = remembered((owner: string) => repo.keptLogs(database, owner, keptLogs, since));
    for (const deploymentId of held.buildLogs) {
      const owner = deployments.get(deploymentId);
      const mine = owner !== undefined && (serviceId === null || owner === serviceId);
      const goes = mine ? !(await kept(owner)).has(deploymentId) : isOrphan(deploymentId);
      if (goes) await this.#remove("a log", deploymentId, () => engine.removeLog({ kind: "build", deploymentId }));
    }
  }

  #isOld(id: string): boolean {
    const made = timeOfId(id);
    return made !== null && this.#options.clock.now().getTime() - made.getTime() > orphanMs;
  }

  /** What can't be removed now is there at the next sweep. */
  async #remove(what: string, id: string, action: () => Promise<void>): Promise<void> {
    const { logger } = this.#options;
    await action().then(
      () => logger.info({ what, id }, "removed what is not needed any more"),
      (error: unknown) => logger.warn({ err: error, what, id }, "it could not be removed; the next sweep tries again"),
    );
  }
}

/** Asks once for each service. */
function remembered<Value>(ask: (serviceId: string) => Promise<Value>): (serviceId: string) => Promise<Value> {
  const answers = new Map<string, Promise<Value>>();
  return (serviceId) => {
    const answer = answers.get(serviceId) ?? ask(serviceId);
    answers.set(serviceId, answer);
    return answer;
  };
}
