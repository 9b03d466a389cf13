/** Which Node a source asks for. */
import { below } from "../../kernel/source-tree.ts";
import { parseRange } from "../../kernel/version-range.ts";
import { BuildPlanError, type WantedNode } from "../plan.ts";
import type { Inspection } from "./detector.ts";
import type { NodePackage } from "./node-package.ts";
import type { Workspace } from "./node-workspace.ts";

/** Files of version managers; they hold one version. */
const versionFiles = [".node-version", ".nvmrc"];
/** Of what stands there; nothing longer is a version. */
const longestLine = 200;
/** nvm's names of the long-term releases. */
const codeNames: Readonly<Record<string, string>> = {
  argon: "4",
  boron: "6",
  carbon: "8",
  dubnium: "10",
  erbium: "12",
  fermium: "14",
  gallium: "16",
  hydrogen: "18",
  iron: "20",
  jod: "22",
  krypton: "24",
};

/** The version file next above the application, then `engines` of its package.json, then of the workspace's. */
export async function findWantedNode(
  { repository, rootDirectory }: Inspection,
  pack: NodePackage,
  workspace: Workspace | null,
): Promise<WantedNode | null> {
  const parts = rootDirectory === "" ? [] : rootDirectory.split("/");
  for (let depth = parts.length; depth >= 0; depth--) {
    const directory = parts.slice(0, depth).join("/");
    for (const file of versionFiles) {
      const text = await below(repository, directory).read(file);
      const line = text?.split("\n").find((candidate) => candidate.trim() !== "" && !candidate.startsWith("#"));
      if (line !== undefined) return wanted(line.slice(0, longestLine).replace(/#.*$/, "").trim(), file);
    }
  }
  const range = pack.nodeRange ?? workspace?.pack.nodeRange ?? null;
  return range === null ? null : wanted(range.trim(), "engines of package.json");
}

function wanted(text: string, file: string): WantedNode | null {
  // Whatever is new: that is Ksar's own.
  if (/^(lts\/\*|lts|node|current|latest|stable)$/.test(text)) return null;
  const codeName = /^lts\/(\w+)$/.exec(text)?.[1]?.toLowerCase();
  const range = codeName === undefined ? text : (codeNames[codeName] ?? text);
  if (parseRange(range) === null) {
    throw new BuildPlanError(
      `${file} asks for Node "${text.slice(0, 80)}", which is no version. Write one such as 22, 22.11.0 or >=20.`,
    );
  }
  return { range, file };
}
