/**
 * Copies a folder of a release to where the edge serves it from: readable for everybody, and belonging to Ksar, so that
 * the tenant can't change it any more.
 *
 * The tenant's processes may be at work in the release meanwhile. So each file is judged when it is open: that it lies in
 * the published folder, and, where services have users of their own, that it belongs to the service's. A link to
 * another's file, hard or soft, is refused either way.
 */

import { randomUUID } from "node:crypto";
import { createWriteStream } from "node:fs";
import { type FileHandle, mkdir, readdir, rename, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { ArtifactError } from "../../engine.ts";
import { isInnerPath } from "../layout.ts";
import { openInside } from "../open-inside.ts";

/** Links to folders inside can make a few entries look like endlessly many. */
/** Root copies it: without a limit a sparse file of a terabyte would fill the disk. */
const mostBytes = 2 * 1024 ** 3;
const mostEntries = 200_000;
/** Fewer than the 40 links that Linux follows in one path. */
const deepest = 32;

export interface Published {
  readonly files: number;
  readonly bytes: number;
}

/** `owner` null: whoever's. The target appears whole or not at all; one that is there stays as it is. */
export async function publishStatic(
  release: string,
  directory: string,
  target: string,
  owner: number | null,
): Promise<Published> {
  if (!isInnerPath(directory)) throw new ArtifactError(`The output directory "${directory}" leads out of the project.`);
  const root = await openInside(release, directory);
  const isFolder = (await root?.stat())?.isDirectory() === true;
  await root?.close();
  if (!isFolder) throw new ArtifactError(`The build left no directory "${directory}". Check the output directory.`);
  if (await exists(target)) return measure(target);
  const temporary = join(target, "..", `.${randomUUID()}`);
  try {
    const copy = new FolderCopy(join(release, directory), directory, owner);
    await copy.folder("", temporary, 0);
    await rename(temporary, target);
    return { files: copy.files, bytes: copy.bytes };
  } catch (error) {
    await rm(temporary, { recursive: true, force: true });
    throw error;
  }
}

class FolderCopy {
  files = 0;
  bytes = 0;
  readonly #root: string;
  readonly #shown: string;
  readonly #owner: number | null;
  #entries = 0;

  constructor(root: string, shown: string, owner: number | null) {
    this.#root = root;
    this.#shown = shown;
    this.#owner = owner;
  }

  async folder(path: string, target: string, depth: number): Promise<void> {
    if (depth > deepest) throw this.#refuse(path, `lies deeper than ${deepest} folders, or a link leads in a circle`);
    await mkdir(target, { mode: 0o755 });
    for (const name of await readdir(join(this.#root, path))) {
      // The edge serves none of these; what lies there is for every user of the machine to read.
      if (name.startsWith(".") && name !== ".well-known") continue;
      this.#entries += 1;
      if (this.#entries > mostEntries) throw this.#refuse("", `holds more than ${mostEntries} files`);
      await this.#entry(path === "" ? name : `${path}/${name}`, join(target, name), depth);
    }
  }

  async #entry(path: string, target: string, depth: number): Promise<void> {
    const handle = await openInside(this.#root, path);
    if (handle === null) throw this.#refuse(path, "is a link that leads out of it or nowhere, or cannot be read");
    try {
      const stats = await handle.stat();
      if (this.#owner !== null && stats.uid !== this.#owner) throw this.#refuse(path, "belongs to somebody else");
      if (stats.isDirectory()) await this.folder(path, target, depth + 1);
      else if (stats.isFile()) await this.#file(handle, target);
      else throw this.#refuse(path, "is neither a file nor a folder");
    } finally {
      await handle.close();
    }
  }

  async #file(handle: FileHandle, target: string): Promise<void> {
    // The file may grow while it is copied: what is counted is what was read. Sparse files count in full.
    const left = mostBytes - this.bytes;
    if ((await handle.stat()).size > left) throw this.#refuse("", `holds more than ${mostBytes / 1024 ** 2} MiB`);
    const output = createWriteStream(target, { flags: "wx", mode: 0o644 });
    await pipeline(handle.createReadStream({ autoClose: false, end: Math.max(0, left - 1) }), output);
    this.files += 1;
    this.bytes += output.bytesWritten;
  }

  #refuse(path: string, reason: string): ArtifactError {
    const shown = [this.#shown, path].filter((part) => part !== "").join("/");
    return new ArtifactError(`The output directory cannot be published: "${shown}" ${reason}.`);
  }
}

async function exists(path: string): Promise<boolean> {
  return (await stat(path).catch(() => null)) !== null;
}

async function measure(folder: string): Promise<Published> {
  let files = 0;
  let bytes = 0;
  for (const entry of await readdir(folder, { withFileTypes: true, recursive: true })) {
    if (!entry.isFile()) continue;
    files += 1;
    bytes += (await stat(join(entry.parentPath, entry.name))).size;
  }
  return { files, bytes };
}
