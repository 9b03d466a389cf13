/** What package.json says, read with suspicion: anything may be missing or of the wrong kind. */
import { BuildPlanError } from "../plan.ts";

export interface NodePackage {
  readonly scripts: Readonly<Record<string, string>>;
  /** All kinds of them: name → wanted version. */
  readonly dependencies: Readonly<Record<string, string>>;
  readonly main: string | null;
  /** As it stands, `pnpm@10.2.0+sha512…`. */
  readonly packageManager: string | null;
  /** Patterns of the folders whose packages are installed together with this one; null: it says nothing of them. */
  readonly workspaces: readonly string[] | null;
  /** `engines.node`. */
  readonly nodeRange: string | null;
}

export function parsePackage(text: string): NodePackage {
  let value: unknown;
  try {
    value = JSON.parse(text.replace(/^\uFEFF/, ""));
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new BuildPlanError(`package.json is not valid JSON: ${why}. Correct it and push again.`);
  }
  if (!isObject(value)) throw new BuildPlanError("package.json is not a JSON object. Correct it and push again.");
  return {
    scripts: strings(value.scripts),
    dependencies: {
      ...strings(value.peerDependencies),
      ...strings(value.optionalDependencies),
      ...strings(value.devDependencies),
      ...strings(value.dependencies),
    },
    main: typeof value.main === "string" && value.main !== "" ? value.main.replace(/^\.\//, "") : null,
    packageManager: typeof value.packageManager === "string" ? value.packageManager : null,
    workspaces: value.workspaces === undefined ? null : workspacePatterns(value.workspaces),
    nodeRange: isObject(value.engines) && typeof value.engines.node === "string" ? value.engines.node : null,
  };
}

/**
 * A script as one shell line, with the one that npm would run before it, and `npm run other` replaced by what it stands
 * for: so that no package manager stays between Ksar and the program (40 MB of memory, and signals that get lost).
 */
export function scriptLine(scripts: Readonly<Record<string, string>>, name: string, depth = 0): string | null {
  const script = scripts[name];
  if (script === undefined || script.trim() === "") return null;
  const other = /^(?:npm run(?:-script)?|yarn(?: run)?|pnpm(?: run)?) ([\w:.-]+)$/.exec(script.trim())?.[1];
  const inner = other !== undefined && other !== name && depth < 5 ? scriptLine(scripts, other, depth + 1) : null;
  const line = inner ?? script.trim();
  const before = scripts[`pre${name}`];
  return before === undefined ? line : `${before.trim()} && ${line}`;
}

/** npm's and yarn's list, or yarn's older object around it. */
function workspacePatterns(value: unknown): readonly string[] {
  const list = isObject(value) ? value.packages : value;
  return Array.isArray(list) ? list.filter((entry) => typeof entry === "string") : [];
}

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function strings(value: unknown): Readonly<Record<string, string>> {
  if (!isObject(value)) return {};
  return Object.fromEntries(
    Object.entries(value).filter((entry): entry is [string, string] => typeof entry[1] === "string"),
  );
}
