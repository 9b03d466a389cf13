/**
 * Which encoding a static file is sent in, and its compressed bytes. Small files are compressed once and kept, up to a
 * fixed amount of memory, those not asked for longest going first; large ones are compressed as they are sent.
 */
import { createReadStream } from "node:fs";
import { readFile } from "node:fs/promises";
import type { IncomingMessage } from "node:http";
import type { Readable } from "node:stream";
import { promisify } from "node:util";
import { brotliCompress, constants, createBrotliCompress, createGzip, gzip } from "node:zlib";
import Negotiator from "negotiator";
import type { SiteFile } from "./static-paths.ts";

export type Encoding = "br" | "gzip";

/** Below this, headers weigh more than what is saved. */
const smallestBytes = 1_024;
/** Larger ones are not kept in memory. */
const largestKeptBytes = 2 * 1024 * 1024;

/** 5 is where brotli is as fast as gzip's default and a sixth smaller. */
const brotliQuality = 5;
/** While a visitor waits for each piece, speed counts more. */
const brotliStreamQuality = 4;

const compressible =
  /^(text\/|application\/(javascript|json|manifest\+json|wasm|xml|rtf|vnd\.ms-fontobject)|[a-z]+\/[^;]+\+(json|xml)|font\/(ttf|otf|collection)|image\/(bmp|x-icon|vnd\.microsoft\.icon))/;

export function isCompressible(contentType: string, size: number): boolean {
  return size >= smallestBytes && compressible.test(contentType);
}

/** null: as it is. */
export function encodingFor(request: IncomingMessage): Encoding | null {
  if (request.headers["accept-encoding"] === undefined) return null;
  const accepted = new Negotiator(request).encodings(["br", "gzip", "identity"]);
  if (accepted[0] === "identity") return null;
  if (accepted.includes("br")) return "br";
  return accepted.includes("gzip") ? "gzip" : null;
}

const brotliBytes = promisify(brotliCompress);
const gzipBytes = promisify(gzip);

export function isKept(file: SiteFile): boolean {
  return file.stats.size <= largestKeptBytes;
}

export class CompressionCache {
  readonly #capacityBytes: number;
  /** In the order of their last use. Work under way is kept too, so that it is done once. */
  readonly #entries = new Map<string, Promise<Buffer>>();
  readonly #sizes = new Map<string, number>();
  #bytes = 0;

  constructor(capacityBytes = 32 * 1024 * 1024) {
    this.#capacityBytes = capacityBytes;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** The file's bytes in that encoding; only for files that `isKept`. */
  get(file: SiteFile, encoding: Encoding): Promise<Buffer> {
    const key = `${encoding} ${file.stats.size} ${file.stats.mtimeMs} ${file.path}`;
    const found = this.#entries.get(key);
    if (found !== undefined) {
      this.#entries.delete(key);
      this.#entries.set(key, found);
      return found;
    }
    const work = compress(file.path, encoding);
    this.#entries.set(key, work);
    work.then(
      (bytes) => this.#account(key, bytes.length),
      () => this.#entries.delete(key),
    );
    return work;
  }

  #account(key: string, size: number): void {
    this.#sizes.set(key, size);
    this.#bytes += size;
    for (const oldest of this.#entries.keys()) {
      if (this.#bytes <= this.#capacityBytes) return;
      const freed = this.#sizes.get(oldest);
      if (freed === undefined) continue; // still being made
      this.#entries.delete(oldest);
      this.#sizes.delete(oldest);
      this.#bytes -= freed;
    }
  }
}

async function compress(path: string, encoding: Encoding): Promise<Buffer> {
  const bytes = await readFile(path);
  if (encoding === "gzip") return gzipBytes(bytes);
  return brotliBytes(bytes, {
    params: {
      [constants.BROTLI_PARAM_QUALITY]: brotliQuality,
      [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
    },
  });
}

/** The streams that a large file goes through on its way out. */
export function compressedStream(path: string, encoding: Encoding): readonly [Readable, NodeJS.ReadWriteStream] {
  const compressor =
    encoding === "gzip"
      ? createGzip()
      : createBrotliCompress({ params: { [constants.BROTLI_PARAM_QUALITY]: brotliStreamQuality } });
  return [createReadStream(path), compressor];
}
