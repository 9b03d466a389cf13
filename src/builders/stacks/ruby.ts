/** Ruby: Bundler installs beside the application; anything that speaks Rack is started by its config.ru. */
import { BuildPlanError, type BuildPlanStep } from "../plan.ts";
import {
  builtFiles,
  type DetectedPlan,
  givenStartCommand,
  type Inspection,
  isForNode,
  listenAddress,
  listenHost,
} from "./detector.ts";

const programs = /^(bundle|ruby|rackup|puma|rails|rake|sidekiq|bin\/(rails|rake))\b/;

export async function detectRuby(inspection: Inspection): Promise<DetectedPlan | null> {
  const { source, names, settings } = inspection;
  if (!names.has("Gemfile") || isForNode(inspection, ["config.ru"], programs)) return null;
  const files = builtFiles(inspection);
  if (inspection.wantsStatic && files === null) return null;
  const gems = `${(await source.read("Gemfile")) ?? ""}\n${(await source.read("Gemfile.lock")) ?? ""}`;
  const serving = files === null ? chooseServing(inspection, gems) : null;
  if (files === null && serving === null) return null;

  const locked = names.has("Gemfile.lock");
  const fromFolder = /^[ \t]*(path\b|gemspec\b)|\bpath(:| *=>)/m.test(gems);
  const reasons = ["Gemfile found"];
  if (!locked) reasons.push("no Gemfile.lock: each build may install other versions");
  if (fromFolder) reasons.push("gems are not kept between builds because some come from folders");
  if (serving !== null) reasons.push(serving.reason);
  const keyFiles = ["Gemfile", "Gemfile.lock", ".ruby-version"].filter((file) => names.has(file));
  const steps: BuildPlanStep[] = [
    { name: "install", command: "bundle install", keyFiles: locked && !fromFolder ? keyFiles : null },
  ];
  if (settings.buildCommand !== null) steps.push({ name: "build", command: settings.buildCommand });
  return {
    stack: "ruby",
    framework: /^[ \t]*gem[ \t]+['"]rails['"]/m.test(gems) ? "Rails" : null,
    packageManager: null,
    needs: ["ruby", "bundle"],
    reasons,
    steps,
    start: serving?.start ?? null,
    output: files ?? { kind: "process" },
    startEnv: {
      BUNDLE_PATH: "vendor/bundle",
      BUNDLE_WITHOUT: "development:test",
      ...(locked ? { BUNDLE_DEPLOYMENT: "true" } : {}),
      RACK_ENV: "production",
      RAILS_ENV: "production",
      RAILS_LOG_TO_STDOUT: "1",
      RAILS_SERVE_STATIC_FILES: "1",
    },
  };
}

/** null: no application after all, but a site that has Ruby tools. */
function chooseServing(
  inspection: Inspection,
  gems: string,
): { readonly start: string; readonly reason: string } | null {
  const { names, settings } = inspection;
  const given = givenStartCommand(inspection);
  if (given !== null) return { start: given.command, reason: given.reason };
  if (settings.serviceType === "WORKER") {
    throw new BuildPlanError(
      'It is not known how to start the worker. Set startCommand (such as "bundle exec sidekiq"), or add a Procfile with a worker line.',
    );
  }
  if (names.has("config.ru")) {
    const reason = "config.ru found";
    if (/^[ \t]*(gem[ \t]+['"]puma['"]|puma \()/m.test(gems))
      return { start: `bundle exec puma --bind tcp://${listenAddress}`, reason };
    return { start: `bundle exec rackup --host ${listenHost} --port $PORT`, reason };
  }
  if (names.has("index.html")) return null;
  throw new BuildPlanError(
    'It is not known how to start the application: there is no config.ru. Set startCommand (such as "bundle exec ruby app.rb"), or add a Procfile with a web line.',
  );
}
