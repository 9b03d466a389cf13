/**
 * A request's body, read once and judged on the way: its length, what was signed, the MD5 and the checksum that the client
 * has sent. It throws before its end when one of them is wrong, so that whoever writes it down never takes it for whole.
 */
import { createHash } from "node:crypto";
import type { ChecksumAlgorithm } from "../object-store.ts";
import type { Authenticated } from "./authentication.ts";
import { decodeChunked } from "./aws-chunked.ts";
import { checksumAlgorithms, startChecksum } from "./checksums.ts";
import { type S3Request, wholeNumber } from "./request.ts";
import { notImplemented, S3Error } from "./s3-error.ts";

/** As S3's own: what a single PUT or a part may have. */
export const largestPut = 5 * 2 ** 30;
const largestDocument = 2 * 2 ** 20;
/** Slower than that, once a minute has passed, holds a connection for nothing. */
const slowestBytesPerMs = 1024 / 1000;
const graceMs = 60_000;

export interface SentChecksum {
  readonly algorithm: ChecksumAlgorithm;
  readonly value: string;
}

export interface SentBody {
  readonly length: number;
  readonly chunks: AsyncIterable<Buffer>;
  /** Once it was read to its end. */
  result(): { readonly md5: string; readonly checksum: SentChecksum | null };
}

const streamed = new Map([
  ["STREAMING-AWS4-HMAC-SHA256-PAYLOAD", { isSigned: true, hasTrailer: false }],
  ["STREAMING-AWS4-HMAC-SHA256-PAYLOAD-TRAILER", { isSigned: true, hasTrailer: true }],
  ["STREAMING-UNSIGNED-PAYLOAD-TRAILER", { isSigned: false, hasTrailer: true }],
]);

/** Judges the headers at once, before anything of the body was read. `checksum` is computed even if none was sent. */
export function openBody(
  request: S3Request,
  { payload, signer }: Pick<Authenticated, "payload" | "signer">,
  source: AsyncIterable<Buffer>,
  options: { readonly largest?: number; readonly checksum?: ChecksumAlgorithm | null } = {},
): SentBody {
  const form = streamed.get(payload);
  if (form === undefined && payload !== "UNSIGNED-PAYLOAD" && !/^[0-9a-f]{64}$/.test(payload))
    throw payload.startsWith("STREAMING-")
      ? notImplemented(`bodies of the form ${payload}`)
      : new S3Error("InvalidArgument", "x-amz-content-sha256 has to be UNSIGNED-PAYLOAD, or the SHA-256 of the body.");
  const length = lengthOf(request, form !== undefined, options.largest ?? largestPut);
  const md5 = wantedMd5(request);
  const wanted = wantedChecksum(request);
  const computed = wanted?.algorithm ?? options.checksum ?? null;
  const trailers = new Map<string, string>();
  const bytes =
    form === undefined
      ? source
      : decodeChunked(source, { signer: form.isSigned ? signer : null, hasTrailer: form.hasTrailer }, trailers);
  const hashes = {
    md5: createHash("md5"),
    sha256: form === undefined && payload !== "UNSIGNED-PAYLOAD" ? createHash("sha256") : null,
    checksum: computed === null ? null : startChecksum(computed),
  };
  let result: ReturnType<SentBody["result"]> | null = null;

  async function* judged(): AsyncGenerator<Buffer> {
    const began = performance.now();
    let count = 0;
    for await (const chunk of bytes) {
      count += chunk.length;
      if (count > length) throw new S3Error("IncompleteBody", "The body is longer than its headers say.");
      if (performance.now() - began > graceMs + count / slowestBytesPerMs)
        throw new S3Error("RequestTimeout", "The body comes too slowly: less than 1 KiB a second.");
      hashes.md5.update(chunk);
      hashes.sha256?.update(chunk);
      hashes.checksum?.update(chunk);
      yield chunk;
    }
    if (count !== length) throw new S3Error("IncompleteBody", "The body is shorter than its headers say.");
    const found = { md5: hashes.md5.digest("hex"), checksum: hashes.checksum?.digest() ?? null };
    if (hashes.sha256 !== null && hashes.sha256.digest("hex") !== payload)
      throw new S3Error("XAmzContentSHA256Mismatch", "The body's SHA-256 is not the one that was signed.");
    if (md5 !== null && md5 !== found.md5) throw badDigest("Content-MD5");
    const name = wanted === null ? "" : checksumHeader(wanted.algorithm);
    const expected = wanted?.value ?? trailers.get(name) ?? null;
    if (wanted !== null && expected !== found.checksum) throw badDigest(name);
    const checksum =
      computed === null || found.checksum === null ? null : { algorithm: computed, value: found.checksum };
    result = { md5: found.md5, checksum };
  }

  return {
    length,
    chunks: judged(),
    result: () => {
      if (result === null) throw new Error("the body was not read to its end");
      return result;
    },
  };
}

/** A small body, whole. */
export async function readDocument(
  request: S3Request,
  authenticated: Authenticated,
  source: AsyncIterable<Buffer>,
): Promise<string> {
  const body = openBody(request, authenticated, source, { largest: largestDocument });
  const chunks: Buffer[] = [];
  for await (const chunk of body.chunks) chunks.push(chunk);
  const text = Buffer.concat(chunks);
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(text);
  } catch {
    throw new S3Error("MalformedXML", "The body is not valid UTF-8.");
  }
}

export function checksumHeader(algorithm: ChecksumAlgorithm): string {
  return `x-amz-checksum-${algorithm.toLowerCase()}`;
}

function lengthOf({ headers }: S3Request, isChunked: boolean, largest: number): number {
  const name = isChunked ? "x-amz-decoded-content-length" : "content-length";
  const text = headers[name];
  if (text === undefined)
    throw new S3Error("MissingContentLength", `The header ${name} has to say how long the body is.`);
  const length = wholeNumber(name, text, 0, Number.MAX_SAFE_INTEGER);
  if (length > largest)
    throw new S3Error(
      "EntityTooLarge",
      `The body has ${length} bytes; at most ${largest} are taken at once: upload it in parts.`,
    );
  return length;
}

/** In hexadecimal. */
function wantedMd5({ headers }: S3Request): string | null {
  const text = headers["content-md5"];
  if (text === undefined) return null;
  const bytes = Buffer.from(text, "base64");
  if (bytes.length !== 16) throw new S3Error("InvalidDigest", "Content-MD5 has to be 16 bytes in base64.");
  return bytes.toString("hex");
}

interface WantedChecksum {
  readonly algorithm: ChecksumAlgorithm;
  /** null: it comes in the trailer. */
  readonly value: string | null;
}

function wantedChecksum({ headers }: S3Request): WantedChecksum | null {
  const trailer = (headers["x-amz-trailer"] ?? "").toLowerCase().trim();
  const sent = checksumAlgorithms.flatMap((algorithm): WantedChecksum[] => {
    const name = checksumHeader(algorithm);
    const value = headers[name];
    return value !== undefined ? [{ algorithm, value }] : trailer === name ? [{ algorithm, value: null }] : [];
  });
  if (sent.length > 1) throw new S3Error("InvalidRequest", "Only one checksum can be sent along.");
  if (trailer !== "" && sent.length === 0) throw notImplemented(`the trailer ${trailer}`);
  return sent[0] ?? null;
}

function badDigest(name: string): S3Error {
  return new S3Error("BadDigest", `What was received does not have the ${name} that was sent with it.`);
}
