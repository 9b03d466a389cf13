/**
 * From a source to a build plan: which stack it is, how to install, build and start it, or which files to serve.
 *
 * Everything here reads the source through a `SourceTree` and runs nothing: the plan is plain data, made of shell lines
 * that run later as tasks of the service, shut in with the service's own rights. A stack is a `Detector`
 * in `stacks/`; the first that recognises the source makes the plan.
 *
 * What a hostile tenant would try: a root or output directory with `..` (refused), files of megabytes (not read), a
 * package.json that is no object (a sentence, never a crash), text on which a pattern takes minutes (each is linear, or
 * bounded). The commands are the tenant's own to choose.
 */
import { below, type SourceTree } from "../kernel/source-tree.ts";
import { type BuildPlan, BuildPlanError, type BuildSettings, unasked } from "./plan.ts";
import { detectCommand } from "./stacks/command.ts";
import type { Detector } from "./stacks/detector.ts";
import { detectGo } from "./stacks/go.ts";
import { detectNode } from "./stacks/node.ts";
import { detectPhp } from "./stacks/php.ts";
import { detectPython } from "./stacks/python.ts";
import { detectRuby } from "./stacks/ruby.ts";
import { detectStaticSite } from "./stacks/static-site.ts";

/** Applications in other languages often have a package.json for what browsers get: they come first, and look. */
const detectors: readonly Detector[] = [
  detectRuby,
  detectPhp,
  detectPython,
  detectGo,
  detectNode,
  detectCommand,
  detectStaticSite,
];

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
  const procfile = parseProcfile((await source.read("Procfile")) ?? "");
  const inspection = {
    source,
    repository: tree,
    rootDirectory,
    names,
    settings: {
      ...settings,
      outputDirectory,
      buildCommand: given(settings.buildCommand),
      startCommand: given(settings.startCommand),
    },
    wantsStatic: settings.serviceType === "STATIC" || settings.builder === "STATIC",
    procfileCommand: procfile.get(settings.serviceType === "WORKER" ? "worker" : "web") ?? null,
  };
  for (const detect of detectors) {
    const plan = await detect(inspection);
    if (plan === null) continue;
    if (settings.serviceType === "WORKER" && plan.output.kind === "static") {
      throw new BuildPlanError(
        "A worker runs a process, and this source only leaves files. Set startCommand, or make the service's type STATIC.",
      );
    }
    const releaseCommand = plan.output.kind === "process" ? (procfile.get("release") ?? null) : null;
    return { ...unasked, ...plan, rootDirectory, releaseCommand };
  }
  if (names.has("Dockerfile")) {
    throw new BuildPlanError(
      "The repository is built by its Dockerfile, which needs the docker engine; this machine has the local one. Set startCommand (and buildCommand) to run it without.",
    );
  }
  throw new BuildPlanError(
    `Ksar does not recognise what is in ${rootDirectory === "" ? "the repository" : rootDirectory}: it looked for package.json, requirements.txt, pyproject.toml, go.mod, Gemfile, composer.json, Procfile and index.html. ` +
      "Set startCommand, or rootDirectory if the application is in a folder below.",
  );
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

/** `web: node server.js`: the first line of a name counts. */
function parseProcfile(text: string): ReadonlyMap<string, string> {
  const commands = new Map<string, string>();
  for (const line of text.split("\n")) {
    const [, name, command] = /^([\w-]+):[ \t]*(\S.*)$/.exec(line.trimEnd()) ?? [];
    if (name !== undefined && command !== undefined && !commands.has(name)) commands.set(name, command);
  }
  return commands;
}
