/** Under which conditions an object is sent, written or copied, and which part of it: as RFC 9110 has them. Pure. */
import type { StoredObject, WriteCondition } from "../object-store.ts";
import { type S3Request, wholeNumber } from "./request.ts";
import { notImplemented, S3Error } from "./s3-error.ts";

type Known = Pick<StoredObject, "etag" | "modifiedAt">;

/** Throws `PreconditionFailed` or `NotModified`. `prefix` is that of the headers: a copy's source has its own. */
export function checkConditions(headers: S3Request["headers"], { etag, modifiedAt }: Known, prefix = ""): void {
  // HTTP's dates are of seconds.
  const modified = Math.floor(modifiedAt.getTime() / 1000) * 1000;
  const of = (name: string) => headers[`${prefix}${name}`];
  const time = (name: string) => {
    const at = Date.parse(of(name) ?? "");
    return Number.isNaN(at) ? null : at;
  };
  const failed = (name: string) => new S3Error("PreconditionFailed", `The condition ${prefix}${name} does not hold.`);
  const [match, noneMatch] = [of("if-match"), of("if-none-match")];
  if (match !== undefined) {
    if (!names(match, etag)) throw failed("if-match");
  } else {
    const at = time("if-unmodified-since");
    if (at !== null && modified > at) throw failed("if-unmodified-since");
  }
  const unchanged = (name: string) =>
    prefix === "" ? new S3Error("NotModified", "The object is as it was.") : failed(name);
  if (noneMatch !== undefined) {
    if (names(noneMatch, etag)) throw unchanged("if-none-match");
  } else {
    const at = time("if-modified-since");
    if (at !== null && modified <= at) throw unchanged("if-modified-since");
  }
}

export function writeCondition({ headers }: S3Request): WriteCondition {
  const [match, noneMatch] = [headers["if-match"], headers["if-none-match"]];
  if (noneMatch !== undefined && noneMatch !== "*") throw notImplemented("If-None-Match of a write but *");
  if (match === "*" || (match !== undefined && noneMatch !== undefined))
    throw notImplemented("this If-Match of a write");
  return { ifNone: noneMatch !== undefined, ifEtag: match === undefined ? null : unquote(match) };
}

export interface ByteRange {
  readonly start: number;
  /** Included. */
  readonly end: number;
}

/** null: all of it. Several ranges at once, and what is no range, are as if nothing had been asked for. */
export function rangeOf(
  headers: S3Request["headers"],
  { size, etag }: Pick<StoredObject, "size" | "etag">,
): ByteRange | null {
  const ifRange = headers["if-range"];
  if (ifRange !== undefined && unquote(ifRange) !== etag) return null;
  const [, first = "", last = ""] = /^bytes=(\d{0,15})-(\d{0,15})$/.exec((headers.range ?? "").trim()) ?? [];
  if (first === "" && last === "") return null;
  const start = first === "" ? Math.max(size - Number(last), 0) : Number(first);
  const end = first === "" || last === "" ? size - 1 : Math.min(Number(last), size - 1);
  if (first !== "" && last !== "" && Number(last) < start) return null;
  if (start > end) throw new S3Error("InvalidRange", `The object has ${size} bytes: the range is outside of it.`);
  return { start, end };
}

/** The bytes of one part, as it was uploaded. */
export function partRange(text: string, { blobs }: Pick<StoredObject, "blobs">): ByteRange | null {
  const number = wholeNumber("partNumber", text, 1, 10_000);
  if (blobs.length === 0 && number === 1) return null;
  const part = blobs[number - 1];
  if (part === undefined) throw new S3Error("InvalidRange", `The object has ${Math.max(blobs.length, 1)} parts.`);
  const start = blobs.slice(0, number - 1).reduce((sum, { size }) => sum + size, 0);
  return part.size === 0 ? null : { start, end: start + part.size - 1 };
}

export function unquote(etag: string): string {
  return etag
    .trim()
    .replace(/^W\//, "")
    .replace(/^"(.*)"$/, "$1");
}

function names(list: string, etag: string): boolean {
  return list.split(",").some((one) => one.trim() === "*" || unquote(one) === etag);
}
