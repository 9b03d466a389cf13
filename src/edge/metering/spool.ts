/**
 * Closed windows wait here, a file each, until the control plane has counted them. A file is written whole (temporary
 * file, fsync, rename), so that after a `kill -9` or a power cut a window is there or is not. Two edges may share the
 * folder while one takes over from the other: nothing is remembered of it in memory.
 *
 * With a window a note may be written, such as how far HAProxy's counts are in it. Both take effect or neither does: the
 * window's file is complete before the note is put in place, and is put in place itself right after; whoever finds a note
 * whose window still has its temporary name goes on from there.
 *
 * While nobody comes for them, the oldest go: after 7 days, or beyond 256 MiB. What is lost so is said in the log.
 */
import { mkdirSync, renameSync, rmSync } from "node:fs";
import { chown, open, readdir, readFile, rm, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { Clock } from "../../kernel/clock.ts";
import { isUuid, timeOfId } from "../../kernel/ids.ts";
import type { Logger } from "../../platform/log.ts";
import type { TrafficBatch } from "./traffic.ts";

/** The control plane remembers for longer what it has counted: see modules/metering. */
export const longestWaitMs = 7 * 24 * 60 * 60_000;
/** How much one answer to the control plane may hold. */
const answerBytes = 4 * 2 ** 20;
/** A look at all that wait, every ten minutes. */
const writesBetweenLooks = 60;
/** A temporary file of this age is nobody's any more. */
const abandonedMs = 60_000;
const idLength = 36;

export interface SpoolOptions {
  readonly folder: string;
  readonly clock: Clock;
  readonly log: Logger;
  readonly mostBytes?: number;
}

/** Something that is true of a window and must not be known without it. */
export interface Note {
  readonly name: string;
  readonly value: unknown;
  /** Asked at the very end: when it is not, nothing is written. */
  readonly isTrue: () => boolean;
}

interface StoredNote {
  readonly batchId: string;
  readonly value: unknown;
}

export class Spool {
  readonly #options: SpoolOptions;
  #writes = 0;

  constructor(options: SpoolOptions) {
    this.#options = options;
  }

  /** Makes the folder; as root for that user, whoever owned it before. */
  async prepare(owner: { readonly uid: number; readonly gid: number } | null): Promise<void> {
    // Those above it are not this folder's alone.
    mkdirSync(dirname(this.#options.folder), { recursive: true, mode: 0o755 });
    mkdirSync(this.#options.folder, { recursive: true, mode: 0o700 });
    const names = await readdir(this.#options.folder);
    if (owner !== null) {
      for (const name of ["", ...names]) await chown(this.#path(name), owner.uid, owner.gid).catch(unlessMissing);
    }
    for (const name of names.filter((one) => one.endsWith(".note")))
      await this.readNote(name.slice(0, -".note".length));
    for (const name of names.filter((one) => one.endsWith(".tmp"))) {
      if (this.#age(name.slice(0, idLength)) > abandonedMs) await rm(this.#path(name), { force: true });
    }
  }

  /** false when the note turned out to be untrue. */
  async write(batch: TrafficBatch, note: Note | null = null): Promise<boolean> {
    const temporary = this.#path(`${batch.id}.tmp`);
    await writeSynced(temporary, batch);
    if (note !== null) {
      const stored: StoredNote = { batchId: batch.id, value: note.value };
      const temporaryNote = this.#path(`${batch.id}.${note.name}.tmp`);
      await writeSynced(temporaryNote, stored);
      if (!note.isTrue()) {
        rmSync(temporary, { force: true });
        rmSync(temporaryNote, { force: true });
        return false;
      }
      // Not a moment after the question.
      renameSync(temporaryNote, this.#path(`${note.name}.note`));
    }
    this.#putInPlace(batch.id);
    await syncFolder(this.#options.folder);
    if (this.#writes % writesBetweenLooks === 0) await this.#dropOldest();
    this.#writes += 1;
    return true;
  }

  /** What was last noted under that name; null when nothing was. */
  async readNote(name: string): Promise<unknown> {
    const note = await readJson<StoredNote>(this.#path(`${name}.note`));
    if (note === null) return null;
    this.#putInPlace(note.batchId);
    return note.value;
  }

  /** Forgets every other note; null: all. */
  async keepNote(name: string | null): Promise<void> {
    for (const file of await readdir(this.#options.folder)) {
      if (file.endsWith(".note") && file !== `${name}.note`) await rm(this.#path(file), { force: true });
    }
  }

  /** The oldest that wait: at most `limit`, and as many as fit into an answer. */
  async oldest(limit: number): Promise<readonly TrafficBatch[]> {
    const batches: TrafficBatch[] = [];
    let bytes = 0;
    for (const id of (await this.#waiting()).slice(0, limit)) {
      const size = (await stat(this.#path(`${id}.json`)).catch(unlessMissing))?.size ?? 0;
      if (batches.length > 0 && bytes + size > answerBytes) break;
      bytes += size;
      const batch = await this.#read(id);
      if (batch !== null) batches.push(batch);
    }
    return batches;
  }

  /** They are counted. Those that are not there were acknowledged before. */
  async acknowledge(ids: readonly string[]): Promise<void> {
    for (const id of ids) if (isUuid(id)) await rm(this.#path(`${id}.json`), { force: true });
  }

  #putInPlace(id: string): void {
    try {
      renameSync(this.#path(`${id}.tmp`), this.#path(`${id}.json`));
    } catch (error) {
      unlessMissing(error); // another edge, or an earlier one, has done it
    }
  }

  #age(id: string): number {
    return this.#options.clock.now().getTime() - (timeOfId(id)?.getTime() ?? 0);
  }

  /** The ids of what waits, oldest first. */
  async #waiting(): Promise<readonly string[]> {
    const names = await readdir(this.#options.folder);
    return names
      .filter((name) => name.endsWith(".json"))
      .map((name) => name.slice(0, -".json".length))
      .toSorted();
  }

  async #read(id: string): Promise<TrafficBatch | null> {
    try {
      return await readJson<TrafficBatch>(this.#path(`${id}.json`));
    } catch (error) {
      // A disk that lies: it must not hold up the others.
      this.#options.log.error({ err: error, batch: id }, "a window's traffic can't be read and is set aside");
      renameSync(this.#path(`${id}.json`), this.#path(`${id}.broken`));
      return null;
    }
  }

  async #dropOldest(): Promise<void> {
    const { log, mostBytes = 256 * 2 ** 20 } = this.#options;
    const waiting = await this.#waiting();
    const sizes = await Promise.all(
      waiting.map(async (id) => (await stat(this.#path(`${id}.json`)).catch(unlessMissing))?.size ?? 0),
    );
    let bytes = sizes.reduce((sum, size) => sum + size, 0);
    const lost = { windows: 0, requests: 0, bytes: 0 };
    for (const [index, id] of waiting.entries()) {
      if (bytes <= mostBytes && this.#age(id) < longestWaitMs) break;
      for (const { requests, bytesIn, bytesOut } of (await this.#read(id))?.services ?? []) {
        lost.requests += requests;
        lost.bytes += bytesIn + bytesOut;
      }
      lost.windows += 1;
      bytes -= sizes[index] ?? 0;
      await this.acknowledge([id]);
    }
    if (lost.windows > 0) log.error(lost, "traffic was not collected in time and will not be counted: is Ksar down?");
  }

  #path(name: string): string {
    return join(this.#options.folder, name);
  }
}

async function writeSynced(path: string, value: unknown): Promise<void> {
  try {
    const file = await open(path, "w", 0o600);
    try {
      await file.writeFile(JSON.stringify(value));
      await file.sync();
    } finally {
      await file.close();
    }
  } catch (error) {
    rmSync(path, { force: true });
    throw error;
  }
}

/** Makes the renames themselves durable. */
async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** null when there is no such file. The edge wrote it itself. */
async function readJson<Value>(path: string): Promise<Value | null> {
  const text = await readFile(path, "utf8").catch(unlessMissing);
  return text === undefined ? null : (JSON.parse(text) as Value);
}

function unlessMissing(error: unknown): undefined {
  if (!(error instanceof Error && "code" in error && error.code === "ENOENT")) throw error;
  return undefined;
}
