/**
 * BUILDING: from the repository to a folder that can run. Each step is a task of the engine under a name of its own, so
 * that a process that takes the deployment over waits for the steps that run, skips those that are done and begins
 * the rest.
 */
import { fileURLToPath } from "node:url";
import type { Updateable } from "kysely";
import { buildSteps } from "../../builders/build-steps.ts";
import { detectBuildPlan } from "../../builders/detect.ts";
import { explainBuildFailure } from "../../builders/explain-build-failure.ts";
import { explainFetchFailure } from "../../builders/explain-fetch-failure.ts";
import {
  commitFile,
  fetchSourceCommand,
  fetchTimeoutMs,
  parseFetchResult,
  type SourceRequest,
  sourceDirectory,
} from "../../builders/fetch-source.ts";
import { type BuildPlan, BuildPlanError, renderBuildPlan, storedBuildPlan } from "../../builders/plan.ts";
import { parseRepositoryUrl, RepositoryUrlError } from "../../builders/repository-url.ts";
import { ArtifactError, type Engine } from "../../engines/engine.ts";
import { below } from "../../kernel/source-tree.ts";
import type { Tables } from "../../platform/database/tables.ts";
import {
  type EgressGuard,
  EgressRefusedError,
  HostNotFoundError,
  HostUnreachableError,
} from "../../platform/egress.ts";
import type { DeploymentTasks } from "./deployment-tasks.ts";
import { requireRoom } from "./disk-room.ts";
import { DeploymentFailure, type HeldDeployment } from "./held-deployment.ts";

/** Install and build together may not take longer than this. */
export const buildTimeoutMs = 20 * 60_000;
const reachTimeoutMs = 10_000;

export interface BuildPhaseOptions {
  readonly engine: Engine;
  readonly tasks: DeploymentTasks;
  readonly egress: EgressGuard;
  readonly allowLocalRepository: (path: string) => boolean;
  /** With less than this free on the disk, no build begins. */
  readonly minFreeMb: number;
}

type SourceNote = Pick<Updateable<Tables["deployments"]>, "commitSha" | "commitMessage" | "branch">;

export class BuildPhase {
  readonly #options: BuildPhaseOptions;

  constructor(options: BuildPhaseOptions) {
    this.#options = options;
  }

  /** The plan that was carried out. Throws `DeploymentFailure`. */
  async run(held: HeldDeployment, env: Readonly<Record<string, string>>, signal: AbortSignal): Promise<BuildPlan> {
    const { engine, tasks } = this.#options;
    const { row } = held;
    const prepare = async () => {
      if (held.attempt > 1 && (await tasks.status(held, "fetch")) !== null) return;
      await requireRoom(engine, this.#options.minFreeMb);
      // Whatever lies there is of an attempt that never got as far as fetching.
      await engine.prepareBuild(row.serviceId, row.id, { clear: true, clearCache: row.clearCache });
    };
    const [request] = await Promise.all([this.#locate(held, signal), prepare()]);
    const noted = held.note(await this.#fetch(held, request, signal));
    const planning = this.#plan(held, signal);
    // What was fetched is told of a deployment that fails for its plan too.
    await Promise.allSettled([noted, planning]);
    await noted;
    const plan = await planning;
    let usedMs = 0;
    for (const step of buildSteps(plan)) {
      const end = await tasks.run(
        held,
        {
          name: step.name,
          heading: `==> ${step.name}`,
          command: step.command,
          runtimes: plan.runtimes,
          env: { ...step.env, ...env },
          secrets: env,
          workdir: step.workdir,
          timeoutMs: Math.max(1, buildTimeoutMs - usedMs),
        },
        signal,
      );
      usedMs += Date.parse(end.finishedAt ?? end.startedAt) - Date.parse(end.startedAt);
      if (end.exitCode !== 0) throw new DeploymentFailure(explainBuildFailure(step.name, end, await tasks.tail(held)));
    }
    return plan;
  }

  async #fetch(held: HeldDeployment, request: SourceRequest, signal: AbortSignal): Promise<SourceNote> {
    const { engine, tasks } = this.#options;
    const { row } = held;
    const { command, env } = fetchSourceCommand(request);
    const end = await tasks.run(
      held,
      {
        name: "fetch",
        heading: `==> Fetching ${row.settings.repoUrl}`,
        command,
        runtimes: [],
        env,
        secrets: {},
        workdir: "",
        timeoutMs: fetchTimeoutMs,
        readable: request.repository.kind === "local" ? [fileURLToPath(request.repository.url)] : [],
      },
      signal,
    );
    if (end.exitCode !== 0) throw new DeploymentFailure(explainFetchFailure(end, await tasks.tail(held), request));
    const fetched = parseFetchResult((await engine.source(row.serviceId, row.id).read(commitFile)) ?? "");
    if (fetched === null)
      throw new DeploymentFailure("The source was fetched, but what was checked out could not be read. Deploy again.");
    const { commitSha, commitMessage, branch } = fetched;
    return { commitSha, commitMessage: commitMessage.slice(0, 500), branch };
  }

  /** The repository's address, judged: where git may connect to. */
  async #locate(held: HeldDeployment, signal: AbortSignal): Promise<SourceRequest> {
    const { egress, allowLocalRepository } = this.#options;
    const { settings, branch, requestedCommitSha: commitSha } = held.row;
    try {
      const repository = parseRepositoryUrl(settings.repoUrl, { allowLocal: allowLocalRepository });
      const address =
        repository.kind === "local"
          ? null
          : (await egress.reach(repository.host, repository.port, reachTimeoutMs, signal)).address;
      return { repository, address, branch, branchAssumed: settings.branchIsDefault, commitSha };
    } catch (error) {
      if (
        error instanceof RepositoryUrlError ||
        error instanceof EgressRefusedError ||
        error instanceof HostNotFoundError ||
        error instanceof HostUnreachableError
      ) {
        throw new DeploymentFailure(error.message, { cause: error });
      }
      throw error;
    }
  }

  async #plan(held: HeldDeployment, signal: AbortSignal): Promise<BuildPlan> {
    const { engine, tasks } = this.#options;
    const { row } = held;
    const { settings } = row;
    if (row.buildPlan !== null) return storedBuildPlan(row.buildPlan);
    try {
      const found = await detectBuildPlan(below(engine.source(row.serviceId, row.id), sourceDirectory), {
        serviceType: settings.type,
        rootDirectory: settings.rootDirectory,
        builder: settings.builder,
        buildCommand: settings.buildCommand,
        startCommand: settings.startCommand,
        outputDirectory: settings.outputDirectory,
        singlePage: settings.singlePage,
      });
      // Kept with the plan: restarts and rollbacks run on what was built for.
      const plan = { ...found, runtimes: await this.#runtimes(found, signal) };
      await held.note({ buildPlan: JSON.stringify(plan) });
      await tasks.say(held, ...renderBuildPlan(plan));
      return plan;
    } catch (error) {
      if (error instanceof BuildPlanError) throw new DeploymentFailure(error.message, { cause: error });
      throw error;
    }
  }

  async #runtimes(plan: BuildPlan, signal: AbortSignal): Promise<readonly string[]> {
    const wanted = plan.wantedNode;
    if (wanted === null) return [];
    const { range } = wanted;
    try {
      const { version } = await this.#options.engine.ensureRuntime({ name: "node", range }, signal);
      return [`node-${version}`];
    } catch (error) {
      signal.throwIfAborted();
      if (!(error instanceof ArtifactError)) throw error;
      throw new DeploymentFailure(`${wanted.file} asks for Node ${range}. ${error.message}`, { cause: error });
    }
  }
}
