/** Which package manager a Node project uses, and how it installs. */
import type { BuildPlanStep, PackageManager, PackageManagerName } from "../plan.ts";
import type { Inspection } from "./detector.ts";
import type { NodePackage } from "./node-package.ts";

/** In the order in which they are believed when a project has several. */
export const lockfiles: readonly (readonly [string, "npm" | "pnpm" | "yarn"])[] = [
  ["pnpm-lock.yaml", "pnpm"],
  ["yarn.lock", "yarn"],
  ["package-lock.json", "npm"],
  ["npm-shrinkwrap.json", "npm"],
];

/** Taken where the project names no version; they run on Node 24. pnpm's by the version of the lockfile's format. */
const defaultVersions = { yarn: "1.22.22", "yarn-berry": "4.12.0" };
const pnpmVersions: Readonly<Record<string, string>> = { "5": "7.33.7", "6": "8.15.9", "9": "10.34.9" };
const newestPnpm = "10.34.9";

/** Scripts of the project that run around an installation: what they make is not known from the key files. */
const installScripts = ["preinstall", "install", "postinstall", "prepublish", "prepare"];

export async function choosePackageManager(
  { source, names }: Pick<Inspection, "source" | "names">,
  pack: NodePackage,
): Promise<{ readonly manager: PackageManager; readonly reasons: readonly string[] }> {
  const found = lockfiles.filter(([file]) => names.has(file));
  const field = /^(npm|pnpm|yarn)@(\d+\.\d+\.\d+[\w.-]*)/.exec(pack.packageManager ?? "");
  const named = lockfiles.find(([, tool]) => tool === field?.[1])?.[1];
  const [lockfile, tool] = found.find(([, candidate]) => named === undefined || candidate === named) ?? [
    null,
    named ?? "npm",
  ];
  const reasons: string[] = [];
  if (lockfile === null) {
    const other = ["bun.lock", "bun.lockb"].find((file) => names.has(file)) ?? found[0]?.[0];
    reasons.push(
      `no lockfile of ${tool}${other === undefined ? "" : ` (${other} is not one)`}: each build may install other versions`,
    );
  } else {
    const ignored = found.filter(([file]) => file !== lockfile).map(([file]) => file);
    reasons.push(`${lockfile} → ${tool}${ignored.length === 0 ? "" : ` (${ignored.join(", ")} ignored)`}`);
  }
  if (named !== undefined) reasons.push(`packageManager is ${field?.[0]}`);
  const version = named === undefined ? undefined : field?.[2];

  if (tool === "npm") return { manager: { name: "npm", version: null, lockfile }, reasons };
  if (tool === "pnpm") {
    const format = /^lockfileVersion: '?(\d+)/m.exec((await source.read("pnpm-lock.yaml")) ?? "")?.[1] ?? "";
    return { manager: { name: "pnpm", version: version ?? pnpmVersions[format] ?? newestPnpm, lockfile }, reasons };
  }
  const berry =
    version === undefined
      ? names.has(".yarnrc.yml") || /^__metadata:/m.test((await source.read("yarn.lock")) ?? "")
      : !/^[01]\./.test(version);
  const name: PackageManagerName = berry ? "yarn-berry" : "yarn";
  return { manager: { name, version: version ?? defaultVersions[name], lockfile }, reasons };
}

/** null when there is nothing to install. */
export async function installStep(
  { source, names }: Pick<Inspection, "source" | "names">,
  pack: NodePackage,
  manager: PackageManager,
): Promise<{ readonly step: BuildPlanStep; readonly reasons: readonly string[] } | null> {
  const scripts = installScripts.filter(
    (name) => pack.scripts[name] !== undefined && !/^husky\b/.test(pack.scripts[name]),
  );
  const workspaces =
    pack.workspaces !== null ||
    names.has("lerna.json") ||
    /^packages:/m.test((await source.read("pnpm-workspace.yaml")) ?? "");
  if (Object.keys(pack.dependencies).length === 0 && scripts.length === 0 && !workspaces) return null;

  const local = Object.entries(pack.dependencies).find(([, version]) =>
    /^(file|link|portal|workspace|patch):|^\.{0,2}\//.test(version),
  );
  let unkept: string | null = null;
  if (manager.lockfile === null) unkept = "without a lockfile";
  else if (workspaces) unkept = "in a project of workspaces";
  else if (scripts[0] !== undefined) unkept = `because of the ${scripts[0]} script`;
  else if (local !== undefined) unkept = `because ${local[0]} comes from a folder`;
  const keyFiles = [
    "package.json",
    ...(manager.lockfile === null ? [] : [manager.lockfile]),
    ...[".npmrc", ".yarnrc", ".yarnrc.yml", ".pnpmfile.cjs", "pnpm-workspace.yaml"].filter((name) => names.has(name)),
  ];
  return {
    step: { name: "install", command: installCommand(manager), keyFiles: unkept === null ? keyFiles : null },
    reasons: unkept === null ? [] : [`node_modules is not kept between builds ${unkept}`],
  };
}

/** With the development dependencies, which builds need, whatever NODE_ENV the service sets. */
function installCommand({ name, lockfile }: PackageManager): string {
  const locked = lockfile !== null;
  switch (name) {
    case "npm":
      return `npm ${locked ? "ci" : "install"} --include=dev --no-audit --no-fund --prefer-offline`;
    case "pnpm":
      return `pnpm install ${locked ? "--frozen-lockfile" : "--no-frozen-lockfile"} --prod=false --prefer-offline`;
    case "yarn":
      return `yarn install ${locked ? "--frozen-lockfile " : ""}--production=false --non-interactive --prefer-offline`;
    case "yarn-berry":
      return `yarn install ${locked ? "--immutable" : "--no-immutable"}`;
  }
}
