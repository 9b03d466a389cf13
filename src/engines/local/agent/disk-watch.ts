/**
 * Watches the disk: that no service takes more of it than it has, and that builds do not take the last of it.
 *
 * A service's disk is what its processes can write to: the folder of the build or release, home, tmp and cache together; and
 * files without a name that they hold open. No file system of every machine can limit that, so it is measured: what runs,
 * every minute or more often where that is cheap, and at once when the free space falls fast, one walk at a time, `nice`d,
 * at most a quarter of the time. So a tenant can have more for some seconds. One file alone can't: its size is limited (`ulimit -f`, see sandbox.ts).
 *
 * Whoever has more is ended and told so. A disk is not kept for ever, as everywhere where services run from builds: before its
 * instances start again tmp and cache are emptied, and home, should that not do. What an instance wrote into its release
 * folder stays until the next deployment; the delay between its starts grows.
 *
 * When the whole disk is nearly full, builds are ended too; what serves is left alone. A `kill -9` loses nothing: the next
 * agent measures anew.
 */
import type { Logger } from "../../../platform/log.ts";
import type { Layout } from "../layout.ts";
import type { Caches } from "./caches.ts";
import type { Databases } from "./databases/databases.ts";
import { type Excess, excessOf } from "./disk-quota.ts";
import { freeBytes, measure, unnamedBytes } from "./disk-usage.ts";
import type { Instances } from "./instances.ts";
import type { ServiceUsers } from "./service-users.ts";
import type { Tasks } from "./tasks.ts";
import type { Workspace } from "./workspace.ts";

export const megabyte = 2 ** 20;

export interface DiskLimits {
  /** Of a service. */
  readonly serviceMb: number;
  /** Below it no build begins; below a quarter of it those under way are ended. */
  readonly minFreeMb: number;
  /** All build caches and runtimes together. */
  readonly cacheMb: number;
}

export interface DiskWatchParts {
  readonly layout: Layout;
  readonly users: ServiceUsers;
  readonly tasks: Tasks;
  readonly instances: Instances;
  readonly databases: Databases;
  readonly workspace: Workspace;
  readonly caches: Caches;
  readonly limits: DiskLimits;
  readonly logger: Logger;
}

const lookMs = 2000;
/** Between two rounds: fifty times as long as one takes, within these. */
const roundMs = { shortest: 5_000, longest: 60_000 };
const roundShare = 50;
/** At most a quarter of the time is spent measuring. */
const restShare = 3;
/** The free space falls fast: by this since the last round, or by an eighth of what one service may have. */
const fastMb = 256;

export class DiskWatch {
  readonly #with: DiskWatchParts;
  #measuring = false;
  /** Milliseconds of `performance.now()`. */
  #restUntil = 0;
  #nextRound = 0;
  /** The most that was free since the last round, in bytes. */
  #mostFree = 0;
  /** Services of which something is being ended: one that takes its time must not keep the others from being looked at. */
  readonly #ending = new Set<string>();

  constructor(parts: DiskWatchParts) {
    this.#with = parts;
  }

  start(): void {
    const report = (error: unknown) => this.#with.logger.error({ err: error }, "the disk could not be looked at");
    setInterval(() => void this.#look().catch(report), lookMs).unref();
  }

  async #look(): Promise<void> {
    const { layout, limits } = this.#with;
    const free = await freeBytes(layout.dataDir);
    if (free < (limits.minFreeMb * megabyte) / 4) void this.#makeRoom(free);
    const fast = Math.min(fastMb, limits.serviceMb / 8) * megabyte;
    this.#mostFree = Math.max(this.#mostFree, free);
    const began = performance.now();
    // However fast the free space falls: the machine has other things to do.
    if (this.#measuring || began < this.#restUntil) return;
    if (began < this.#nextRound && this.#mostFree - free < fast) return;
    this.#mostFree = free;
    this.#measuring = true;
    try {
      await this.#round();
    } finally {
      const ended = performance.now();
      const took = ended - began;
      this.#measuring = false;
      this.#restUntil = ended + took * restShare;
      this.#nextRound = ended + Math.min(Math.max(took * roundShare, roundMs.shortest), roundMs.longest);
    }
  }

  /** Ends what builds, and deletes what failed builds left: a database without room could not even note that they failed. */
  async #makeRoom(free: number): Promise<void> {
    const { tasks, workspace, logger } = this.#with;
    const cause = `The disk of this Ksar is nearly full (${Math.round(free / megabyte)} MB are free), so builds were ended. This is not a limit of your service, and what runs goes on. Ask the operator to make room, then deploy again.`;
    try {
      await tasks.endBuilds(cause);
      for (const { serviceId, folderId } of tasks.failed()) await workspace.discardBuild(serviceId, folderId);
    } catch (error) {
      logger.error({ err: error }, "no room could be made on the disk");
    }
  }

  async #round(): Promise<void> {
    const { tasks, instances, databases, caches, logger } = this.#with;
    const services = new Set([...tasks.running(), ...instances.running()].map((run) => run.serviceId));
    for (const serviceId of services) {
      if (this.#ending.has(serviceId)) continue;
      await this.#judge(serviceId).catch((error: unknown) =>
        logger.warn({ err: error, serviceId }, "the disk of a service could not be measured"),
      );
    }
    await databases.boundDisk();
    await caches.bound();
  }

  async #judge(serviceId: string): Promise<void> {
    const { layout, users, tasks, instances, limits, logger } = this.#with;
    const own = layout.service(serviceId);
    const running = Map.groupBy(tasks.running(serviceId), (run) => (run.isJob ? "job" : "build"));
    const builds = new Set(running.get("build")?.map((run) => run.folderId));
    const releases = new Set(
      [...instances.running(serviceId), ...(running.get("job") ?? [])].map((run) => run.folderId),
    );
    const folderOf = (id: string) => (builds.has(id) ? layout.build(serviceId, id) : layout.release(serviceId, id));
    const usage = await measure([own.home, own.tmp, own.cache, ...[...builds, ...releases].map(folderOf)]);
    if (usage === null) return logger.warn({ serviceId }, "the disk of a service could not be measured in time");
    const user = users.of(serviceId);
    const unnamed = user === null ? 0 : await unnamedBytes(user.uid, layout.apps);
    const bytesIn = (folder: string) => usage.folders.get(folder) ?? 0;
    const shared = { home: bytesIn(own.home), tmp: bytesIn(own.tmp), cache: bytesIn(own.cache), unnamed };
    const over = (ids: ReadonlySet<string>) =>
      [...ids].flatMap((id) => {
        const parts = { ...shared, folder: bytesIn(folderOf(id)), tooManyFiles: usage.tooManyFiles };
        const excess = excessOf(parts, limits.serviceMb);
        return excess === null ? [] : [{ id, excess }];
      });
    this.#ending.add(serviceId);
    this.#end(serviceId, over(builds), over(releases))
      .catch((error: unknown) => logger.error({ err: error, serviceId }, "a service over its disk could not be ended"))
      .finally(() => this.#ending.delete(serviceId));
  }

  async #end(serviceId: string, builds: readonly Over[], releases: readonly Over[]): Promise<void> {
    const { tasks, instances, workspace } = this.#with;
    for (const { id, excess } of builds) {
      const advice = `Make its dependencies or its output smaller, deploy with clearCache, or ask the operator for more room (KSAR_SERVICE_DISK_MB).`;
      await tasks.end(serviceId, id, `The build was ended: the service ${excess.words}. ${advice}`);
    }
    const [first] = releases;
    if (first === undefined) return;
    const { words, outcome, scratch } = first.excess;
    for (const { id } of releases) {
      const advice = "Make it write less, or ask the operator for more room (KSAR_SERVICE_DISK_MB).";
      await tasks.end(serviceId, id, `The run was ended: the service ${words}. ${advice}`);
    }
    const emptied = Promise.withResolvers<void>();
    try {
      const ids = releases.map((release) => release.id);
      await instances.end(serviceId, ids, `${words}; ${outcome}`, emptied.promise);
      // Its other processes have the same folders.
      const alone = tasks.running(serviceId).length + instances.running(serviceId).length === 0;
      if (alone) await workspace.emptyScratch(serviceId, scratch);
    } finally {
      emptied.resolve();
    }
  }
}

interface Over {
  /** Of a build or a release. */
  readonly id: string;
  readonly excess: Excess;
}
