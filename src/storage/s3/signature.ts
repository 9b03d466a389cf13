/**
 * AWS Signature, version 4, as S3 has it: what is signed, and with which key. Pure functions; `authentication.ts` decides.
 * https://docs.aws.amazon.com/AmazonS3/latest/API/sig-v4-authenticating-requests.html
 */
import { createHash, createHmac, timingSafeEqual } from "node:crypto";
import { encodeUri, type S3Request } from "./request.ts";

export const algorithm = "AWS4-HMAC-SHA256";
export const emptyHash = sha256("");

export interface Scope {
  /** `20130524` */
  readonly date: string;
  readonly region: string;
}

export function scopeText({ date, region }: Scope): string {
  return `${date}/${region}/s3/aws4_request`;
}

export function signingKey(secret: string, { date, region }: Scope): Buffer {
  return [date, region, "s3", "aws4_request"].reduce<Buffer>(
    (key, part) => hmac(key, part),
    Buffer.from(`AWS4${secret}`),
  );
}

/** `without` is the parameter that holds the signature itself. */
export function canonicalRequest(
  request: Pick<S3Request, "method" | "path" | "parameters" | "headers">,
  signedHeaders: readonly string[],
  payloadHash: string,
  without: string | null,
): string {
  const parameters = request.parameters
    .filter(([name]) => name !== without)
    .map(([name, value]) => [encodeUri(name, "nothing"), encodeUri(value, "nothing")] as const)
    .sort(([a, x], [b, y]) => compare(a, b) || compare(x, y));
  return [
    request.method,
    encodeUri(decodeURIComponent(request.path), "slashes"),
    parameters.map(([name, value]) => `${name}=${value}`).join("&"),
    ...signedHeaders.map((name) => `${name}:${(request.headers[name] ?? "").trim().replace(/ +/g, " ")}`),
    "",
    signedHeaders.join(";"),
    payloadHash,
  ].join("\n");
}

export function stringToSign(timestamp: string, scope: Scope, canonical: string): string {
  return [algorithm, timestamp, scopeText(scope), sha256(canonical)].join("\n");
}

export function sign(key: Buffer, text: string): string {
  return hmac(key, text).toString("hex");
}

/** In a time that says nothing about where they differ. */
export function isSame(expected: string, sent: string): boolean {
  const [one, other] = [Buffer.from(expected), Buffer.from(sent)];
  return one.length === other.length && timingSafeEqual(one, other);
}

export function sha256(text: string | Buffer): string {
  return createHash("sha256").update(text).digest("hex");
}

function hmac(key: Buffer, text: string): Buffer {
  return createHmac("sha256", key).update(text).digest();
}

/** By bytes: what is compared is ASCII. */
function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
