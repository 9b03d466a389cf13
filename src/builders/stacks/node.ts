/** Node.js: package.json says what to install, build and start. */
import { BuildPlanError, type BuildPlanStep } from "../plan.ts";
import { type DetectedPlan, givenStartCommand, type Inspection, staticOutput } from "./detector.ts";
import { type Framework, frameworks, isDevelopmentServer, type Project, type Serving } from "./node-frameworks.ts";
import { parsePackage, scriptLine } from "./node-package.ts";
import { findWantedNode } from "./node-version.ts";
import { findWorkspace } from "./node-workspace.ts";
import { choosePackageManager, installStep } from "./package-manager.ts";

/** Where a server's code usually is, when package.json does not say. */
const usualServers = ["server.js", "server.mjs", "index.js", "index.mjs", "app.js", "app.mjs", "main.js", "worker.js"];

/** A build command of the author's that installs by itself. */
const installs = /\b(npm (ci|install|i)\b|yarn( install)?( -|$| &&|;)|pnpm (install|i)\b)/;

type ReasonedServing = Serving & { readonly reason: string };

export async function detectNode(inspection: Inspection): Promise<DetectedPlan | null> {
  const { source, names, settings } = inspection;
  if (!names.has("package.json")) return null;
  const text = await source.read("package.json");
  if (text === null) throw new BuildPlanError("package.json is not a file, or is larger than 1 MiB.");
  const project: Project = { ...inspection, pack: parsePackage(text) };
  const { pack } = project;
  const workspace = await findWorkspace(inspection);
  const framework = frameworks.find((candidate) => pack.dependencies[candidate.package] !== undefined) ?? null;
  const { manager, reasons: managerReasons } = await choosePackageManager(
    workspace ?? inspection,
    workspace?.pack ?? pack,
  );

  const runner = manager.name === "yarn-berry" ? "yarn" : manager.name;
  const script = pack.scripts.build === undefined ? null : `${runner} run build`;
  const build = settings.buildCommand ?? script ?? framework?.build ?? null;
  const serving = project.wantsStatic
    ? await chooseFiles(project, framework, build !== null)
    : await chooseServing(project, framework);
  if (serving === null) return null;

  const reasons = ["package.json found", ...managerReasons];
  if (workspace !== null)
    reasons.push(`installed with the workspace in ${workspace.directory || "the repository's root"}`);
  const wantedNode = await findWantedNode(inspection, pack, workspace);
  if (wantedNode !== null) reasons.push(`${wantedNode.file} asks for Node ${wantedNode.range}`);
  const steps: BuildPlanStep[] = [];
  const install = await installStep(workspace ?? inspection, workspace?.pack ?? pack, manager);
  if (install === null) {
    reasons.push("no dependencies to install");
  } else if (settings.buildCommand !== null && installs.test(settings.buildCommand)) {
    reasons.push("buildCommand installs by itself");
  } else {
    reasons.push(...install.reasons);
    steps.push(install.step);
  }
  if (build !== null) steps.push({ name: "build", command: build });
  reasons.push(serving.reason);

  const plan = {
    stack: "node",
    framework: framework?.name ?? null,
    packageManager: manager,
    workspaceRoot: workspace?.directory ?? null,
    wantedNode,
    reasons,
    steps,
  } as const;
  if (serving.kind === "process") {
    const startEnv = { NODE_ENV: "production", ...serving.env };
    return { ...plan, start: serving.start, output: { kind: "process" }, startEnv };
  }
  const output = staticOutput(settings, serving.directory, framework?.singlePage ?? false);
  return { ...plan, start: null, output, startEnv: {} };
}

/** null: no Node application after all, but a static site that has a package.json. */
async function chooseServing(project: Project, framework: Framework | null): Promise<ReasonedServing | null> {
  const { settings, pack, names } = project;
  const worker = settings.serviceType === "WORKER";
  const given = givenStartCommand(project);
  if (given !== null) return process(given.command, given.reason);

  const starts = [...(worker ? ["worker"] : []), "start", "start:prod", "start:production"];
  let ignored = "";
  for (const name of starts) {
    const line = scriptLine(pack.scripts, name);
    if (line === null) continue;
    if (!isDevelopmentServer(line)) return process(line, `package.json has a ${name} script`);
    ignored = `; the ${name} script is a development server (${line})`;
  }
  if (framework !== null && settings.outputDirectory === null) {
    const serving = await framework.serve(project);
    if (serving.kind === "process") return { ...serving, reason: `${framework.name} has its own server${ignored}` };
    if (!worker) return { ...serving, reason: `${framework.name} makes static files${ignored}` };
  }
  if (settings.outputDirectory !== null && !worker) return await chooseFiles(project, framework, true);
  // `main` may be made by the build, so it is believed without a look; the usual names are not.
  const main =
    pack.main !== null && /^[\w./-]+$/.test(pack.main) ? pack.main : usualServers.find((name) => names.has(name));
  if (main !== undefined)
    return process(`node ${main}`, main === pack.main ? `package.json names ${main}` : `${main} found`);
  if (!worker && names.has("index.html")) return null;
  throw new BuildPlanError(
    `package.json does not say how to start the ${worker ? "worker" : "application"}${ignored}. ` +
      'Add a start script that runs it in production (such as "node server.js"), a Procfile, or set startCommand.',
  );
}

/** null: nothing is built, so it is for the static sites to say what to serve. */
async function chooseFiles(
  project: Project,
  framework: Framework | null,
  built: boolean,
): Promise<ReasonedServing | null> {
  const { outputDirectory } = project.settings;
  if (outputDirectory !== null) {
    return {
      kind: "static",
      directory: outputDirectory,
      reason: `outputDirectory is ${outputDirectory || "the source"}`,
    };
  }
  const serving = (await framework?.serve(project)) ?? null;
  if (framework !== null && serving?.kind === "static") {
    return { ...serving, reason: `${framework.name} makes static files` };
  }
  if (!built) return null;
  throw new BuildPlanError(
    `It is not known where ${framework === null ? "the build" : framework.name} leaves the files to serve. ` +
      "Set outputDirectory to that folder, or make the service's type WEB if it needs a server.",
  );
}

function process(start: string, reason: string): ReasonedServing {
  return { kind: "process", start, env: {}, reason };
}
