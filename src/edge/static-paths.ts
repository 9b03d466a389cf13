/**
 * From a request's path to a file of the site, or to what should be said instead. Nothing outside the site's folder is
 * ever found: segments are decoded one by one, `.`, `..`, encoded slashes, backslashes and NUL are refused, names that
 * begin with a dot are not there (except `/.well-known`), and what was found must still lie in the folder once every
 * symlink on the way to it is followed.
 */
import type { Stats } from "node:fs";
import { realpath, stat } from "node:fs/promises";
import { extname, join, sep } from "node:path";

/** The decoded parts of a path; null for one that no file can have, or that tries to leave. */
export interface SitePath {
  readonly segments: readonly string[];
  /** It ends with a slash: a folder is meant. */
  readonly isFolder: boolean;
}

export interface SiteFile {
  readonly path: string;
  /** Relative to the site's folder, with a leading slash. */
  readonly name: string;
  readonly stats: Stats;
}

export type Finding =
  | { readonly kind: "file"; readonly status: 200 | 404; readonly file: SiteFile }
  | { readonly kind: "redirect"; readonly location: string }
  | { readonly kind: "none" };

export function parseSitePath(pathname: string): SitePath | null {
  const segments: string[] = [];
  const parts = pathname.split("/");
  for (const part of parts) {
    let segment: string;
    try {
      segment = decodeURIComponent(part);
    } catch {
      return null;
    }
    if (segment === "." || segment === ".." || /[/\\\0]/.test(segment)) return null;
    if (segment !== "") segments.push(segment); // `//` is read as `/`
  }
  return { segments, isFolder: parts.at(-1) === "" };
}

/** `root` is the site's folder with every symlink followed. `search` is the query with its question mark, or "". */
export async function findInSite(
  root: string,
  { segments, isFolder }: SitePath,
  options: { readonly singlePage: boolean; readonly search: string },
): Promise<Finding> {
  const isHidden = segments.some(
    (segment, index) => segment.startsWith(".") && !(index === 0 && segment === ".well-known"),
  );
  if (!isHidden) {
    const name = segments.map((segment) => `/${segment}`).join("");
    const stats = segments.length === 0 ? null : await statOrNull(join(root, name));
    if (stats?.isFile() && !isFolder && (await isWithin(root, join(root, name)))) {
      return { kind: "file", status: 200, file: { path: join(root, name), name, stats } };
    }
    if (segments.length === 0 || stats?.isDirectory()) {
      const index = await regularFile(root, `${name}/index.html`);
      if (index !== null && isFolder) return { kind: "file", status: 200, file: index };
      if (index !== null) {
        return { kind: "redirect", location: `/${segments.map(encodeURIComponent).join("/")}/${options.search}` };
      }
    }
    const others = [];
    if (!isFolder) others.push(`${name}.html`);
    if (options.singlePage && extname(segments.at(-1) ?? "") === "") others.push("/index.html");
    for (const other of others) {
      const file = await regularFile(root, other);
      if (file !== null) return { kind: "file", status: 200, file };
    }
  }
  const page = await regularFile(root, "/404.html");
  return page === null ? { kind: "none" } : { kind: "file", status: 404, file: page };
}

async function isWithin(root: string, path: string): Promise<boolean> {
  try {
    return (await realpath(path)).startsWith(root + sep);
  } catch {
    return false; // removed a moment ago
  }
}

async function regularFile(root: string, name: string): Promise<SiteFile | null> {
  const path = join(root, name);
  const stats = await statOrNull(path);
  return stats?.isFile() && (await isWithin(root, path)) ? { path, name, stats } : null;
}

async function statOrNull(path: string): Promise<Stats | null> {
  try {
    return await stat(path);
  } catch {
    return null; // no such file, a name too long, a part that is no folder: there is nothing to serve
  }
}
