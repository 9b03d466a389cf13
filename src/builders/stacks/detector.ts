import type { SourceTree } from "../../kernel/source-tree.ts";
import type { BuildOutput, BuildPlan, BuildSettings } from "../plan.ts";

/** What a detector looks at: the source below the root directory. */
export interface Inspection {
  readonly source: SourceTree;
  /** Names at the top of `source`. */
  readonly names: ReadonlySet<string>;
  readonly settings: BuildSettings;
  /** true: files are wanted, not a process. */
  readonly wantsStatic: boolean;
  /** The Procfile's line for this type of service. */
  readonly procfileCommand: string | null;
}

/** A plan but for what `detectBuildPlan` knows itself. */
export type DetectedPlan = Omit<BuildPlan, "rootDirectory">;

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
