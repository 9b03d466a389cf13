/** How a source becomes something that runs: plain data, stored with the deployment and printed at the head of its log. */

export interface BuildSettings {
  readonly serviceType: "WEB" | "WORKER" | "STATIC";
  /** Below the repository's root; the root itself when empty. */
  readonly rootDirectory: string | null;
  readonly builder: "AUTO" | "DOCKERFILE" | "STATIC";
  readonly buildCommand: string | null;
  readonly startCommand: string | null;
  readonly outputDirectory: string | null;
  /** null: as the framework suggests. */
  readonly singlePage: boolean | null;
}

export type PackageManagerName = "npm" | "pnpm" | "yarn" | "yarn-berry";

export interface PackageManager {
  readonly name: PackageManagerName;
  /** The version to bring along; null for npm, which comes with Node. */
  readonly version: string | null;
  readonly lockfile: string | null;
}

/** Programs that only some machines have. */
export type Program = "python3" | "go" | "ruby" | "bundle" | "php" | "composer";

/** A version of Node that the source asks for, and which of its files does. */
export interface WantedNode {
  readonly range: string;
  readonly file: string;
}

export type BuildPlanStep =
  | {
      readonly name: "install";
      /** A shell line. */
      readonly command: string;
      /** Files that decide what is installed: while they stay the same it is kept. null: it can't be kept. */
      readonly keyFiles: readonly string[] | null;
    }
  | { readonly name: "build"; readonly command: string };

export type BuildOutput =
  | { readonly kind: "process" }
  /** `directory` is relative to the root directory; empty when it is that itself. */
  | { readonly kind: "static"; readonly directory: string; readonly singlePage: boolean };

export interface BuildPlan {
  readonly stack: "node" | "python" | "go" | "ruby" | "php" | "command" | "static";
  readonly framework: string | null;
  readonly packageManager: PackageManager | null;
  /** Below the repository's root, without leading or trailing `/`; empty for the root. */
  readonly rootDirectory: string;
  /** The folder of the repository, likewise, where the packages of this one are installed too; null: it stands alone. */
  readonly workspaceRoot: string | null;
  /** What the machine has to have; the first step looks. */
  readonly needs: readonly Program[];
  readonly wantedNode: WantedNode | null;
  /** What the engine got for it (`node-22.23.3`): the same for each start of what is built now. */
  readonly runtimes: readonly string[];
  /** What was found, and what follows from it. */
  readonly reasons: readonly string[];
  readonly steps: readonly BuildPlanStep[];
  /** A shell line; null when the output is static. */
  readonly start: string | null;
  /** A shell line to run before each new release, from the Procfile; null: none. */
  readonly releaseCommand: string | null;
  readonly output: BuildOutput;
  /** For the started process; the service's own variables win over it. */
  readonly startEnv: Readonly<Record<string, string>>;
}

/** What a plan holds that asks for nothing out of the ordinary. */
export const unasked = {
  workspaceRoot: null,
  needs: [],
  wantedNode: null,
  runtimes: [],
  releaseCommand: null,
} as const;

/** Nothing can be built; the message says what was looked for and what to do. */
export class BuildPlanError extends Error {
  override readonly name = "BuildPlanError";
}

const stackNames = {
  node: "Node.js",
  python: "Python",
  go: "Go",
  ruby: "Ruby",
  php: "PHP",
  command: "Commands of the service",
  static: "Static files",
};

export interface PlanInWords {
  /** The stack, and its framework where there is one. */
  readonly found: string;
  /** What was found, and what follows from it. */
  readonly reasons: string[];
  /** What is done, in order, and what runs in the end. */
  readonly steps: { readonly name: string; readonly value: string }[];
}

export function planInWords(plan: BuildPlan): PlanInWords {
  const steps: PlanInWords["steps"] = [];
  const add = (name: string, value: string) => steps.push({ name, value });
  if (plan.rootDirectory !== "") add("folder", plan.rootDirectory);
  if (plan.runtimes.length > 0) add("runs on", plan.runtimes.join(", "));
  for (const step of plan.steps) add(step.name, step.command);
  if (plan.releaseCommand !== null) add("release", plan.releaseCommand);
  if (plan.start !== null) add("start", plan.start);
  if (plan.output.kind === "static") {
    const fallback = plan.output.singlePage ? ", index.html for every unknown path" : "";
    add("serve", `the files in ${plan.output.directory === "" ? "the source" : plan.output.directory}${fallback}`);
  }
  return {
    found: `${stackNames[plan.stack]}${plan.framework === null ? "" : `, ${plan.framework}`}`,
    reasons: [...plan.reasons],
    steps,
  };
}

/** For the head of the build log. */
export function renderBuildPlan(plan: BuildPlan): readonly string[] {
  const { found, reasons, steps } = planInWords(plan);
  return [
    `==> Build plan: ${found}`,
    ...reasons.map((reason) => `    ${reason}`),
    ...steps.map(({ name, value }) => `    ${`${name}:`.padEnd(9)}${value}`),
  ];
}

/** The plan that a deployment's row holds. Throws when it holds none. */
export function storedBuildPlan(stored: unknown): BuildPlan {
  if (typeof stored !== "object" || stored === null || !("steps" in stored)) throw new Error("there is no build plan");
  // The column is only ever written from a `BuildPlan`; older versions of Ksar knew fewer of its fields.
  return { ...unasked, ...(stored as BuildPlan) };
}
