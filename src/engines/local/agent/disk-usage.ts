/** How much of the disk things take. Nothing here follows a link or leaves the file system that it begins on. */
import { execFile } from "node:child_process";
import { readdir, stat, statfs } from "node:fs/promises";
import { promisify } from "node:util";
import { systemPath } from "../layout.ts";
import { livingOf } from "./process-table.ts";

/** Who has more is not walked through any further. An ext4 of 100 GB has 6 million inodes in all. */
export const mostFiles = 1_000_000;
/** So many files take seconds; a machine that needs longer has other worries, and what is not known counts for nothing. */
const longestMs = 60_000;
/** Of one service: more than this many descriptors are not looked at. */
const mostDescriptors = 100_000;

/** Room for ordinary users, in bytes. */
export async function freeBytes(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder);
  return bavail * bsize;
}

export interface Usage {
  /** By folder, in bytes; without those that are not there. */
  readonly folders: ReadonlyMap<string, number>;
  readonly tooManyFiles: boolean;
}

/** null when it could not be found out in time. */
export async function measure(folders: readonly string[]): Promise<Usage | null> {
  const counted = await run("sh", "-c", countFiles, "sh", ...folders);
  if (counted === null) return null;
  // Folders and links too: what they take of a file system is an inode each.
  if (Number(counted) > mostFiles) return { folders: new Map(), tooManyFiles: true };
  const sums = await run("du", "-s", "-x", "-k", "--", ...folders);
  if (sums === null) return null;
  const lines = sums.split("\n").flatMap((line) => {
    const [, kilobytes, folder] = /^(\d+)\t(.*)$/.exec(line) ?? [];
    return folder === undefined ? [] : [[folder, Number(kilobytes) * 1024] as const];
  });
  return { folders: new Map(lines), tooManyFiles: false };
}

const countFiles = `find "$@" -xdev 2>/dev/null | head -n ${mostFiles + 1} | wc -l`;

/** What it said; null when it took too long. What is missing or was deleted meanwhile costs an exit code, no more. */
async function run(...command: readonly string[]): Promise<string | null> {
  const options = {
    cwd: "/",
    env: { PATH: systemPath, LC_ALL: "C" },
    timeout: longestMs,
    killSignal: "SIGKILL" as const,
  };
  return promisify(execFile)("nice", ["-n", "19", ...command], options).then(
    ({ stdout }) => stdout,
    (error: { readonly killed?: boolean; readonly stdout?: string }) =>
      error.killed === true ? null : (error.stdout ?? ""),
  );
}

/** What a user's processes hold open that has no name any more: it takes room, and no walk finds it. */
export async function unnamedBytes(uid: number, folder: string): Promise<number> {
  const { dev } = await stat(folder);
  const sizes = new Map<number, number>();
  let seen = 0;
  for (const pid of livingOf(uid)) {
    const descriptors = `/proc/${pid}/fd`;
    for (const name of await readdir(descriptors).catch(() => [])) {
      seen += 1;
      if (seen > mostDescriptors) break;
      const file = await stat(`${descriptors}/${name}`).catch(() => null);
      if (file?.isFile() && file.nlink === 0 && file.dev === dev) sizes.set(file.ino, file.blocks * 512);
    }
  }
  return [...sizes.values()].reduce((sum, bytes) => sum + bytes, 0);
}
