/**
 * The folders of services. As root each service's own folders belong to its user, with rights for nobody else; the ones
 * above them (the service's root, `builds`, `releases`) belong to root and let it pass. So a tenant can't
 * exchange a folder that Ksar is about to use for a link to somewhere else.
 */
import { chmod, chown, mkdir, readdir, rename, rmdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { isUuid } from "../../../kernel/ids.ts";
import type { Holdings } from "../../engine.ts";
import type { Layout } from "../layout.ts";
import type { Scratch } from "./disk-quota.ts";
import type { ServiceUsers } from "./service-users.ts";
import { type Published, publishStatic } from "./static-publisher.ts";
import type { Trash } from "./trash.ts";

export class Workspace {
  readonly #layout: Layout;
  readonly #users: ServiceUsers;
  readonly #trash: Trash;
  /** One after the other for each service: what a build is given is not taken away from it at once. */
  readonly #turns = new Map<string, Promise<unknown>>();

  constructor(layout: Layout, users: ServiceUsers, trash: Trash) {
    this.#layout = layout;
    this.#users = users;
    this.#trash = trash;
  }

  async prepareBuild(
    serviceId: string,
    buildId: string,
    options: { clear: boolean; clearCache: boolean },
  ): Promise<void> {
    const folders = this.#layout.service(serviceId);
    const build = this.#layout.build(serviceId, buildId);
    await this.#inTurn(serviceId, async () => {
      await this.#makePassage(serviceId, folders.root, folders.builds, folders.releases);
      if (options.clear) await this.#trash.discard(build);
      if (options.clearCache) await this.#trash.discard(folders.cache);
      await this.#makeOwn(serviceId, folders.cache, folders.home, folders.tmp, build);
    });
  }

  /** The folder of a database, and what else its processes may write to. */
  async prepareDatabase(id: string): Promise<void> {
    const { root, cache, home, tmp } = this.#layout.service(id);
    await this.#inTurn(id, async () => {
      await this.#makePassage(id, root);
      await this.#makeOwn(id, cache, home, tmp, this.#layout.database(id));
    });
  }

  /** Nothing of it may run any more. */
  async removeDatabase(id: string): Promise<void> {
    await this.#inTurn(id, () => this.#trash.discard(this.#layout.database(id)));
    await this.removeService(id);
  }

  async discardBuild(serviceId: string, buildId: string): Promise<void> {
    await this.#inTurn(serviceId, () => this.#trash.discard(this.#layout.build(serviceId, buildId)));
  }

  /** false, and nothing happens, while a build of the service is there. */
  async discardCache(serviceId: string): Promise<boolean> {
    const folders = this.#layout.service(serviceId);
    return this.#inTurn(serviceId, async () => {
      if ((await namesIn(folders.builds)).length > 0) return false;
      await this.#trash.discard(folders.cache);
      await this.#makeOwn(serviceId, folders.cache);
      return true;
    });
  }

  /** Of a service of which nothing runs; nothing happens while a build of it is there. */
  async emptyScratch(serviceId: string, places: readonly Scratch[]): Promise<void> {
    const folders = this.#layout.service(serviceId);
    await this.#inTurn(serviceId, async () => {
      if ((await namesIn(folders.builds)).length > 0) return;
      for (const place of places) {
        await this.#trash.discard(folders[place]);
        await this.#makeOwn(serviceId, folders[place]);
      }
    });
  }

  /**
   * `serviceId` null: of all services. Names that are no ids are nobody's business here, and neither are databases, which
   * have a home and a log as services do: what has lost its row may be deleted, and that they may not be.
   */
  async holdings(serviceId: string | null): Promise<Holdings> {
    const { apps, databases, static: published, logs } = this.#layout;
    const kept = new Set(await idsIn(databases));
    const services = serviceId === null ? (await idsIn(apps)).filter((id) => !kept.has(id)) : [serviceId];
    const artifacts: Holdings["artifacts"][number][] = [];
    for (const id of services) {
      const { builds, releases } = this.#layout.service(id);
      const ids = new Set([...(await idsIn(builds)), ...(await idsIn(releases))]);
      artifacts.push(...[...ids].map((artifactId) => ({ serviceId: id, artifactId })));
    }
    const known = new Set(artifacts.map((artifact) => artifact.artifactId));
    for (const artifactId of await idsIn(published))
      if (!known.has(artifactId)) artifacts.push({ serviceId: null, artifactId });
    const withLogs = serviceId === null ? (await idsIn(join(logs, "services"))).filter((id) => !kept.has(id)) : [];
    return {
      services: [...new Set([...services, ...withLogs])],
      artifacts,
      buildLogs: await idsIn(join(logs, "builds")),
      jobLogs: serviceId === null ? await idsIn(join(logs, "jobs")) : [],
    };
  }

  async promote(serviceId: string, buildId: string): Promise<void> {
    const build = this.#layout.build(serviceId, buildId);
    const release = this.#layout.release(serviceId, buildId);
    if (!(await isThere(build))) {
      if (await isThere(release)) return;
      throw new Error(`there is no build ${buildId} of service ${serviceId}`);
    }
    await this.#trash.discard(release);
    await rename(build, release);
  }

  async publishStatic(serviceId: string, artifactId: string, directory: string): Promise<Published> {
    const owner = this.#users.of(serviceId)?.uid ?? null;
    const release = this.#layout.release(serviceId, artifactId);
    return publishStatic(release, directory, this.#layout.published(artifactId), owner);
  }

  /** `serviceId` null: nobody knows whose it was; what is published of it. */
  async removeArtifact(serviceId: string | null, artifactId: string): Promise<void> {
    if (serviceId !== null) {
      await this.#trash.discard(this.#layout.build(serviceId, artifactId));
      await this.#trash.discard(this.#layout.release(serviceId, artifactId));
    }
    await this.#trash.discard(this.#layout.published(artifactId));
  }

  /** The ids of everything that was built for it; nothing of it may run any more. */
  async removeService(serviceId: string): Promise<readonly string[]> {
    const folders = this.#layout.service(serviceId);
    const ids = new Set([...(await namesIn(folders.builds)), ...(await namesIn(folders.releases))]);
    for (const id of ids) await this.removeArtifact(serviceId, id);
    for (const own of [folders.cache, folders.home, folders.tmp]) await this.#trash.discard(own);
    for (const passage of [folders.builds, folders.releases, folders.root]) {
      if (await isThere(passage)) await rmdir(passage);
    }
    this.#users.forget(serviceId);
    return [...ids];
  }

  #inTurn<Result>(serviceId: string, action: () => Promise<Result>): Promise<Result> {
    const turn = (this.#turns.get(serviceId) ?? Promise.resolve()).then(action);
    const settled = turn
      .catch(() => undefined)
      .then(() => {
        if (this.#turns.get(serviceId) === settled) this.#turns.delete(serviceId);
      });
    this.#turns.set(serviceId, settled);
    return turn;
  }

  async #makePassage(serviceId: string, ...folders: readonly string[]): Promise<void> {
    const user = this.#users.of(serviceId);
    for (const folder of folders) {
      await mkdir(folder, { recursive: true });
      if (user !== null) await chown(folder, 0, user.gid);
      await chmod(folder, user === null ? 0o700 : 0o710);
    }
  }

  async #makeOwn(serviceId: string, ...folders: readonly string[]): Promise<void> {
    const user = this.#users.of(serviceId);
    for (const folder of folders) {
      await mkdir(folder, { recursive: true, mode: 0o700 });
      // Also where a `kill -9` came between the two.
      if (user !== null && (await stat(folder)).uid !== user.uid) await chown(folder, user.uid, user.gid);
    }
  }
}

async function isThere(path: string): Promise<boolean> {
  return (await stat(path).catch(() => null)) !== null;
}

async function idsIn(folder: string): Promise<readonly string[]> {
  return (await namesIn(folder)).filter(isUuid);
}

async function namesIn(folder: string): Promise<readonly string[]> {
  return (await isThere(folder)) ? readdir(folder) : [];
}
