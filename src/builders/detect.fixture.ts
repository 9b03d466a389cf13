/** Detection over a source that a test writes down as files by path. */
import type { SourceTree } from "../kernel/source-tree.ts";
import { detectBuildPlan } from "./detect.ts";
import type { BuildPlan, BuildSettings } from "./plan.ts";

export type Files = Readonly<Record<string, string | object>>;

function treeOf(files: Files): SourceTree {
  return {
    async list(directory) {
      const prefix = directory === "" ? "" : `${directory}/`;
      const below = Object.keys(files).filter((path) => path.startsWith(prefix));
      return [...new Set(below.map((path) => path.slice(prefix.length).split("/")[0] ?? ""))];
    },
    async read(path) {
      const content = files[path];
      return content === undefined ? null : typeof content === "string" ? content : JSON.stringify(content);
    },
  };
}

const defaults: BuildSettings = {
  serviceType: "WEB",
  rootDirectory: null,
  builder: "AUTO",
  buildCommand: null,
  startCommand: null,
  outputDirectory: null,
  singlePage: null,
};

export function detect(files: Files, settings: Partial<BuildSettings> = {}): Promise<BuildPlan> {
  return detectBuildPlan(treeOf(files), { ...defaults, ...settings });
}

/** What most cases are about, in one line. */
export function summary(plan: BuildPlan): string {
  const build = plan.steps.find((step) => step.name === "build")?.command ?? "";
  const serving =
    plan.output.kind === "static"
      ? `files ${plan.output.directory}${plan.output.singlePage ? " +spa" : ""}`
      : plan.start;
  return `${plan.framework ?? plan.stack} | ${build} | ${serving}`;
}
