import type { SourceTree } from "../../kernel/source-tree.ts";
import type { BuildOutput, BuildPlan, BuildSettings, unasked } from "../plan.ts";

/** What a detector looks at: the source below the root directory. */
export interface Inspection {
  readonly source: SourceTree;
  /** All of the repository, and where in it `source` is. */
  readonly repository: SourceTree;
  readonly rootDirectory: string;
  /** Names at the top of `source`. */
  readonly names: ReadonlySet<string>;
  readonly settings: BuildSettings;
  /** true: files are wanted, not a process. */
  readonly wantsStatic: boolean;
  /** The Procfile's line for this type of service. */
  readonly procfileCommand: string | null;
}

/** A plan but for what `detectBuildPlan` knows itself; what most stacks do not ask for may be left out. */
export type DetectedPlan = Omit<BuildPlan, "rootDirectory" | keyof typeof unasked> &
  Partial<Pick<BuildPlan, "workspaceRoot" | "needs" | "wantedNode">>;

/** null: not this stack. Throws `BuildPlanError` when it is, but can't be built. */
export type Detector = (inspection: Inspection) => Promise<DetectedPlan | null>;

/** The command that the author gave to start the service, and where. */
export function givenStartCommand({ settings, procfileCommand }: Inspection): {
  readonly command: string;
  readonly reason: string;
} | null {
  if (settings.startCommand !== null) return { command: settings.startCommand, reason: "startCommand is set" };
  if (procfileCommand !== null) return { command: procfileCommand, reason: "Procfile names the command" };
  return null;
}

export function staticOutput(settings: BuildSettings, directory: string, singlePage: boolean): BuildOutput {
  return { kind: "static", directory, singlePage: settings.singlePage ?? singlePage };
}

/** Files that a build command leaves where the author says; null when none are wanted, or it is not said where. */
export function builtFiles({ settings, wantsStatic }: Inspection): BuildOutput | null {
  if (!wantsStatic || settings.buildCommand === null || settings.outputDirectory === null) return null;
  return staticOutput(settings, settings.outputDirectory, false);
}

/** For servers that are told in their command line where to listen; not every engine names a host. */
export const listenHost = `\${HOST:-0.0.0.0}`;
export const listenAddress = `${listenHost}:$PORT`;

/**
 * For a language's detector, where there is a package.json too: whether the application is Node's. It is unless one of
 * the `signs` is there, or its command is one of the language's programs.
 */
export function isForNode(inspection: Inspection, signs: readonly string[], programs: RegExp): boolean {
  if (!inspection.names.has("package.json")) return false;
  const given = givenStartCommand(inspection)?.command ?? "";
  return !signs.some((name) => inspection.names.has(name)) && !programs.test(given);
}
