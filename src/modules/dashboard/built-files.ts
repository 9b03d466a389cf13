/**
 * The dashboard's built files, in memory (about 1 MB): a request touches no disk, and a build that replaces them on disk
 * disturbs nobody. What isn't in the list can't be asked for, so no path leads anywhere else.
 */
import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { extname, join, relative, sep } from "node:path";

export type Encoding = "br" | "gzip";

export interface BuiltFile {
  readonly type: string;
  readonly etag: string;
  /** Its name holds a hash of what is in it: it never changes. */
  readonly immutable: boolean;
  readonly plain: Buffer;
  readonly encoded: ReadonlyMap<Encoding, Buffer>;
}

/** By the address's path, such as `/assets/index-4f2a.js`. */
export type BuiltFiles = ReadonlyMap<string, BuiltFile>;

export const indexPath = "/index.html";

const types: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
  ".webmanifest": "application/manifest+json",
};
const suffixes: readonly [Encoding, string][] = [
  ["br", ".br"],
  ["gzip", ".gz"],
];

/** Throws when the folder holds no dashboard. */
export function readBuiltFiles(directory: string): BuiltFiles {
  const names = readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(directory, join(entry.parentPath, entry.name)));
  const files = names.flatMap((name): [string, BuiltFile][] => {
    const type = types[extname(name)];
    if (type === undefined) return [];
    const plain = readFileSync(join(directory, name));
    const encoded = suffixes
      .filter(([, suffix]) => names.includes(name + suffix))
      .map(([encoding, suffix]) => [encoding, readFileSync(join(directory, name + suffix))] as const);
    const path = `/${name.split(sep).join("/")}`;
    const etag = `"${createHash("sha256").update(plain).digest("base64url").slice(0, 22)}"`;
    return [[path, { type, etag, immutable: path.startsWith("/assets/"), plain, encoded: new Map(encoded) }]];
  });
  const read: BuiltFiles = new Map(files);
  if (!read.has(indexPath)) throw new Error(`${directory} holds no index.html`);
  return read;
}
