/** Opens what lies below a folder and nothing else, whatever links somebody puts there, at whatever moment. */
import { constants } from "node:fs";
import { type FileHandle, open, readlink, realpath } from "node:fs/promises";
import { join, sep } from "node:path";
import { isInnerPath } from "./layout.ts";

/**
 * Links are followed as long as they stay inside. Where it really is is judged after opening: a link that is changed in
 * between leads nowhere. null when there is nothing, or it is outside.
 */
export async function openInside(root: string, path: string): Promise<FileHandle | null> {
  if (!isInnerPath(path)) return null;
  let handle: FileHandle | null = null;
  try {
    const realRoot = await realpath(root);
    const real = await realpath(join(root, path));
    // O_NONBLOCK: a pipe without a writer must not stop us.
    handle = await open(real, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    const opened = process.platform === "linux" ? await readlink(`/proc/self/fd/${handle.fd}`) : await realpath(real);
    if (opened === realRoot || opened.startsWith(realRoot + sep)) return handle;
  } catch (error) {
    await handle?.close();
    if (error instanceof Error && "code" in error && isAbsence(error.code)) return null;
    throw error;
  }
  await handle.close();
  return null;
}

function isAbsence(code: unknown): boolean {
  return ["ENOENT", "ENOTDIR", "ELOOP", "EACCES", "ENXIO", "ENAMETOOLONG", "ENODEV"].includes(String(code));
}
