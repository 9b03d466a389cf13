/**
 * Deployments, as callers see them: what may be asked of them, and the rows that the worker then moves.
 *
 *   (new) → QUEUED → BUILDING → PUSHING → DEPLOYING → LIVE
 *   QUEUED → CANCELLED (cancelled, or a newer one took its place)
 *   BUILDING, PUSHING, DEPLOYING → FAILED | CANCELLED
 *
 * A release is a build and the environment and settings it runs with. `restart` makes one of the build that serves with
 * today's settings and environment; `rollback` one of an earlier build with the settings it had and today's environment.
 */

import { GitRefError, parseBranch } from "../../builders/git-ref.ts";
import { planInWords, storedBuildPlan } from "../../builders/plan.ts";
import type { Clock } from "../../kernel/clock.ts";
import { decodeCursor, type Page, pageOf } from "../../kernel/cursor.ts";
import { DomainError, invalidBody, notFound } from "../../kernel/errors.ts";
import { newId } from "../../kernel/ids.ts";
import type { Caller } from "../../operation/caller.ts";
import type { Database, Executor } from "../../platform/database/database.ts";
import { addJob } from "../../platform/queue.ts";
import type { ServicesService } from "../services/services.service.ts";
import type { EventOutbox } from "../webhooks/event-outbox.ts";
import { settingsOf } from "./deployment-settings.ts";
import * as repo from "./deployments.repo.ts";
import type { Deployment, DeploymentDetails, DeploymentTrigger, DeployRequest } from "./deployments.schema.ts";

/** Releases whose builds are kept, the one that serves included. */
const keptReleases = 5;

/** Throws `plan_restricted` when the account has used up its build minutes. */
export type MayBuild = (executor: Executor, accountId: string) => Promise<void>;

export const driveTask = "deployments.drive";

export interface DeploymentsOptions {
  readonly database: Database;
  readonly services: ServicesService;
  readonly clock: Clock;
  readonly events: Pick<EventOutbox, "record">;
  readonly mayBuild: MayBuild;
}

export class DeploymentsService {
  readonly #database: Database;
  readonly #services: ServicesService;
  readonly #clock: Clock;
  readonly #events: Pick<EventOutbox, "record">;
  readonly #mayBuild: MayBuild;

  constructor({ database, services, clock, events, mayBuild }: DeploymentsOptions) {
    this.#database = database;
    this.#services = services;
    this.#clock = clock;
    this.#events = events;
    this.#mayBuild = mayBuild;
  }

  async deploy(transaction: Executor, caller: Caller, serviceId: string, request: DeployRequest): Promise<string> {
    try {
      if (request.branch !== undefined) parseBranch(request.branch);
    } catch (error) {
      if (error instanceof GitRefError) throw invalidBody("/branch", error.message, "git_ref");
      throw error;
    }
    await this.#mayBuild(transaction, caller.accountId);
    return this.#add(transaction, caller, serviceId, triggerOf(caller), async (service, id) => ({
      artifactId: id,
      branch: request.branch ?? service.branch,
      settings: JSON.stringify({
        ...settingsOf(service),
        branchIsDefault: service.branchIsDefault && request.branch === undefined,
      }),
      requestedCommitSha: request.commitSha ?? null,
      clearCache: request.clearCache ?? false,
    }));
  }

  async restart(transaction: Executor, caller: Caller, serviceId: string): Promise<string> {
    return this.#add(transaction, caller, serviceId, triggerOf(caller), async (service) => {
      const current =
        service.currentDeploymentId === null
          ? undefined
          : await repo.findDetails(transaction, caller.accountId, service.currentDeploymentId);
      if (current === undefined) {
        throw new DomainError("service_not_deployed", "The service has no release to restart: deploy it first.");
      }
      return { ...reuse(current), settings: JSON.stringify(settingsOf(service)) };
    });
  }

  async rollback(transaction: Executor, caller: Caller, serviceId: string, deploymentId: string): Promise<string> {
    return this.#add(transaction, caller, serviceId, "ROLLBACK", async () => {
      const target = await repo.findDetails(transaction, caller.accountId, deploymentId);
      if (target === undefined || target.serviceId !== serviceId) throw notFound("deployment of this service");
      const kept = await repo.keptArtifacts(transaction, serviceId, keptReleases);
      if (target.status !== "LIVE") {
        throw new DomainError(
          "deployment_not_reusable",
          `Only a deployment that was live can be rolled back to; this one is ${target.status}.`,
        );
      }
      if (!kept.has(target.artifactId)) {
        throw new DomainError(
          "deployment_not_reusable",
          `The build of that deployment is gone: the last ${keptReleases} releases of a service are kept. Deploy its commit anew${target.commitSha === null ? "" : ` (commitSha ${target.commitSha})`}.`,
        );
      }
      return { ...reuse(target), settings: JSON.stringify(target.settings) };
    });
  }

  /** The artifacts of a service that must stay on disk. */
  keptArtifacts(serviceId: string): Promise<ReadonlySet<string>> {
    return repo.keptArtifacts(this.#database, serviceId, keptReleases);
  }

  async cancel(transaction: Executor, caller: Caller, id: string): Promise<void> {
    const status = await repo.requestCancel(transaction, caller.accountId, id, this.#clock.now());
    if (status === undefined) throw notFound("deployment");
    if (["LIVE", "FAILED", "CANCELLED", "SKIPPED"].includes(status)) {
      throw new DomainError(
        "deployment_finished",
        `The deployment has ended already (${status}): there is nothing to cancel.`,
      );
    }
  }

  async get(caller: Caller, id: string): Promise<DeploymentDetails> {
    const row = await repo.findDetails(this.#database, caller.accountId, id);
    if (row === undefined) throw notFound("deployment");
    return {
      ...present(row),
      serviceId: row.serviceId,
      trigger: row.trigger,
      isCurrent: row.currentDeploymentId === row.id,
      startedAt: row.startedAt?.toISOString() ?? null,
      buildSeconds: row.buildSeconds,
      buildPlan: row.buildPlan === null ? null : planInWords(storedBuildPlan(row.buildPlan)),
      diagnosis: null,
    };
  }

  async list(caller: Caller, serviceId: string, limit: number, cursor: string | undefined): Promise<Page<Deployment>> {
    const after = cursor === undefined ? null : decodeCursor(cursor);
    await this.#services.row(caller, serviceId);
    return pageOf(
      await repo.listDeployments(this.#database, caller.accountId, serviceId, limit + 1, after),
      limit,
      present,
    );
  }

  async #add(
    transaction: Executor,
    caller: Caller,
    serviceId: string,
    trigger: DeploymentTrigger,
    compose: (
      service: NonNullable<Awaited<ReturnType<typeof repo.lockService>>>,
      id: string,
    ) => Promise<
      Pick<
        Parameters<typeof repo.insertDeployment>[1],
        | "artifactId"
        | "branch"
        | "settings"
        | "commitSha"
        | "commitMessage"
        | "buildPlan"
        | "requestedCommitSha"
        | "clearCache"
      >
    >,
  ): Promise<string> {
    const service = await repo.lockService(transaction, caller.accountId, serviceId);
    if (service === undefined) throw notFound("service");
    const id = newId();
    const composed = await compose(service, id);
    await repo.cancelQueued(
      transaction,
      serviceId,
      "A newer deployment of the service took its place.",
      this.#clock.now(),
    );
    // Whoever deploys a stopped service wants it to run.
    await repo.setRunning(transaction, serviceId);
    await repo.insertDeployment(transaction, {
      id,
      accountId: caller.accountId,
      serviceId,
      trigger,
      createdAt: this.#clock.now(),
      ...composed,
    });
    await addJob(transaction, driveTask, { deploymentId: id }, { key: `${driveTask}/${id}` });
    // Every way to begin one, a restart and a rollback too: each is a deployment of its own, with an id that callers follow.
    await this.#events.record(transaction, caller.accountId, {
      name: "DEPLOYMENT_CREATED",
      data: {
        deploymentId: id,
        serviceId,
        projectId: service.projectId,
        status: "QUEUED",
        trigger,
        branch: composed.branch,
        commitSha: composed.commitSha ?? composed.requestedCommitSha ?? null,
      },
    });
    return id;
  }
}

function triggerOf(caller: Caller): DeploymentTrigger {
  return caller.surface === "DASHBOARD" ? "MANUAL" : "API";
}

/** What a deployment without a build of its own takes over from the one whose build it runs. */
function reuse(source: repo.DetailsRow) {
  return {
    artifactId: source.artifactId,
    branch: source.branch,
    commitSha: source.commitSha,
    commitMessage: source.commitMessage,
    buildPlan: source.buildPlan === null ? null : JSON.stringify(source.buildPlan),
  };
}

function present(row: repo.DetailsRow): Deployment {
  return {
    id: row.id,
    status: row.status,
    commitSha: row.commitSha,
    commitMessage: row.commitMessage,
    errorMessage: row.errorMessage,
    createdAt: row.createdAt.toISOString(),
    finishedAt: row.finishedAt?.toISOString() ?? null,
  };
}
