/**
 * Bodies in pieces (`aws-chunked`): each with its length, and with a signature where the whole is signed; then trailers.
 *
 *   10000;chunk-signature=<hex>\r\n <bytes> \r\n … 0;chunk-signature=<hex>\r\n x-amz-checksum-crc32:<base64>\r\n
 *   x-amz-trailer-signature:<hex>\r\n \r\n
 *
 * Bytes are handed on before their piece's signature was checked: nobody takes them for anything before the end came.
 */
import { createHash } from "node:crypto";
import type { ChunkSigner } from "./authentication.ts";
import { S3Error } from "./s3-error.ts";
import { emptyHash, isSame, scopeText, sha256, sign } from "./signature.ts";

export interface ChunkedForm {
  /** null: pieces and trailers are not signed. */
  readonly signer: ChunkSigner | null;
  readonly hasTrailer: boolean;
}

const longestLine = 4096;
const mostTrailers = 8;
/** Clients send pieces of 8 KiB and more. So many may be smaller; beyond, each would cost more to judge than it brings. */
const smallPieceBytes = 1024;
const mostSmallPieces = 1000;

/** The bytes; trailers are added to the map before it ends. */
export async function* decodeChunked(
  source: AsyncIterable<Buffer>,
  { signer, hasTrailer }: ChunkedForm,
  trailers: Map<string, string>,
): AsyncGenerator<Buffer> {
  const reader = new Reader(source);
  let previous = signer?.seed ?? "";
  const check = (kind: string, hashes: readonly string[], sent: string | undefined) => {
    if (signer === null) return;
    const text = [`AWS4-HMAC-SHA256-${kind}`, signer.timestamp, scopeText(signer.scope), previous, ...hashes].join(
      "\n",
    );
    const signature = sign(signer.key, text);
    if (sent === undefined || !isSame(signature, sent))
      throw new S3Error(
        "SignatureDoesNotMatch",
        "A piece of the body does not have the signature that it should have.",
      );
    previous = signature;
  };
  let small = 0;
  for (;;) {
    const [, size = "", signature] =
      /^([0-9a-fA-F]{1,8})(?:;chunk-signature=([0-9a-f]{64}))?$/.exec(await reader.line()) ?? [];
    if (size === "") throw new S3Error("IncompleteBody", "The body is not in the pieces that its headers announce.");
    const length = Number.parseInt(size, 16);
    if (length < smallPieceBytes && ++small > mostSmallPieces)
      throw new S3Error(
        "InvalidRequest",
        `The body has more than ${mostSmallPieces} pieces of less than ${smallPieceBytes} bytes: send larger ones.`,
      );
    const hash = createHash("sha256");
    for await (const bytes of reader.bytes(length)) {
      if (signer !== null) hash.update(bytes);
      yield bytes;
    }
    check("PAYLOAD", [emptyHash, hash.digest("hex")], signature);
    if (length === 0) break;
    if ((await reader.line()) !== "")
      throw new S3Error("IncompleteBody", "A piece of the body is longer than it says.");
  }
  if (!hasTrailer) return;
  let signed = "";
  for (let line = await reader.line(); line !== ""; line = await reader.line()) {
    const colon = line.indexOf(":");
    const [name, value] = [line.slice(0, colon).trim().toLowerCase(), line.slice(colon + 1).trim()];
    if (colon < 1 || trailers.size >= mostTrailers)
      throw new S3Error("MalformedXML", "The body's trailer is not understood.");
    if (name !== "x-amz-trailer-signature") signed += `${name}:${value}\n`;
    trailers.set(name, value);
  }
  check("TRAILER", [sha256(signed)], trailers.get("x-amz-trailer-signature"));
}

/** Lines and bytes out of pieces of any size. */
class Reader {
  readonly #source: AsyncIterator<Buffer>;
  #rest: Buffer = Buffer.alloc(0);

  constructor(source: AsyncIterable<Buffer>) {
    this.#source = source[Symbol.asyncIterator]();
  }

  async line(): Promise<string> {
    for (;;) {
      const end = this.#rest.indexOf("\r\n");
      if (end >= 0) {
        const line = this.#rest.toString("latin1", 0, end);
        this.#rest = this.#rest.subarray(end + 2);
        return line;
      }
      if (this.#rest.length > longestLine)
        throw new S3Error("IncompleteBody", "A line between the body's pieces has no end.");
      this.#rest = Buffer.concat([this.#rest, await this.#next()]);
    }
  }

  async *bytes(count: number): AsyncGenerator<Buffer> {
    let left = count;
    while (left > 0) {
      if (this.#rest.length === 0) this.#rest = await this.#next();
      const piece = this.#rest.subarray(0, left);
      this.#rest = this.#rest.subarray(piece.length);
      left -= piece.length;
      if (piece.length > 0) yield piece;
    }
  }

  async #next(): Promise<Buffer> {
    const { done, value } = await this.#source.next();
    if (done === true) throw new S3Error("IncompleteBody", "The body ended before all of its pieces were there.");
    return value;
  }
}
