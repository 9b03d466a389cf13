/** Go: one program is built, and started. */
import { BuildPlanError } from "../plan.ts";
import { type DetectedPlan, givenStartCommand, type Inspection, isForNode } from "./detector.ts";

const programs = /^(\.\/)?bin\//;

export async function detectGo(inspection: Inspection): Promise<DetectedPlan | null> {
  const { source, names, settings } = inspection;
  // Sites made with Hugo have a go.mod, too.
  if (!names.has("go.mod") || inspection.wantsStatic || isForNode(inspection, ["main.go"], programs)) return null;
  const given = givenStartCommand(inspection);
  const path = /^module[ \t]+"?([^\s"]+)/m.exec((await source.read("go.mod")) ?? "")?.[1] ?? "app";
  // As `go install` names it: a major version is no name.
  const name =
    path
      .replace(/\/v\d+$/, "")
      .split("/")
      .at(-1) || "app";
  const main = settings.buildCommand === null ? await findMain(inspection, name) : null;
  const build = settings.buildCommand ?? (main === null ? null : `go build -o ./bin/${main.name} ${main.directory}`);
  if (build === null || (given === null && main === null)) {
    throw new BuildPlanError(
      main === null && settings.buildCommand !== null
        ? 'Set startCommand to the program that buildCommand makes, such as "./bin/app".'
        : `There is no package main at the top, in cmd/${name} or alone in cmd. Set buildCommand (such as "go build -o ./bin/app ./path") and startCommand ("./bin/app").`,
    );
  }
  return {
    stack: "go",
    framework: null,
    packageManager: null,
    needs: ["go"],
    reasons: [
      "go.mod found",
      ...(main === null ? [] : [`package main in ${main.directory}`]),
      ...(given === null ? [] : [given.reason]),
    ],
    steps: [{ name: "build", command: build }],
    start: given?.command ?? `./bin/${main?.name}`,
    output: { kind: "process" },
    startEnv: {},
  };
}

/** The package to build, as the go command takes it. */
async function findMain(
  { source, names }: Inspection,
  name: string,
): Promise<{ name: string; directory: string } | null> {
  for (const file of [...names].filter((entry) => entry.endsWith(".go") && !entry.endsWith("_test.go"))) {
    if (/^package main\b/m.test((await source.read(file)) ?? "")) return { name, directory: "." };
  }
  const commands = names.has("cmd") ? await source.list("cmd") : [];
  const only = commands.length === 1 ? commands[0] : commands.find((entry) => entry === name);
  return only === undefined || !/^[\w.-]+$/.test(only) ? null : { name: only, directory: `./cmd/${only}` };
}
