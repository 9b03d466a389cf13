/** From a build plan to what an engine runs: the commands of its steps, and where the result is. */
import { buildScript, installScript } from "./build-scripts.ts";
import { sourceDirectory } from "./fetch-source.ts";
import type { BuildPlan, PackageManager } from "./plan.ts";

export interface BuildStep {
  readonly name: "install" | "build";
  /** The program and its arguments. */
  readonly command: readonly string[];
  /** Relative to the build folder. */
  readonly workdir: string;
  /** The service's own variables win over it. */
  readonly env: Readonly<Record<string, string>>;
}

export function buildSteps(plan: BuildPlan): readonly BuildStep[] {
  const tool = plan.packageManager === null ? "" : packageOf(plan.packageManager);
  const workdir = workingDirectory(plan);
  // Husky sets up git hooks when packages are installed; there is no repository any more.
  const env = { CI: "true", HUSKY: "0", npm_config_update_notifier: "false" };
  return plan.steps.map((step) =>
    step.name === "install"
      ? {
          name: step.name,
          command: ["sh", "-c", installScript, step.name, tool, step.command, ...(step.keyFiles ?? [])],
          workdir,
          env,
        }
      : {
          name: step.name,
          command: ["sh", "-c", buildScript, step.name, tool, step.command],
          workdir,
          env: plan.stack === "node" ? { ...env, NODE_ENV: "production" } : env,
        },
  );
}

/** Where steps and start commands run, relative to the build folder and so to the release folder. */
export function workingDirectory(plan: BuildPlan): string {
  return [sourceDirectory, plan.rootDirectory].filter((part) => part !== "").join("/");
}

/** The folder of the files to serve, relative to the build or release folder; null when a process serves. */
export function staticDirectory(plan: BuildPlan): string | null {
  if (plan.output.kind !== "static") return null;
  return [workingDirectory(plan), plan.output.directory].filter((part) => part !== "").join("/");
}

/** One program and its arguments: nothing that only a shell could do. */
const simple =
  /^(?!(?:if|while|until|for|case|cd|exec|export|set|unset|source|eval|trap|ulimit|umask|test)\s|[.:{[!]\s)[^;&|<>()`#\n]+$/;

/**
 * The shell line that starts the plan's process in its working directory; null when there is none. A single program
 * takes the shell's place, so that signals reach it and no shell stays in memory.
 */
export function startCommand(plan: BuildPlan): string | null {
  if (plan.start === null) return null;
  const path = plan.stack === "node" ? 'export PATH="$PWD/node_modules/.bin:$PATH"; ' : "";
  if (!simple.test(plan.start)) return path + plan.start;
  return `${path}exec ${/^[A-Za-z_]\w*=/.test(plan.start) ? "env " : ""}${plan.start}`;
}

function packageOf({ name, version }: PackageManager): string {
  if (version === null) return "";
  return `${name === "yarn-berry" ? "@yarnpkg/cli-dist" : name}@${version}`;
}
