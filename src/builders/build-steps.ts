/** From a build plan to what an engine runs: the commands of its steps, and where the result is. */
import { needsOf, scripts } from "./build-scripts.ts";
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
  const needs = needsOf(plan.needs);
  const tool = plan.stack === "node" ? [packageOf(plan.packageManager)] : [];
  // Husky sets up git hooks when packages are installed; there is no repository any more.
  const env = { CI: "true", HUSKY: "0", npm_config_update_notifier: "false" };
  return plan.steps.map((step) => {
    if (step.name === "build") {
      const script = (plan.stack === "node" ? scripts.nodeBuild : scripts.build)(pathLine(plan));
      return {
        name: step.name,
        command: ["sh", "-c", script, step.name, step.command, needs, ...tool],
        workdir: workingDirectory(plan),
        env: { ...env, ...buildEnv(plan) },
      };
    }
    const { script, folder, version } = installation(plan.stack);
    const when = keepStep(plan) === null ? "now" : "later";
    const keyFiles = step.keyFiles ?? [];
    return {
      name: step.name,
      command: ["sh", "-c", script, step.name, step.command, needs, ...tool, folder, version, when, ...keyFiles],
      workdir: installDirectory(plan),
      // In production Node's package managers leave out what builds need.
      env: plan.stack === "node" ? env : { ...env, ...buildEnv(plan) },
    };
  });
}

/**
 * Keeps what was installed for the next build; runs in the release folder once the release is live, when nobody waits for
 * it any more. null where there is nothing to keep, or the installation has kept it already: a step behind it may change it.
 */
export function keepStep(plan: BuildPlan): Pick<BuildStep, "command" | "workdir"> | null {
  const last = plan.steps.at(-1);
  if (last?.name !== "install" || (last.keyFiles ?? []).length === 0) return null;
  const { folder } = installation(plan.stack);
  const command = ["sh", "-c", scripts.keepInstalled, "keep", folder];
  return { command, workdir: installDirectory(plan) };
}

/**
 * The program's path, size and time: starting Node to ask for its version takes as long as finding the cache. Not the
 * number of its links, which is the business of whoever links to it.
 */
const nodeIdentity = `node=$(command -v node) && set -- $(ls -lnL "$node") && echo "$node $5 $6 $7 $8"`;

/** The folder that holds a stack's packages, and what tells the language's version. */
function installation(stack: BuildPlan["stack"]): {
  readonly script: string;
  readonly folder: string;
  readonly version: string;
} {
  switch (stack) {
    case "node":
      return { script: scripts.nodeInstall, folder: "node_modules", version: nodeIdentity };
    case "python":
      return { script: scripts.pythonInstall, folder: ".venv", version: "python3 --version" };
    case "ruby":
      return { script: scripts.install, folder: "vendor/bundle", version: "ruby --version" };
    case "php":
      return { script: scripts.install, folder: "vendor", version: "php --version" };
    default:
      throw new Error(`nothing is installed for the stack ${stack}`);
  }
}

function buildEnv({ stack, startEnv }: BuildPlan): Readonly<Record<string, string>> {
  return stack === "node" ? { NODE_ENV: "production" } : startEnv;
}

/** Where steps and start commands run, relative to the build folder and so to the release folder. */
export function workingDirectory(plan: BuildPlan): string {
  return joined(sourceDirectory, plan.rootDirectory);
}

function installDirectory(plan: BuildPlan): string {
  return joined(sourceDirectory, plan.workspaceRoot ?? plan.rootDirectory);
}

/** The folder of the files to serve, relative to the build or release folder; null when a process serves. */
export function staticDirectory(plan: BuildPlan): string | null {
  if (plan.output.kind !== "static") return null;
  return joined(workingDirectory(plan), plan.output.directory);
}

/** A shell line of the author's as it runs in the working directory: with the programs that were installed. */
export function shellLine(plan: BuildPlan, line: string): string {
  return pathLine(plan) + line;
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
  if (!simple.test(plan.start)) return shellLine(plan, plan.start);
  return shellLine(plan, `exec ${/^[A-Za-z_]\w*=/.test(plan.start) ? "env " : ""}${plan.start}`);
}

/** Puts what was installed on the PATH. By the working directory: a release lies elsewhere than its build did. */
function pathLine({ stack, rootDirectory, workspaceRoot, steps }: BuildPlan): string {
  const path = (...folders: readonly string[]) => `PATH="${folders.map((folder) => `$PWD/${folder}:`).join("")}$PATH"`;
  switch (stack) {
    case "node": {
      if (workspaceRoot === null) return `export ${path("node_modules/.bin")}; `;
      const depth = rootDirectory.split("/").length - (workspaceRoot === "" ? 0 : workspaceRoot.split("/").length);
      return `export ${path("node_modules/.bin", `${"../".repeat(depth)}node_modules/.bin`)}; `;
    }
    case "python":
      return steps.some((step) => step.name === "install")
        ? `export VIRTUAL_ENV="$PWD/.venv" ${path(".venv/bin")}; `
        : "";
    case "php":
      return `export ${path("vendor/bin")}; `;
    default:
      return "";
  }
}

function packageOf(manager: PackageManager | null): string {
  if (manager === null || manager.version === null) return "";
  const { name, version } = manager;
  return `${name === "yarn-berry" ? "@yarnpkg/cli-dist" : name}@${version}`;
}

function joined(...parts: readonly string[]): string {
  return parts.filter((part) => part !== "").join("/");
}
