/** Files to serve as they are, or as a build command of the author's leaves them. */
import { BuildPlanError } from "../plan.ts";
import { type DetectedPlan, type Inspection, staticOutput } from "./detector.ts";

/** Where sites keep their pages when not at the top. */
const usualDirectories = ["public", "dist", "build", "_site", "site", "www", "htdocs", "docs"];

export async function detectStaticSite({
  source,
  names,
  settings,
  wantsStatic,
}: Inspection): Promise<DetectedPlan | null> {
  if (settings.serviceType === "WORKER") return null;
  const { buildCommand, outputDirectory } = settings;
  let directory = outputDirectory;
  const reasons: string[] = [];
  if (directory !== null) {
    if (!wantsStatic) return null;
    if (buildCommand === null && directory !== "" && (await source.list(directory)).length === 0) {
      throw new BuildPlanError(
        `The output directory ${directory} is not in the repository, and there is no build command to make it.`,
      );
    }
    reasons.push(`outputDirectory is ${directory === "" ? "the source itself" : directory}`);
  } else if (names.has("index.html")) {
    directory = "";
    reasons.push("index.html found");
  } else {
    for (const candidate of usualDirectories) {
      if (!names.has(candidate) || !(await source.list(candidate)).includes("index.html")) continue;
      directory = candidate;
      reasons.push(`${candidate}/index.html found`);
      break;
    }
  }
  if (directory === null) {
    if (!wantsStatic) return null;
    throw new BuildPlanError(
      `There is no index.html at the top nor in ${usualDirectories.join(", ")}. Set outputDirectory to the folder that holds the pages` +
        `${buildCommand === null ? ", and buildCommand if it has to be built first" : ""}.`,
    );
  }
  return {
    stack: "static",
    framework: null,
    packageManager: null,
    reasons,
    steps: buildCommand === null ? [] : [{ name: "build", command: buildCommand }],
    start: null,
    output: staticOutput(settings, directory, false),
    startEnv: {},
  };
}
