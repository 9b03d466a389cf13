/**
 * The folders of services. As root each service's own folders belong to its user, with rights for nobody else; the ones
 * above them (the service's root, `builds`, `releases`) belong to root and let it pass. So a tenant can't
 * exchange a folder that Ksar is about to use for a link to somewhere else.
 */
import { chmod, chown, mkdir, readdir, rename, rmdir, stat } from "node:fs/promises";
import type { Layout } from "../layout.ts";
import type { ServiceUsers } from "./service-users.ts";
import { type Published, publishStatic } from "./static-publisher.ts";
import type { Trash } from "./trash.ts";

export class Workspace {
  readonly #layout: Layout;
  readonly #users: ServiceUsers;
  readonly #trash: Trash;

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
    await this.#makePassage(serviceId, folders.root, folders.builds, folders.releases);
    if (options.clear) await this.#trash.discard(build);
    if (options.clearCache) await this.#trash.discard(folders.cache);
    await this.#makeOwn(serviceId, folders.cache, folders.home, folders.tmp, build);
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

  async removeArtifact(serviceId: string, artifactId: string): Promise<void> {
    await this.#trash.discard(this.#layout.build(serviceId, artifactId));
    await this.#trash.discard(this.#layout.release(serviceId, artifactId));
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

async function namesIn(folder: string): Promise<readonly string[]> {
  return (await isThere(folder)) ? readdir(folder) : [];
}
