/**
 * Deletes what tenants made. A folder first leaves its place, in one step; then it is emptied by a process with the rights
 * of the folder's own user, so that no link that a tenant puts into it at the wrong moment can lead root astray.
 * What is left undone by a `kill -9` is done at the next start.
 */
import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { chmod, lstat, readdir, rename, rmdir } from "node:fs/promises";
import { join } from "node:path";
import type { Logger } from "../../../platform/log.ts";
import { asUser } from "./as-user.ts";

export class Trash {
  readonly #folder: string;
  readonly #logger: Logger;
  #turn: Promise<void> = Promise.resolve();

  constructor(folder: string, logger: Logger) {
    this.#folder = folder;
    this.#logger = logger;
  }

  /** Resolves when the folder is no longer where it was; nothing happens when there is none. */
  async discard(path: string): Promise<void> {
    const place = join(this.#folder, randomUUID());
    try {
      await rename(path, place);
    } catch (error) {
      const code = error instanceof Error && "code" in error ? error.code : null;
      if (code === "ENOENT") return;
      if (code !== "EACCES") throw error;
      // Its owner moves a folder only with the right to write to it.
      await chmod(path, 0o700);
      await rename(path, place);
    }
    this.#empty(place);
  }

  async emptyAll(): Promise<void> {
    for (const name of await readdir(this.#folder)) this.#empty(join(this.#folder, name));
  }

  /** One folder after the other: deleting is not urgent. */
  #empty(place: string): void {
    this.#turn = this.#turn
      .then(() => deleteAsOwner(place))
      .catch((error: unknown) => this.#logger.error({ err: error, place }, "a folder could not be deleted"));
  }
}

/** A tenant's processes may go on writing for a moment; the clearing away of those kills ours too. */
const mostAttempts = 10;

async function deleteAsOwner(place: string): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    await emptyAsOwner(place);
    try {
      return await rmdir(place);
    } catch (error) {
      const code = error instanceof Error && "code" in error ? error.code : null;
      if (code === "ENOENT") return;
      if (code !== "ENOTEMPTY" || attempt === mostAttempts) throw error;
    }
  }
}

async function emptyAsOwner(place: string): Promise<void> {
  const { uid, gid } = await lstat(place);
  const owner = process.getuid?.() === 0 && uid !== 0 ? { uid, gid } : null;
  await new Promise<void>((resolve, reject) => {
    // Folders without rights are given back theirs first. rm can't delete the place itself, which is root's to delete.
    const script = 'chmod -R u+rwx -- "$1"; rm -rf -- "$1"';
    const { file, args, options } = asUser(owner, "/bin/sh", "-c", script, "sh", place);
    const child = spawn(file, args, options);
    child.once("close", () => resolve());
    child.once("error", reject);
  });
}
