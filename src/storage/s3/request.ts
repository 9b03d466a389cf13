/** A request as S3 reads it: which bucket, which key, which parameters; from its head alone. */
import type { IncomingMessage } from "node:http";
import { S3Error } from "./s3-error.ts";

export interface S3Request {
  readonly method: string;
  /** As it was sent, without what follows the question mark. */
  readonly path: string;
  /** Decoded, in the order of the address. */
  readonly parameters: readonly (readonly [name: string, value: string])[];
  /** By lower-case name. */
  readonly headers: Readonly<Record<string, string>>;
  readonly bucket: string | null;
  readonly key: string | null;
  /** The first of that name; null: there is none. */
  parameter(name: string): string | null;
}

const longestKey = 1024;

/** `host`, without a port: below it a bucket's name may stand in the host instead of the path. */
export function readRequest(message: Pick<IncomingMessage, "method" | "url" | "headers">, host: string): S3Request {
  const url = message.url ?? "";
  if (!url.startsWith("/")) throw new S3Error("InvalidURI", "The address has to begin with a slash.");
  const mark = url.indexOf("?");
  const path = mark < 0 ? url : url.slice(0, mark);
  const parameters = mark < 0 ? [] : readParameters(url.slice(mark + 1));
  const headers = headersFrom(
    Object.entries(message.headers).map(([name, value]) => [
      name,
      Array.isArray(value) ? value.join(",") : (value ?? ""),
    ]),
  );
  const named = bucketOfHost(headers.host ?? "", host);
  const decoded = decode(path).slice(1);
  const slash = decoded.indexOf("/");
  const bucket = named ?? (slash < 0 ? decoded : decoded.slice(0, slash));
  const key = named !== null ? decoded : slash < 0 ? "" : decoded.slice(slash + 1);
  if (key.includes("\0")) throw new S3Error("InvalidArgument", "A key can't hold the character NUL.");
  if (Buffer.byteLength(key) > longestKey)
    throw new S3Error(
      "KeyTooLongError",
      `A key has at most ${longestKey} bytes; this one has ${Buffer.byteLength(key)}.`,
    );
  return {
    method: message.method ?? "",
    path,
    parameters,
    headers,
    bucket: bucket === "" ? null : bucket,
    key: key === "" ? null : key,
    parameter: (name) => parameters.find(([one]) => one === name)?.[1] ?? null,
  };
}

/** Without what every object of JavaScript has: a client may ask for a header that is called `constructor`. */
export function headersFrom(entries: Iterable<readonly [string, string]>): Record<string, string> {
  return Object.assign(Object.create(null), Object.fromEntries(entries));
}

function readParameters(query: string): readonly (readonly [string, string])[] {
  return query
    .split("&")
    .filter((pair) => pair !== "")
    .map((pair) => {
      const equals = pair.indexOf("=");
      const [name, value] = equals < 0 ? [pair, ""] : [pair.slice(0, equals), pair.slice(equals + 1)];
      const decoded = decode(value.replaceAll("+", " "));
      if (decoded.includes("\0"))
        throw new S3Error("InvalidArgument", `The parameter ${name} can't hold the character NUL.`);
      return [decode(name.replaceAll("+", " ")), decoded] as const;
    });
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new S3Error("InvalidURI", "The address is not valid UTF-8 in percent-encoding.");
  }
}

function bucketOfHost(sent: string, host: string): string | null {
  const name = sent.toLowerCase().replace(/:\d+$/, "");
  if (!name.endsWith(`.${host}`)) return null;
  return name.slice(0, -host.length - 1);
}

/** Everything but letters, digits and `-._~` in percent-encoding, as signatures and lists want it. */
export function encodeUri(text: string, keep: "slashes" | "nothing"): string {
  const encoded = encodeURIComponent(text).replace(
    /[!'()*]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return keep === "slashes" ? encoded.replaceAll("%2F", "/") : encoded;
}

/** A whole number of a parameter or header; throws `InvalidArgument` for what is none, or beyond the bounds. */
export function wholeNumber(name: string, text: string, least: number, most: number): number {
  const value = Number(text);
  if (!/^\d{1,15}$/.test(text) || value < least || value > most)
    throw new S3Error("InvalidArgument", `${name} has to be a whole number from ${least} to ${most}.`);
  return value;
}
