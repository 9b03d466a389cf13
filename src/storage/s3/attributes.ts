/** What a request wants kept with an object, and what is sent back of it. */
import type { ObjectAttributes, StoredObject } from "../object-store.ts";
import { checksumHeader } from "./body.ts";
import { inert } from "./call.ts";
import { encodeUri, type S3Request } from "./request.ts";
import { notImplemented, S3Error } from "./s3-error.ts";

const keptHeaders = [
  "content-type",
  "cache-control",
  "content-disposition",
  "content-encoding",
  "content-language",
  "expires",
] as const;
const metadataPrefix = "x-amz-meta-";
const mostMetadataBytes = 2048;
const mostHeaderBytes = 4096;

export function attributesOf({ headers }: S3Request): ObjectAttributes {
  refuseUnknownWishes(headers);
  const kept: Record<string, string> = {};
  for (const name of keptHeaders) {
    const value = name === "content-encoding" ? withoutChunked(headers[name]) : headers[name];
    if (value !== undefined && value !== "") kept[name] = value;
  }
  const metadata: Record<string, string> = {};
  let bytes = 0;
  for (const [name, value] of Object.entries(headers)) {
    if (!name.startsWith(metadataPrefix)) continue;
    checkMetadata(name, value);
    metadata[name.slice(metadataPrefix.length)] = value;
    bytes += name.length - metadataPrefix.length + Buffer.byteLength(value, "latin1");
  }
  if (bytes > mostMetadataBytes)
    throw new S3Error(
      "MetadataTooLarge",
      `The metadata has ${bytes} bytes, and at most ${mostMetadataBytes} are kept.`,
    );
  if (Object.values(kept).join("").length > mostHeaderBytes)
    throw new S3Error(
      "InvalidArgument",
      `The headers that are kept with an object have at most ${mostHeaderBytes} bytes.`,
    );
  return { headers: kept, metadata, checksum: null, uploadId: null };
}

/** In a link's parameters anything can stand; what could never be sent back as a header would make the object unreadable. */
function checkMetadata(name: string, value: string): void {
  if (!/^x-amz-meta-[\w!#$%&'*+.^`|~-]+$/.test(name) || !/^[\t\x20-\x7e\x80-\xff]*$/.test(value))
    throw new S3Error("InvalidArgument", "Metadata has to be made of what a header may hold, its name as its value.");
}

/** How the client wrote it is not what it is. */
function withoutChunked(value: string | undefined): string | undefined {
  return value
    ?.split(",")
    .map((one) => one.trim())
    .filter((one) => one !== "aws-chunked")
    .join(", ");
}

/** What would change who reads an object, or how it lies there: done as asked, or not at all. */
function refuseUnknownWishes(headers: S3Request["headers"]): void {
  const acl = headers["x-amz-acl"];
  if (acl !== undefined && acl !== "private" && acl !== "bucket-owner-full-control")
    throw new S3Error(
      "AccessControlListNotSupported",
      "Objects are private: give out presigned links instead of access lists.",
    );
  const storageClass = headers["x-amz-storage-class"];
  if (storageClass !== undefined && storageClass !== "STANDARD")
    throw new S3Error("InvalidStorageClass", "There is one storage class: STANDARD.");
  const unknown = Object.keys(headers).find((name) =>
    /^x-amz-(server-side-encryption|tagging|object-lock|website-redirect|grant|copy-source-server-side)/.test(name),
  );
  if (unknown !== undefined) throw notImplemented(`the header ${unknown}`);
}

const overrides = keptHeaders.map((name) => [name, `response-${name}`] as const);

/** What is sent of an object beside its bytes. */
export function headersOf(object: StoredObject, request: S3Request): Record<string, string> {
  const { headers, metadata, checksum } = object.attributes;
  const sent: Record<string, string> = {
    "content-type": "application/octet-stream",
    ...headers,
    "accept-ranges": "bytes",
    "last-modified": object.modifiedAt.toUTCString(),
    etag: `"${object.etag}"`,
    ...inert,
  };
  for (const [name, value] of Object.entries(metadata)) sent[`${metadataPrefix}${name}`] = value;
  for (const [name, parameter] of overrides) {
    const value = request.parameter(parameter);
    if (value === null) continue;
    if (!/^[\t\x20-\x7e]*$/.test(value)) throw new S3Error("InvalidArgument", `${parameter} has to be plain ASCII.`);
    sent[name] = value;
  }
  // Browsers show these with a viewer of their own, which runs nothing here and which a sandbox would keep from it.
  if (sent["content-type"]?.toLowerCase() === "application/pdf") delete sent["content-security-policy"];
  if (
    checksum !== null &&
    request.headers["x-amz-checksum-mode"]?.toUpperCase() === "ENABLED" &&
    request.headers.range === undefined
  ) {
    sent[checksumHeader(checksum.algorithm)] = checksum.value;
    sent["x-amz-checksum-type"] = checksum.type;
  }
  return sent;
}

/** A key in a list: in percent-encoding where the client asks for it, as XML can't hold every character. */
export function keyWriter(request: S3Request): (key: string) => string {
  const encoding = request.parameter("encoding-type");
  if (encoding !== null && encoding !== "url") throw new S3Error("InvalidArgument", "encoding-type has to be url.");
  return encoding === null ? (key) => key : (key) => encodeUri(key, "slashes");
}
