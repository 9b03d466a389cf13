/** PHP: its own web server, behind Ksar's edge, before the folder that is meant for visitors. */
import { BuildPlanError, type BuildPlanStep } from "../plan.ts";
import { type DetectedPlan, givenStartCommand, type Inspection, isForNode, listenAddress } from "./detector.ts";

const programs = /^(php|composer|vendor\/bin\/)/;

export async function detectPhp(inspection: Inspection): Promise<DetectedPlan | null> {
  const { source, names, settings } = inspection;
  const composer = names.has("composer.json");
  if (inspection.wantsStatic || (!composer && !names.has("index.php"))) return null;
  if (isForNode(inspection, ["artisan", "index.php", "public"], programs)) return null;
  const reasons = [composer ? "composer.json found" : "index.php found"];
  let start: string;
  const given = givenStartCommand(inspection);
  if (given !== null) {
    start = given.command;
    reasons.push(given.reason);
  } else {
    if (settings.serviceType === "WORKER") {
      throw new BuildPlanError(
        'It is not known how to start the worker. Set startCommand (such as "php worker.php"), or add a Procfile with a worker line.',
      );
    }
    const directory = await documentRoot(inspection);
    start = `php -S ${listenAddress} -t ${directory}`;
    reasons.push(directory === "." ? "visitors see the whole folder" : `visitors see ${directory}`);
  }
  const steps: BuildPlanStep[] = [
    composer
      ? {
          name: "install",
          command: "composer install --no-dev --no-interaction --no-progress --optimize-autoloader",
          // The autoloader's map is made of the application's own classes.
          keyFiles: null,
        }
      : { name: "install", command: "php --version", keyFiles: null },
  ];
  if (settings.buildCommand !== null) steps.push({ name: "build", command: settings.buildCommand });
  const laravel = names.has("artisan") && /"laravel\/framework"/.test((await source.read("composer.json")) ?? "");
  return {
    stack: "php",
    framework: laravel ? "Laravel" : null,
    packageManager: null,
    needs: composer ? ["php", "composer"] : ["php"],
    reasons,
    steps,
    start,
    output: { kind: "process" },
    // One request at a time otherwise.
    startEnv: { PHP_CLI_SERVER_WORKERS: "4" },
  };
}

async function documentRoot({ source, names }: Inspection): Promise<string> {
  for (const directory of ["public", "web", "htdocs", "www"]) {
    if (names.has(directory) && (await source.list(directory)).includes("index.php")) return directory;
  }
  if (names.has("index.php")) return ".";
  throw new BuildPlanError(
    "There is a composer.json, but no index.php at the top or in public, web, htdocs, www. Set startCommand, or add a Procfile with a web line.",
  );
}
