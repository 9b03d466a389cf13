/**
 * PUSHING: what was built becomes a release. The pre-deploy command runs, static files go where the edge serves them,
 * the build folder becomes the release folder, and the environment is sealed with the deployment.
 */

import { shellLine, staticDirectory, workingDirectory } from "../../builders/build-steps.ts";
import type { BuildPlan } from "../../builders/plan.ts";
import { ArtifactError, type Engine } from "../../engines/engine.ts";
import { buildTimeoutMs } from "./build-phase.ts";
import type { DeploymentTasks } from "./deployment-tasks.ts";
import { DeploymentFailure, type HeldDeployment } from "./held-deployment.ts";

/** How many lines of a failed command its message shows. */
const tailLength = 8;

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
    const command = row.settings.preDeployCommand ?? plan.releaseCommand;
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
    const heading = `==> pre-deploy: ${command}`;
    const end = await this.#tasks.run(
      held,
      {
        name: "pre-deploy",
        heading,
        command: ["/bin/sh", "-c", shellLine(plan, command)],
        runtimes: plan.runtimes,
        env: { ...plan.startEnv, ...env },
        secrets: env,
        workdir: workingDirectory(plan),
        timeoutMs: buildTimeoutMs,
      },
      signal,
    );
    if (end.exitCode === 0) return;
    const how = end.timedOut ? "did not end in time" : `ended with ${end.signal ?? `code ${end.exitCode}`}`;
    const log = await this.#tasks.tail(held);
    const lines = log.slice(log.lastIndexOf(heading) + 1).slice(-tailLength);
    const said = lines.length === 0 ? "It printed nothing." : `Its last lines:\n${lines.join("\n")}`;
    throw new DeploymentFailure(`The pre-deploy command ${how}; what served before still serves. ${said}`);
  }
}
