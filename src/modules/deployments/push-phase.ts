/**
 * PUSHING: what was built becomes a release. The pre-deploy command runs, static files go where the edge serves them,
 * the build folder becomes the release folder, and the environment is sealed with the deployment.
 */

import { staticDirectory, workingDirectory } from "../../builders/build-steps.ts";
import type { BuildPlan } from "../../builders/plan.ts";
import { ArtifactError, type Engine } from "../../engines/engine.ts";
import { buildTimeoutMs } from "./build-phase.ts";
import type { DeploymentTasks } from "./deployment-tasks.ts";
import { DeploymentFailure, type HeldDeployment } from "./held-deployment.ts";

export class PushPhase {
  readonly #engine: Engine;
  readonly #tasks: DeploymentTasks;

  constructor(engine: Engine, tasks: DeploymentTasks) {
    this.#engine = engine;
    this.#tasks = tasks;
  }

  /** Throws `DeploymentFailure`. */
  async run(
    held: HeldDeployment,
    plan: BuildPlan,
    env: Readonly<Record<string, string>>,
    signal: AbortSignal,
  ): Promise<void> {
    const { row } = held;
    const command = row.settings.preDeployCommand;
    if (command !== null) await this.#preDeploy(held, plan, command, env, signal);
    await this.#engine.promote(row.serviceId, row.id);
    const directory = staticDirectory(plan);
    if (directory === null) return;
    try {
      const { files, bytes } = await this.#engine.publishStatic(row.serviceId, row.id, directory);
      await this.#tasks.say(held, `==> Published ${files} files, ${Math.ceil(bytes / 1024)} KiB`);
    } catch (error) {
      if (error instanceof ArtifactError) throw new DeploymentFailure(error.message, { cause: error });
      throw error;
    }
  }

  async #preDeploy(
    held: HeldDeployment,
    plan: BuildPlan,
    command: string,
    env: Readonly<Record<string, string>>,
    signal: AbortSignal,
  ): Promise<void> {
    const end = await this.#tasks.run(
      held,
      {
        name: "pre-deploy",
        heading: `==> pre-deploy: ${command}`,
        command: ["/bin/sh", "-c", command],
        env: { ...plan.startEnv, ...env },
        secrets: env,
        workdir: workingDirectory(plan),
        timeoutMs: buildTimeoutMs,
      },
      signal,
    );
    if (end.exitCode === 0) return;
    const how = end.timedOut ? "did not end in time" : `ended with ${end.signal ?? `code ${end.exitCode}`}`;
    throw new DeploymentFailure(
      `The pre-deploy command ${how}: the release that serves was not touched. The build log has its output.`,
    );
  }
}
