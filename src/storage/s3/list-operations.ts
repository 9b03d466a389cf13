/** Lists: of the one bucket that a credential knows, and of what lies in it, in both versions of S3. */
import type { ListedObject } from "../object-store.ts";
import { keyWriter } from "./attributes.ts";
import { type S3Answer, type S3Call, xmlAnswer } from "./call.ts";
import { wholeNumber } from "./request.ts";
import { S3Error } from "./s3-error.ts";
import { element, type Markup, s3Document } from "./xml.ts";

const mostKeys = 1000;

export function listBuckets({ grant }: Pick<S3Call, "grant">): S3Answer {
  const bucket = [element("Name", grant.bucket), element("CreationDate", grant.createdAt.toISOString())];
  return xmlAnswer(
    s3Document("ListAllMyBucketsResult", [owner(grant.accountId), element("Buckets", [element("Bucket", bucket)])]),
  );
}

export async function listObjectsV2(call: S3Call): Promise<S3Answer> {
  const { request, grant } = call;
  const write = keyWriter(request);
  const token = request.parameter("continuation-token");
  const startAfter = request.parameter("start-after") ?? "";
  const page = await readPage(call, token === null ? startAfter : readToken(token));
  const withOwner = request.parameter("fetch-owner") === "true";
  return xmlAnswer(
    s3Document("ListBucketResult", [
      ...page.head(write),
      element("KeyCount", page.entries.length),
      ...(token === null ? [] : [element("ContinuationToken", token)]),
      ...(page.next === null ? [] : [element("NextContinuationToken", Buffer.from(page.next).toString("base64url"))]),
      ...(startAfter === "" ? [] : [element("StartAfter", write(startAfter))]),
      ...page.entries.map((entry) => entryElement(entry, write, withOwner ? grant.accountId : null)),
    ]),
  );
}

export async function listObjectsV1(call: S3Call): Promise<S3Answer> {
  const { request, grant } = call;
  const write = keyWriter(request);
  const marker = request.parameter("marker") ?? "";
  const page = await readPage(call, marker);
  return xmlAnswer(
    s3Document("ListBucketResult", [
      ...page.head(write),
      element("Marker", write(marker)),
      ...(page.next === null ? [] : [element("NextMarker", write(page.next))]),
      ...page.entries.map((entry) => entryElement(entry, write, grant.accountId)),
    ]),
  );
}

async function readPage({ request, store, grant }: S3Call, after: string) {
  const asked = wholeNumber("max-keys", request.parameter("max-keys") ?? String(mostKeys), 0, 2 ** 31 - 1);
  const count = Math.min(asked, mostKeys);
  const [prefix, delimiter] = [request.parameter("prefix") ?? "", request.parameter("delimiter") ?? ""];
  const found = count === 0 ? [] : await store.list(grant, { prefix, delimiter, after, most: count + 1 });
  const entries = found.slice(0, count);
  const isTruncated = found.length > entries.length;
  return {
    entries,
    next: isTruncated ? (entries.at(-1)?.name ?? null) : null,
    head: (write: (key: string) => string): readonly Markup[] => [
      element("Name", grant.bucket),
      element("Prefix", write(prefix)),
      ...(delimiter === "" ? [] : [element("Delimiter", write(delimiter))]),
      element("MaxKeys", count),
      ...(request.parameter("encoding-type") === null ? [] : [element("EncodingType", "url")]),
      element("IsTruncated", isTruncated),
    ],
  };
}

function entryElement(entry: ListedObject, write: (key: string) => string, ownerId: string | null): Markup {
  if (entry.isPrefix) return element("CommonPrefixes", [element("Prefix", write(entry.name))]);
  const { checksum } = entry;
  return element("Contents", [
    element("Key", write(entry.name)),
    element("LastModified", entry.modifiedAt.toISOString()),
    element("ETag", `"${entry.etag}"`),
    ...(checksum === null
      ? []
      : [element("ChecksumAlgorithm", checksum.algorithm), element("ChecksumType", checksum.type)]),
    element("Size", entry.size),
    element("StorageClass", "STANDARD"),
    ...(ownerId === null ? [] : [owner(ownerId)]),
  ]);
}

function owner(accountId: string): Markup {
  return element("Owner", [element("ID", accountId), element("DisplayName", accountId)]);
}

function readToken(token: string): string {
  const bytes = Buffer.from(token, "base64url");
  const text = bytes.toString();
  if (
    token === "" ||
    text.includes("\0") ||
    Buffer.from(text).compare(bytes) !== 0 ||
    bytes.toString("base64url") !== token
  )
    throw new S3Error("InvalidArgument", "The continuation token is not one that a list returned.");
  return text;
}
