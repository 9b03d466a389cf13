/**
 * What goes on by itself about object storage, in one worker among several:
 *
 *   every 5 s       files that a transaction has doomed are deleted, and who still reads one after an hour is cut off;
 *                   buckets that are being deleted are emptied, then go
 *   every 10 min    what each bucket held since the last time is added to the meter OBJECT_STORAGE
 *   once an hour    uploads older than 7 days end; files that no row names are swept
 *
 * Every step is idempotent and may be killed at any line: rows say what is left to do. Nothing is swept unless the folder
 * is known to belong to this very database (its identity stands in a file of it): with another database nothing in it
 * would be named, and all of it would go.
 */
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Clock } from "../../kernel/clock.ts";
import type { Database } from "../../platform/database/database.ts";
import type { LockSession } from "../../platform/database/lock-session.ts";
import type { Logger } from "../../platform/log.ts";
import type { BlobFiles } from "../../storage/blob-files.ts";
import * as repo from "./cleaner.repo.ts";

const removeMs = 5000;
const meterMs = 10 * 60_000;
const uploadMs = 7 * 24 * 60 * 60_000;
/** A file that is still written was written to a minute ago at most, and its row follows. */
const orphanMs = 60 * 60_000;
/** Whoever reads what was deleted or replaced has so long to come to its end. */
const readMs = 60 * 60_000;
const page = 500;

export interface StorageCleanerOptions {
  readonly database: Database;
  readonly blobs: BlobFiles;
  readonly clock: Clock;
  readonly logger: Logger;
}

export class StorageCleaner {
  readonly #options: StorageCleanerOptions;
  #isClosed = false;

  constructor(options: StorageCleanerOptions) {
    this.#options = options;
  }

  /** Returns how to end it, having waited for what was in hand. */
  start(locks: Pick<LockSession, "withLock">): () => Promise<void> {
    this.#isClosed = false;
    let inHand: Promise<unknown> = Promise.resolve();
    const alone = (name: string, work: () => Promise<void>) => {
      const report = (error: unknown) => {
        if (!this.#isClosed)
          this.#options.logger.warn({ err: error }, "a look after the object storage failed; another one follows");
      };
      inHand = Promise.all([inHand, locks.withLock(name, work).catch(report)]);
    };
    const remove = () => alone("buckets/remove", () => this.remove());
    const meter = () => alone("buckets/meter", () => this.meter());
    const timers = [setInterval(remove, removeMs), setInterval(meter, meterMs)];
    remove();
    meter();
    return async () => {
      this.#isClosed = true;
      for (const timer of timers) clearInterval(timer);
      await inHand;
    };
  }

  /** What was deleted: buckets, then files. */
  async remove(): Promise<void> {
    const { database, clock } = this.#options;
    const deleting = await repo.listDeleting(database);
    for (const { id } of deleting) {
      const emptied =
        (await this.#untilNone(() => repo.deleteSomeObjects(database, id, page, clock.now()))) &&
        (await this.#untilNone(() => repo.abortUploads(database, id, new Date(8.64e15), page, clock.now())));
      if (!emptied) return;
    }
    await this.#removeFiles();
    for (const { id } of deleting)
      await database.transaction().execute((transaction) => repo.deleteBucket(transaction, id, clock.now()));
  }

  /** Counts to this moment what each bucket held. */
  async meter(): Promise<void> {
    const { database, clock } = this.#options;
    const now = clock.now();
    let after: string | null = null;
    while (!this.#isClosed) {
      const ids: readonly string[] = await repo.listUncounted(database, now, after, page);
      for (const id of ids) await repo.countStorage(database, id, now);
      after = ids.at(-1) ?? null;
      if (ids.length < page) return;
    }
  }

  /** Once an hour. `at` is by the clock of the files, which is the machine's. */
  async sweep(at = new Date()): Promise<void> {
    const { database, clock, blobs, logger } = this.#options;
    const now = clock.now().getTime();
    await this.#untilNone(() => repo.abortUploads(database, null, new Date(now - uploadMs), page, clock.now()));
    if (!(await this.#isOurs())) return;
    for await (const ids of blobs.listOlder(new Date(at.getTime() - orphanMs))) {
      if (this.#isClosed) return;
      const known = await repo.knownBlobs(database, ids);
      const orphans = ids.filter((id) => !known.has(id));
      if (orphans.length === 0) continue;
      await blobs.remove(orphans);
      logger.info({ count: orphans.length }, "files of the object storage that nothing names were deleted");
    }
  }

  async #removeFiles(): Promise<void> {
    const { database, blobs, clock } = this.#options;
    const before = new Date(clock.now().getTime() - readMs);
    let after: string | null = null;
    while (!this.#isClosed) {
      const doomed: Awaited<ReturnType<typeof repo.listDoomed>> = await repo.listDoomed(database, after, page);
      const ids = doomed.map(({ id }) => id);
      blobs.cut(doomed.flatMap(({ id, doomedAt }) => (doomedAt !== null && doomedAt < before ? [id] : [])));
      await repo.forgetBlobs(database, await blobs.remove(ids));
      // Those that are being read stay for the next look.
      after = ids.at(-1) ?? null;
      if (ids.length < page) return;
    }
  }

  /** false: it was closed before. */
  async #untilNone(step: () => Promise<number>): Promise<boolean> {
    while (!this.#isClosed) if ((await step()) === 0) return true;
    return false;
  }

  async #isOurs(): Promise<boolean> {
    const { database, blobs, logger } = this.#options;
    const file = join(blobs.directory, "database");
    const identity = await repo.findIdentity(database);
    const written = await readFile(file, "utf8").catch(() => null);
    if (written === identity) return true;
    if (written === null) {
      // The first time; also without the folder, where there is nothing to sweep.
      await writeFile(file, identity, { flag: "wx", mode: 0o600 }).catch(() => undefined);
      return false;
    }
    logger.error(
      { directory: blobs.directory },
      "the object storage's folder belongs to another database: nothing in it is swept. If this database was put in its place on purpose, delete the file named database in it",
    );
    return false;
  }
}
