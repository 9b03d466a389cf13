/**
 * The bytes of objects: one file each, named by an id of ours, in 4096 folders by the end of the id (its beginning is the
 * time). A file is written once, synced with its folder before anybody names it, and never changed. What is being read in
 * this process is not removed until it was read, or whoever reads it is cut off. Folders are the platform's own: services
 * may run as other users here.
 */
import { createReadStream, type ReadStream } from "node:fs";
import { copyFile, type FileHandle, link, mkdir, open, readdir, stat, statfs, unlink } from "node:fs/promises";
import { join } from "node:path";
import { isUuid, newId } from "../kernel/ids.ts";
import type { BlobRef } from "./object-store.ts";

/** The disk has no room for it; nothing of it was kept. */
export class StorageFullError extends Error {
  override readonly name = "StorageFullError";
}

/** A file that a row names is not there: it was removed while its object was read, or lost. */
export class BlobMissingError extends Error {
  override readonly name = "BlobMissingError";
}

/** While one is written, the disk is asked this often. */
const checkedBytes = 16 * 2 ** 20;
const readBytes = 256 * 2 ** 10;

export interface BlobFilesOptions {
  readonly directory: string;
  /** Nothing is written while less is free. */
  readonly minFreeBytes: number;
}

export class BlobFiles {
  readonly #options: BlobFilesOptions;
  readonly #readers = new Map<string, Set<Reader>>();

  constructor(options: BlobFilesOptions) {
    this.#options = options;
  }

  get directory(): string {
    return this.#options.directory;
  }

  /** Throws what the chunks throw; then nothing is left of it, as after `StorageFullError`. */
  async write(chunks: AsyncIterable<Buffer>): Promise<BlobRef> {
    await this.#refuseFull();
    const id = newId();
    const file = await this.#create(id);
    let size = 0;
    try {
      let checked = 0;
      for await (const chunk of chunks) {
        if (size - checked > checkedBytes) {
          await this.#refuseFull();
          checked = size;
        }
        await writeAll(file, chunk);
        size += chunk.length;
      }
      await file.sync();
      await file.close();
      await syncFolder(this.#folderOf(id));
      return { id, size };
    } catch (error) {
      await file.close().catch(() => undefined);
      await unlink(this.#pathOf(id)).catch(() => undefined);
      throw asFull(error);
    }
  }

  /** The same bytes under a new id, without a copy of them where the file system can. */
  async duplicate(blob: BlobRef): Promise<BlobRef> {
    const id = newId();
    const [from, to] = [this.#pathOf(blob.id), this.#pathOf(id)];
    await this.#makeFolder(id);
    try {
      await link(from, to).catch(async (error: unknown) => {
        if (isCode(error, "ENOENT")) throw error;
        await this.#refuseFull();
        await copyFile(from, to);
        const file = await open(to, "r");
        await file.sync().finally(() => file.close());
      });
      await syncFolder(this.#folderOf(id));
    } catch (error) {
      await unlink(to).catch(() => undefined);
      if (isCode(error, "ENOENT")) throw new BlobMissingError(blob.id);
      throw asFull(error);
    }
    return { id, size: blob.size };
  }

  /** Bytes from `start` to `end`, both of them included. Throws `BlobMissingError` at once if the first file is not there. */
  async read(blobs: readonly BlobRef[], start: number, end: number): Promise<AsyncIterable<Buffer>> {
    const pieces = piecesOf(blobs, start, end);
    const reader = new Reader();
    const release = this.#hold(
      pieces.map(({ id }) => id),
      reader,
    );
    try {
      const [first] = pieces;
      if (first !== undefined) await stat(this.#pathOf(first.id));
    } catch (error) {
      release();
      if (isCode(error, "ENOENT")) throw new BlobMissingError(pieces[0]?.id ?? "");
      throw error;
    }
    const pathOf = (id: string) => this.#pathOf(id);
    const chunks = (async function* () {
      try {
        for (const { id, from, to } of pieces)
          yield* reader.opened(createReadStream(pathOf(id), { start: from, end: to, highWaterMark: readBytes }));
      } finally {
        release();
      }
    })();
    // A generator that was never begun does not come to its `finally`: the client may go before the first byte.
    return {
      [Symbol.asyncIterator]: () => ({
        next: () => chunks.next(),
        return: () => {
          release();
          return chunks.return();
        },
      }),
    };
  }

  /** Of these, those that are gone now; the others are being read. */
  async remove(ids: readonly string[]): Promise<readonly string[]> {
    const gone: string[] = [];
    for (const id of ids) {
      if (this.#readers.has(id)) continue;
      try {
        await unlink(this.#pathOf(id));
      } catch (error) {
        if (!isCode(error, "ENOENT")) throw error;
      }
      gone.push(id);
    }
    return gone;
  }

  /** Whoever still reads one of these reads no further, and holds none of them any more. */
  cut(ids: readonly string[]): void {
    for (const id of ids) {
      for (const reader of this.#readers.get(id) ?? []) reader.cut();
      this.#readers.delete(id);
    }
  }

  /** Folder by folder, the ids of files that nobody has written to since `before`. */
  async *listOlder(before: Date): AsyncGenerator<readonly string[]> {
    for (const folder of await readdir(this.#options.directory)) {
      if (!/^[0-9a-f]{3}$/.test(folder)) continue;
      const ids: string[] = [];
      for (const name of await readdir(join(this.#options.directory, folder))) {
        if (!isUuid(name)) continue;
        const { ctime } = await stat(join(this.#options.directory, folder, name)).catch(() => ({ ctime: null }));
        if (ctime !== null && ctime < before) ids.push(name);
      }
      if (ids.length > 0) yield ids;
    }
  }

  #hold(ids: readonly string[], reader: Reader): () => void {
    for (const id of ids) this.#readers.set(id, (this.#readers.get(id) ?? new Set()).add(reader));
    return () => {
      for (const id of ids) {
        const readers = this.#readers.get(id);
        if (readers?.delete(reader) === true && readers.size === 0) this.#readers.delete(id);
      }
    };
  }

  async #refuseFull(): Promise<void> {
    const { directory, minFreeBytes } = this.#options;
    await mkdir(directory, { recursive: true, mode: 0o700 });
    const { bavail, bsize } = await statfs(directory);
    if (bavail * bsize < minFreeBytes) throw new StorageFullError();
  }

  async #create(id: string): Promise<FileHandle> {
    await this.#makeFolder(id);
    return open(this.#pathOf(id), "wx", 0o600).catch((error: unknown) => {
      throw asFull(error);
    });
  }

  async #makeFolder(id: string): Promise<void> {
    const made = await mkdir(this.#folderOf(id), { recursive: true, mode: 0o700 });
    if (made !== undefined) await syncFolder(this.#options.directory);
  }

  #folderOf(id: string): string {
    return join(this.#options.directory, id.slice(-3));
  }

  #pathOf(id: string): string {
    if (!isUuid(id)) throw new Error("not the id of a file");
    return join(this.#folderOf(id), id);
  }
}

/** One who reads: what is open of it can be closed under its hands, as only that gives the disk its room back. */
class Reader {
  #open: ReadStream | null = null;
  #isCut = false;

  opened(stream: ReadStream): ReadStream {
    this.#open = stream;
    if (this.#isCut) this.cut();
    return stream;
  }

  cut(): void {
    this.#isCut = true;
    this.#open?.destroy(new BlobMissingError("the object was deleted or replaced long ago"));
  }
}

interface Piece {
  readonly id: string;
  readonly from: number;
  readonly to: number;
}

/** Which bytes of which files those are. */
function piecesOf(blobs: readonly BlobRef[], start: number, end: number): readonly Piece[] {
  const pieces: Piece[] = [];
  let offset = 0;
  for (const { id, size } of blobs) {
    const from = Math.max(start - offset, 0);
    const to = Math.min(end - offset, size - 1);
    if (from <= to) pieces.push({ id, from, to });
    offset += size;
  }
  return pieces;
}

async function writeAll(file: FileHandle, chunk: Buffer): Promise<void> {
  let written = 0;
  while (written < chunk.length) written += (await file.write(chunk, written)).bytesWritten;
}

async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, "r");
  await folder.sync().finally(() => folder.close());
}

function asFull(error: unknown): unknown {
  return isCode(error, "ENOSPC") || isCode(error, "EDQUOT") ? new StorageFullError() : error;
}

function isCode(error: unknown, code: string): boolean {
  return error instanceof Error && "code" in error && error.code === code;
}
