/** Uploads in parts: each part a file of its own; the object is their list, so completing one copies nothing. */
import { createHash } from "node:crypto";
import { isUuid } from "../../kernel/ids.ts";
import type { Checksum, ChecksumAlgorithm, Part, StoredObject, Upload } from "../object-store.ts";
import { attributesOf, keyWriter } from "./attributes.ts";
import { checksumHeader, largestPut, openBody, readDocument } from "./body.ts";
import { checkAccess, type S3Answer, type S3Call, withRoom, xmlAnswer } from "./call.ts";
import { canCombine, checksumAlgorithms, combinedChecksum, compositeChecksum, startChecksum } from "./checksums.ts";
import { checkConditions, unquote } from "./conditions.ts";
import { copySourceOf } from "./copy-source.ts";
import { copyResult, findObject, orRemove, readXml, storeObject, writeBody } from "./object-operations.ts";
import { wholeNumber } from "./request.ts";
import { notImplemented, S3Error } from "./s3-error.ts";
import { childText, element, type Markup, s3Document } from "./xml.ts";

/** As S3's own: smaller ones are taken at the end alone. */
const smallestPart = 5 * 2 ** 20;
const largestObject = 5 * 2 ** 40;
const mostParts = 10_000;

export async function createUpload(call: S3Call): Promise<S3Answer> {
  const { request, store, grant, key } = call;
  const attributes = attributesOf(request);
  const checksum = wantedChecksum(call);
  const upload = await withRoom(call, { bytes: 0 }, () => store.startUpload(grant, { key, attributes, checksum }));
  if (upload === null)
    throw new S3Error("TooManyUploads", "The bucket has too many unfinished uploads: complete or abort some of them.");
  const answer = [element("Bucket", grant.bucket), element("Key", key), element("UploadId", upload.id)];
  return xmlAnswer(
    s3Document("InitiateMultipartUploadResult", answer),
    checksum === null ? {} : { "x-amz-checksum-algorithm": checksum.algorithm, "x-amz-checksum-type": checksum.type },
  );
}

function wantedChecksum({ request: { headers } }: S3Call): Upload["checksum"] {
  const name = headers["x-amz-checksum-algorithm"]?.toUpperCase();
  if (name === undefined) return null;
  const algorithm = checksumAlgorithms.find((one) => one === name);
  if (algorithm === undefined) throw notImplemented(`the checksum ${name}`);
  const type =
    headers["x-amz-checksum-type"]?.toUpperCase() ?? (algorithm === "CRC64NVME" ? "FULL_OBJECT" : "COMPOSITE");
  if (type !== "FULL_OBJECT" && type !== "COMPOSITE")
    throw new S3Error("InvalidRequest", "x-amz-checksum-type has to be FULL_OBJECT or COMPOSITE.");
  if (type === "FULL_OBJECT" ? !canCombine(algorithm) : algorithm === "CRC64NVME")
    throw new S3Error("InvalidRequest", `The checksum ${algorithm} can't be of the type ${type}.`);
  return { algorithm, type };
}

export async function uploadPart(call: S3Call): Promise<S3Answer> {
  const { request, key } = call;
  const number = partNumberOf(call);
  const upload = await findUpload(call);
  const algorithm = upload.checksum?.algorithm ?? null;
  const body = openBody(request, call.authenticated, call.source, { checksum: algorithm });
  const { md5, checksum } = await withRoom(call, { bytes: body.length }, async () => {
    const [blob] = await writeBody(call, body);
    const result = body.result();
    if (blob === undefined) throw new S3Error("EntityTooSmall", `Part ${number} of ${key} is empty.`);
    const sum = result.checksum?.algorithm === algorithm ? result.checksum.value : null;
    await storePart(call, upload, { number, blobId: blob.id, size: blob.size, etag: result.md5, checksum: sum });
    return result;
  });
  return {
    status: 200,
    headers: {
      etag: `"${md5}"`,
      ...(checksum === null ? {} : { [checksumHeader(checksum.algorithm)]: checksum.value }),
    },
  };
}

/** A real copy: a part may be any range of its source. */
export async function uploadPartCopy(call: S3Call): Promise<S3Answer> {
  const { request, grant } = call;
  const number = partNumberOf(call);
  const upload = await findUpload(call);
  const source = await findObject(call, copySourceOf(request, grant));
  checkConditions(request.headers, source, "x-amz-copy-source-");
  const { start, end } = copyRange(request.headers["x-amz-copy-source-range"], source.size);
  const etag = await withRoom(call, { bytes: end - start + 1 }, () =>
    copyPart(call, upload, number, source, start, end),
  );
  return xmlAnswer(s3Document("CopyPartResult", copyResult(call, etag)));
}

/** The ETag. */
async function copyPart(
  call: S3Call,
  upload: Upload,
  number: number,
  source: StoredObject,
  start: number,
  end: number,
): Promise<string> {
  const md5 = createHash("md5");
  const checksum = upload.checksum === null ? null : startChecksum(upload.checksum.algorithm);
  const read = await call.blobs.read(source.blobs, start, end);
  const hashed = async function* () {
    for await (const chunk of read) {
      md5.update(chunk);
      checksum?.update(chunk);
      yield chunk;
    }
  };
  const blob = await call.blobs.write(hashed());
  const etag = md5.digest("hex");
  const part = { number, blobId: blob.id, size: blob.size, etag, checksum: checksum?.digest() ?? null };
  await storePart(call, upload, part);
  return etag;
}

function copyRange(text: string | undefined, size: number): { readonly start: number; readonly end: number } {
  if (size === 0) throw new S3Error("EntityTooSmall", "The object to copy from is empty.");
  if (text === undefined) return { start: 0, end: checkedEnd(0, size - 1) };
  const [, start, end] = /^bytes=(\d{1,15})-(\d{1,15})$/.exec(text) ?? [];
  if (start === undefined || Number(start) > Number(end) || Number(end) >= size)
    throw new S3Error(
      "InvalidArgument",
      `x-amz-copy-source-range has to be bytes=<first>-<last>, within the ${size} bytes.`,
    );
  return { start: Number(start), end: checkedEnd(Number(start), Number(end)) };
}

function checkedEnd(start: number, end: number): number {
  if (end - start >= largestPut) throw new S3Error("EntityTooLarge", `A part has at most ${largestPut} bytes.`);
  return end;
}

async function storePart(call: S3Call, upload: Upload, part: Omit<Part, "modifiedAt">): Promise<void> {
  if (await orRemove(call, [part.blobId], call.store.storePart(call.grant, upload, part))) return;
  await call.blobs.remove([part.blobId]);
  throw noSuchUpload();
}

export async function completeUpload(call: S3Call): Promise<S3Answer> {
  const { request, store, grant, key } = call;
  checkAccess(grant);
  const named = readParts(await readDocument(request, call.authenticated, call.source));
  const upload = await store.findUpload(grant, uploadIdOf(call));
  if (upload === null || upload.key !== key) {
    // The answer to the first request was lost.
    const object = await store.find(grant, key);
    if (object === null || object.attributes.uploadId !== uploadIdOf(call)) throw noSuchUpload();
    return completed(call, object.etag, object.attributes.checksum);
  }
  const parts = chosenParts(named, await allParts(call, upload));
  const size = parts.reduce((sum, part) => sum + part.size, 0);
  if (size > largestObject) throw new S3Error("EntityTooLarge", `An object has at most ${largestObject} bytes.`);
  const announced = request.headers["x-amz-mp-object-size"];
  if (announced !== undefined && announced !== String(size))
    throw new S3Error("InvalidRequest", `The parts have ${size} bytes, and x-amz-mp-object-size says ${announced}.`);
  const md5 = createHash("md5");
  for (const { etag } of parts) md5.update(Buffer.from(etag, "hex"));
  const etag = `${md5.digest("hex")}-${parts.length}`;
  const checksum = await checksumOf(upload, parts);
  const sent = checksum === null ? undefined : request.headers[checksumHeader(checksum.algorithm)];
  if (checksum !== null && sent !== undefined && sent.replace(/-\d+$/, "") !== checksum.value.replace(/-\d+$/, ""))
    throw new S3Error("BadDigest", "The parts together do not have the checksum that was sent.");
  const attributes = { ...upload.attributes, checksum, uploadId: upload.id };
  const blobs = parts.map(({ blobId, size: bytes }) => ({ id: blobId, size: bytes }));
  await withRoom(call, { bytes: 0 }, () => storeObject(call, { key, size, etag, attributes, blobs }, upload));
  return completed(call, etag, checksum);
}

function completed({ grant, key, request }: S3Call, etag: string, checksum: Checksum | null): S3Answer {
  return xmlAnswer(
    s3Document("CompleteMultipartUploadResult", [
      element("Location", `http://${request.headers.host}${request.path}`),
      element("Bucket", grant.bucket),
      element("Key", key),
      element("ETag", `"${etag}"`),
      ...(checksum === null
        ? []
        : [element(checksumElement(checksum.algorithm), checksum.value), element("ChecksumType", checksum.type)]),
    ]),
  );
}

interface NamedPart {
  readonly number: number;
  readonly etag: string;
}

function readParts(text: string): readonly NamedPart[] {
  const document = readXml(text);
  const parts = document.children.filter(({ name }) => name === "Part");
  if (document.name !== "CompleteMultipartUpload" || parts.length === 0 || parts.length > mostParts)
    throw new S3Error("MalformedXML", `The body has to be a CompleteMultipartUpload of 1 to ${mostParts} parts.`);
  return parts.map((part) => ({
    number: wholeNumber("PartNumber", childText(part, "PartNumber") ?? "", 1, mostParts),
    etag: unquote(childText(part, "ETag") ?? ""),
  }));
}

function chosenParts(named: readonly NamedPart[], known: readonly Part[]): readonly Part[] {
  const byNumber = new Map(known.map((part) => [part.number, part]));
  if (named.some(({ number }, index) => number <= (named[index - 1]?.number ?? 0)))
    throw new S3Error("InvalidPartOrder", "The parts have to be in the order of their numbers, each once.");
  return named.map(({ number, etag }, index) => {
    const part = byNumber.get(number);
    if (part === undefined || part.etag !== etag)
      throw new S3Error("InvalidPart", `Part ${number} was not uploaded, or not with this ETag.`);
    if (part.size < smallestPart && index < named.length - 1)
      throw new S3Error(
        "EntityTooSmall",
        `Part ${number} has ${part.size} bytes: all but the last have at least ${smallestPart}.`,
      );
    return part;
  });
}

async function checksumOf({ checksum }: Upload, parts: readonly Part[]): Promise<Checksum | null> {
  if (checksum === null) return null;
  const values = parts.map((part) => part.checksum ?? "");
  const { algorithm, type } = checksum;
  const value =
    type === "COMPOSITE"
      ? compositeChecksum(algorithm, values)
      : await combinedChecksum(
          algorithm,
          parts.map((part) => ({ value: part.checksum ?? "", size: part.size })),
        );
  return { algorithm, type, value };
}

async function allParts({ store, grant }: S3Call, upload: Upload): Promise<readonly Part[]> {
  return store.listParts(grant, upload, 0, mostParts);
}

export async function abortUpload(call: S3Call): Promise<S3Answer> {
  const { store, grant } = call;
  checkAccess(grant);
  const upload = await findUpload(call);
  if (!(await store.abortUpload(grant, upload.id))) throw noSuchUpload();
  return { status: 204 };
}

export async function listParts(call: S3Call): Promise<S3Answer> {
  const { request, store, grant } = call;
  const upload = await findUpload(call);
  const most = wholeNumber("max-parts", request.parameter("max-parts") ?? "1000", 0, Number.MAX_SAFE_INTEGER);
  const after = wholeNumber(
    "part-number-marker",
    request.parameter("part-number-marker") ?? "0",
    0,
    Number.MAX_SAFE_INTEGER,
  );
  const count = Math.min(most, 1000);
  const found = await store.listParts(grant, upload, Math.min(after, mostParts), count + 1);
  const parts = found.slice(0, count);
  const write = keyWriter(request);
  return xmlAnswer(
    s3Document("ListPartsResult", [
      element("Bucket", grant.bucket),
      element("Key", write(upload.key)),
      element("UploadId", upload.id),
      element("PartNumberMarker", after),
      element("NextPartNumberMarker", parts.at(-1)?.number ?? 0),
      element("MaxParts", count),
      element("IsTruncated", found.length > parts.length),
      element("StorageClass", "STANDARD"),
      ...parts.map((part) => element("Part", partFields(part, upload.checksum?.algorithm ?? null))),
    ]),
  );
}

function partFields(part: Part, algorithm: ChecksumAlgorithm | null): readonly Markup[] {
  return [
    element("PartNumber", part.number),
    element("LastModified", part.modifiedAt.toISOString()),
    element("ETag", `"${part.etag}"`),
    element("Size", part.size),
    ...(part.checksum === null || algorithm === null ? [] : [element(checksumElement(algorithm), part.checksum)]),
  ];
}

export async function listUploads(call: S3Call): Promise<S3Answer> {
  const { request, store, grant } = call;
  if ((request.parameter("delimiter") ?? "") !== "") throw notImplemented("a delimiter in lists of uploads");
  const write = keyWriter(request);
  const count = Math.min(
    wholeNumber("max-uploads", request.parameter("max-uploads") ?? "1000", 0, Number.MAX_SAFE_INTEGER),
    1000,
  );
  const [prefix, afterKey] = [request.parameter("prefix") ?? "", request.parameter("key-marker") ?? ""];
  const marker = request.parameter("upload-id-marker");
  const afterId = marker !== null && isUuid(marker) ? marker : null;
  const found = await store.listUploads(grant, { prefix, afterKey, afterId, most: count + 1 });
  const uploads = found.slice(0, count);
  const last = uploads.at(-1);
  return xmlAnswer(
    s3Document("ListMultipartUploadsResult", [
      element("Bucket", grant.bucket),
      element("KeyMarker", write(afterKey)),
      element("UploadIdMarker", marker ?? ""),
      element("NextKeyMarker", write(last?.key ?? "")),
      element("NextUploadIdMarker", last?.id ?? ""),
      element("Prefix", write(prefix)),
      element("MaxUploads", count),
      element("IsTruncated", found.length > uploads.length),
      ...uploads.map(({ id, key, startedAt }) =>
        element("Upload", [
          element("Key", write(key)),
          element("UploadId", id),
          element("StorageClass", "STANDARD"),
          element("Initiated", startedAt.toISOString()),
        ]),
      ),
    ]),
  );
}

async function findUpload(call: S3Call): Promise<Upload> {
  const upload = await call.store.findUpload(call.grant, uploadIdOf(call));
  if (upload === null || upload.key !== call.key) throw noSuchUpload();
  return upload;
}

function uploadIdOf({ request }: S3Call): string {
  const id = request.parameter("uploadId") ?? "";
  if (!isUuid(id)) throw noSuchUpload();
  return id;
}

function partNumberOf({ request }: S3Call): number {
  return wholeNumber("partNumber", request.parameter("partNumber") ?? "", 1, mostParts);
}

function noSuchUpload(): S3Error {
  return new S3Error(
    "NoSuchUpload",
    "There is no such upload of this key: it was completed or aborted, or went after 7 days.",
  );
}

function checksumElement(algorithm: ChecksumAlgorithm): string {
  return `Checksum${algorithm}`;
}
