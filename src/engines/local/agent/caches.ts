/**
 * Bounds what is kept between builds and can be made anew: the services' build caches, and the versions of Node that were
 * fetched. Whatever was not used for 30 days goes; then, while all of them together are larger than they may be, the one
 * whose last use is longest ago. Never the cache of a build under way, nor a version of Node that something runs on.
 *
 * When a cache was used last the folder of its service's builds tells: each build changes it, and it is Ksar's own; a
 * tenant could give the cache itself any time. For versions of Node it is their folder's time, set at each use.
 */
import { readdir, stat, utimes } from "node:fs/promises";
import { join } from "node:path";
import type { Clock } from "../../../kernel/clock.ts";
import type { Logger } from "../../../platform/log.ts";
import type { Layout } from "../layout.ts";
import { measure } from "./disk-usage.ts";
import type { Trash } from "./trash.ts";
import type { Workspace } from "./workspace.ts";

const unusedMs = 30 * 24 * 60 * 60_000;
/** What was used so lately may be in use: a build takes 20 minutes at most, instances note theirs every minute. */
const freshMs = 2 * 60 * 60_000;

export interface CachesParts {
  readonly layout: Layout;
  readonly workspace: Workspace;
  readonly trash: Trash;
  /** The runtimes of what runs; null while not all of it is known. */
  readonly runtimesInUse: () => ReadonlySet<string> | null;
  readonly maxBytes: number;
  readonly clock: Clock;
  readonly logger: Logger;
}

interface Cache {
  readonly path: string;
  readonly usedAt: number;
  /** What its size was measured at: a walk through a cache takes long. */
  readonly state: number;
  /** false when it turned out to be in use. */
  readonly remove: () => Promise<boolean>;
}

export class Caches {
  readonly #with: CachesParts;
  /** By path. */
  readonly #sizes = new Map<string, { readonly state: number; readonly bytes: number }>();

  constructor(parts: CachesParts) {
    this.#with = parts;
  }

  async bound(): Promise<void> {
    const { maxBytes, clock, logger } = this.#with;
    const now = clock.now().getTime();
    const oldestFirst = [...(await this.#services()), ...(await this.#runtimes(now))].sort(
      (a, b) => a.usedAt - b.usedAt,
    );
    const sizes = new Map<Cache, number>();
    for (const cache of oldestFirst) sizes.set(cache, await this.#sizeOf(cache));
    let total = [...sizes.values()].reduce((sum, bytes) => sum + bytes, 0);
    for (const [cache, bytes] of sizes) {
      if (total <= maxBytes && now - cache.usedAt <= unusedMs) break;
      if (bytes === 0 || !(await cache.remove())) continue;
      this.#sizes.delete(cache.path);
      total -= bytes;
      logger.info({ path: cache.path, bytes }, "a cache was removed");
    }
  }

  async #services(): Promise<readonly Cache[]> {
    const { layout, workspace } = this.#with;
    const found = await Promise.all(
      (await readdir(layout.apps)).map(async (serviceId) => {
        const { builds, cache } = layout.service(serviceId);
        const usedAt = await timeOf(builds);
        if (usedAt === null) return [];
        return [{ path: cache, usedAt, state: usedAt, remove: () => workspace.discardCache(serviceId) }];
      }),
    );
    return found.flat();
  }

  async #runtimes(now: number): Promise<readonly Cache[]> {
    const { layout, trash, runtimesInUse } = this.#with;
    const inUse = runtimesInUse();
    const found = await Promise.all(
      (await readdir(layout.runtimes)).map(async (name) => {
        const path = join(layout.runtimes, name);
        if (inUse?.has(name)) await noteUse(path);
        const usedAt = await timeOf(path);
        if (usedAt === null || name.startsWith(".")) return [];
        const remove = async () => {
          if (inUse === null || now - usedAt < freshMs) return false;
          await trash.discard(path);
          return true;
        };
        // Nothing in it changes.
        return [{ path, usedAt, state: 0, remove }];
      }),
    );
    return found.flat();
  }

  async #sizeOf({ path, state }: Cache): Promise<number> {
    const known = this.#sizes.get(path);
    if (known?.state === state) return known.bytes;
    const usage = await measure([path]);
    if (usage === null) return known?.bytes ?? 0;
    const bytes = usage.tooManyFiles ? Number.MAX_SAFE_INTEGER : (usage.folders.get(path) ?? 0);
    this.#sizes.set(path, { state, bytes });
    return bytes;
  }
}

/** For a version of Node: that it is used now. */
export async function noteUse(path: string): Promise<void> {
  const now = new Date();
  await utimes(path, now, now).catch(() => undefined);
}

async function timeOf(path: string): Promise<number | null> {
  return (await stat(path).catch(() => null))?.mtimeMs ?? null;
}
