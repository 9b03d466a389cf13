/** The checked-out source of a deployment, read from disk by the control plane. */
import { readdir } from "node:fs/promises";
import type { SourceTree } from "../../kernel/source-tree.ts";
import { openInside } from "./open-inside.ts";

const largestFileBytes = 1024 * 1024;

export class SourceFolder implements SourceTree {
  readonly #root: string;

  constructor(root: string) {
    this.#root = root;
  }

  async list(directory: string): Promise<readonly string[]> {
    const handle = await openInside(this.#root, directory);
    try {
      if (handle === null || !(await handle.stat()).isDirectory()) return [];
      return await readdir(process.platform === "linux" ? `/proc/self/fd/${handle.fd}` : `${this.#root}/${directory}`);
    } finally {
      await handle?.close();
    }
  }

  async read(path: string): Promise<string | null> {
    const handle = await openInside(this.#root, path);
    try {
      if (handle === null) return null;
      const stats = await handle.stat();
      if (!stats.isFile() || stats.size > largestFileBytes) return null;
      // As much as it was: a file that grows meanwhile stays within the limit.
      const { buffer, bytesRead } = await handle.read(Buffer.alloc(stats.size), 0, stats.size, 0);
      return buffer.toString("utf8", 0, bytesRead);
    } finally {
      await handle?.close();
    }
  }
}
