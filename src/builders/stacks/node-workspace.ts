/** An application that is one package of several, in a repository where one installation serves all of them. */
import { below, type SourceTree } from "../../kernel/source-tree.ts";
import type { Inspection } from "./detector.ts";
import { type NodePackage, parsePackage } from "./node-package.ts";
import { lockfiles } from "./package-manager.ts";

export interface Workspace {
  /** Below the repository's root. */
  readonly directory: string;
  readonly source: SourceTree;
  readonly names: ReadonlySet<string>;
  readonly pack: NodePackage;
}

/** The nearest folder above that counts this one among its packages; null when it stands alone. */
export async function findWorkspace({ repository, rootDirectory, names }: Inspection): Promise<Workspace | null> {
  if (rootDirectory === "" || lockfiles.some(([file]) => names.has(file))) return null;
  const parts = rootDirectory.split("/");
  for (let depth = parts.length - 1; depth >= 0; depth--) {
    const directory = parts.slice(0, depth).join("/");
    const source = below(repository, directory);
    const text = await source.read("package.json");
    if (text === null) continue;
    const pack = parsePackage(text);
    const patterns = [...(pack.workspaces ?? []), ...pnpmPatterns((await source.read("pnpm-workspace.yaml")) ?? "")];
    if (isAmong(patterns, parts.slice(depth))) {
      return { directory, source, names: new Set(await source.list("")), pack };
    }
  }
  return null;
}

/** The list under `packages:`, in either of YAML's two ways to write it. */
function pnpmPatterns(yaml: string): readonly string[] {
  const inline = /^packages:[ \t]*\[([^\]]*)\]/m.exec(yaml)?.[1]?.split(",");
  const block = /^packages:[ \t]*(?:#.*)?\n((?:[ \t]*(?:-.*|#.*)?(?:\n|$))+)/m.exec(yaml)?.[1]?.split("\n");
  return (inline ?? block ?? [])
    .map((line) => line.trim().replace(/^-/, "").replace(/ #.*$/, "").trim())
    .map((entry) => entry.replace(/^(['"])(.*)\1$/, "$2"))
    .filter((entry) => entry !== "" && !entry.startsWith("#"));
}

/** The last pattern that fits decides; one with `!` before it excludes. */
function isAmong(patterns: readonly string[], path: readonly string[]): boolean {
  const last = patterns.findLast((pattern) => fits(segmentsOf(pattern.replace(/^!/, "")), path));
  return last !== undefined && !last.startsWith("!");
}

function segmentsOf(pattern: string): readonly string[] {
  return pattern.split("/").filter((part) => part !== "" && part !== ".");
}

/** One `*` a part, and `**` for everything further down: what workspaces are written with. */
function fits([pattern, ...patterns]: readonly string[], [part, ...parts]: readonly string[]): boolean {
  if (pattern === "**") return part !== undefined;
  if (pattern === undefined || part === undefined) return pattern === part;
  const [start = "", end] = pattern.split("*");
  const fitting = end === undefined ? part === start : part.startsWith(start) && part.slice(start.length).endsWith(end);
  return fitting && fits(patterns, parts);
}
