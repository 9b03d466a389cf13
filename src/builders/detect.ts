/**
 * From a source to a build plan: which stack it is, how to install, build and start it, or which files to serve.
 *
 * Everything here reads the source through a `SourceTree` and runs nothing: the plan is plain data, made of shell lines
 * that run later as tasks of the service, shut in with the service's own rights. A stack is a `Detector`
 * in `stacks/`; the first that recognises the source makes the plan.
 *
 * What a hostile tenant would try: a root or output directory with `..` (refused), files of megabytes (not read), a
 * package.json that is no object (a sentence, never a crash). The commands are the tenant's own to choose.
 */
import type { SourceTree } from "../kernel/source-tree.ts";
import { type BuildPlan, BuildPlanError, type BuildSettings } from "./plan.ts";
import { detectCommand } from "./stacks/command.ts";
import type { Detector } from "./stacks/detector.ts";
import { detectNode } from "./stacks/node.ts";
import { detectStaticSite } from "./stacks/static-site.ts";

const detectors: readonly Detector[] = [detectNode, detectCommand, detectStaticSite];

/** `tree` is the checked-out source itself, not the build folder around it (`below(tree, sourceDirectory)`). */
export async function detectBuildPlan(tree: SourceTree, settings: BuildSettings): Promise<BuildPlan> {
  if (settings.builder === "DOCKERFILE") {
    throw new BuildPlanError(
      "Building from a Dockerfile needs the docker engine, and this machine has the local one. Set builder to AUTO.",
    );
  }
  const rootDirectory = relativeDirectory("rootDirectory", settings.rootDirectory);
  const outputDirectory =
    settings.outputDirectory === null ? null : relativeDirectory("outputDirectory", settings.outputDirectory);
  const source = below(tree, rootDirectory);
  const names = new Set(await source.list(""));
  if (names.size === 0) {
    const top = (await tree.list("")).slice(0, 10).join(", ");
    throw new BuildPlanError(
      rootDirectory === ""
        ? "The repository holds no files. Push some, then deploy again."
        : `There is no folder ${rootDirectory} in the repository. At its top it has: ${top}. Correct rootDirectory.`,
    );
  }
  const inspection = {
    source,
    names,
    settings: {
      ...settings,
      outputDirectory,
      buildCommand: given(settings.buildCommand),
      startCommand: given(settings.startCommand),
    },
    wantsStatic: settings.serviceType === "STATIC" || settings.builder === "STATIC",
    procfileCommand: procfileCommand((await source.read("Procfile")) ?? "", settings.serviceType),
  };
  for (const detect of detectors) {
    const plan = await detect(inspection);
    if (plan === null) continue;
    if (settings.serviceType === "WORKER" && plan.output.kind === "static") {
      throw new BuildPlanError(
        "A worker runs a process, and this source only leaves files. Set startCommand, or make the service's type STATIC.",
      );
    }
    return { ...plan, rootDirectory };
  }
  if (names.has("Dockerfile")) {
    throw new BuildPlanError(
      "The repository is built by its Dockerfile, which needs the docker engine; this machine has the local one. Set startCommand (and buildCommand) to run it without.",
    );
  }
  throw new BuildPlanError(
    `Ksar does not recognise what is in ${rootDirectory === "" ? "the repository" : rootDirectory}: it looked for package.json, Procfile and index.html. ` +
      "Set startCommand, or rootDirectory if the application is in a folder below.",
  );
}

/** The part of a tree below one of its folders. */
export function below(tree: SourceTree, directory: string): SourceTree {
  const path = (name: string) => [directory, name].filter((part) => part !== "").join("/");
  return { list: (name) => tree.list(path(name)), read: (name) => tree.read(path(name)) };
}

function given(command: string | null): string | null {
  return command === null || command.trim() === "" ? null : command.trim();
}

function relativeDirectory(setting: string, text: string | null): string {
  const parts = (text ?? "").split("/").filter((part) => part !== "" && part !== ".");
  if (parts.includes("..") || /[\0\\]/.test(text ?? "")) {
    throw new BuildPlanError(`${setting} leads out of the repository. Give a folder inside it, such as apps/web.`);
  }
  return parts.join("/");
}

function procfileCommand(text: string, type: BuildSettings["serviceType"]): string | null {
  const wanted = type === "WORKER" ? "worker" : "web";
  for (const line of text.split(/\r?\n/)) {
    const match = /^([\w-]+):\s*(\S.*?)\s*$/.exec(line);
    if (match?.[1] === wanted && match[2] !== undefined) return match[2];
  }
  return null;
}
