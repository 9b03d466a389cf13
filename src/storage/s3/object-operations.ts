/** Objects: put, get, head, delete, copy. */
import { wasRefused } from "../../platform/database/database.ts";
import { BlobMissingError } from "../blob-files.ts";
import type { BlobRef, NewObject, StoredObject, StoreOutcome, Upload } from "../object-store.ts";
import { attributesOf, headersOf } from "./attributes.ts";
import { checksumHeader, openBody, readDocument, type SentBody } from "./body.ts";
import { checkAccess, type S3Answer, type S3Call, withRoom, xmlAnswer } from "./call.ts";
import { checkConditions, partRange, rangeOf, writeCondition } from "./conditions.ts";
import { copySourceOf } from "./copy-source.ts";
import { S3Error } from "./s3-error.ts";
import { childText, element, type Markup, parseXml, s3Document, XmlError } from "./xml.ts";

/** An object that was replaced between its row and its files is read anew. */
const readAttempts = 5;
const mostDeleted = 1000;

export async function putObject(call: S3Call): Promise<S3Answer> {
  const { request, key } = call;
  const attributes = attributesOf(request);
  writeCondition(request);
  const body = openBody(request, call.authenticated, call.source);
  const { md5, kept } = await withRoom(call, { bytes: body.length }, async () => {
    const blobs = await writeBody(call, body);
    const { md5, checksum } = body.result();
    const kept = checksum === null ? null : { ...checksum, type: "FULL_OBJECT" as const };
    const object = { key, size: body.length, etag: md5, attributes: { ...attributes, checksum: kept }, blobs };
    await storeObject(call, object, null);
    return { md5, kept };
  });
  return {
    status: 200,
    headers: {
      etag: `"${md5}"`,
      ...(kept === null ? {} : { [checksumHeader(kept.algorithm)]: kept.value, "x-amz-checksum-type": kept.type }),
    },
  };
}

/** The bytes in place; what is empty has no file. */
export async function writeBody({ blobs }: S3Call, body: SentBody): Promise<readonly BlobRef[]> {
  if (body.length > 0) return [await blobs.write(body.chunks)];
  for await (const _ of body.chunks);
  return [];
}

export async function storeObject(call: S3Call, object: NewObject, upload: Upload | null): Promise<void> {
  const stored = call.store.store(call.grant, object, upload, writeCondition(call.request));
  const newFiles = upload === null ? object.blobs.map(({ id }) => id) : [];
  const outcome = await orRemove(call, newFiles, stored);
  if (outcome === "STORED") return;
  await call.blobs.remove(newFiles);
  throw errorOf(outcome, call.key);
}

/** Files whose rows were refused are removed; when nobody knows (the database went away), the sweep finds out. */
export async function orRemove<Outcome>(
  { blobs }: Pick<S3Call, "blobs">,
  newFiles: readonly string[],
  stored: Promise<Outcome>,
): Promise<Outcome> {
  try {
    return await stored;
  } catch (error) {
    if (wasRefused(error)) await blobs.remove(newFiles);
    throw error;
  }
}

function errorOf(outcome: Exclude<StoreOutcome, "STORED">, key: string): S3Error {
  switch (outcome) {
    case "NO_BUCKET":
      return new S3Error("NoSuchBucket", "The bucket is being deleted.");
    case "NO_UPLOAD":
      return new S3Error("NoSuchUpload", "The upload was completed or aborted, or one of its parts was replaced.");
    case "EXISTS":
      return new S3Error("PreconditionFailed", `There is an object ${key} already.`);
    case "CHANGED":
      return new S3Error("PreconditionFailed", `The object ${key} is not the one that If-Match names.`);
  }
}

export async function findObject(
  { store, grant }: Pick<S3Call, "store" | "grant">,
  key: string,
): Promise<StoredObject> {
  const object = await store.find(grant, key);
  if (object === null) throw new S3Error("NoSuchKey", "There is no object with this key.");
  return object;
}

export async function getObject(call: S3Call): Promise<S3Answer> {
  for (let attempt = 1; ; attempt++) {
    const object = await findObject(call, call.key);
    const { headers, status, range } = headOf(call, object);
    if (object.size === 0) return { status, headers, body: "" };
    try {
      return { status, headers, body: await call.blobs.read(object.blobs, range.start, range.end) };
    } catch (error) {
      if (!(error instanceof BlobMissingError) || attempt === readAttempts) throw error;
    }
  }
}

export async function headObject(call: S3Call): Promise<S3Answer> {
  const { headers, status } = headOf(call, await findObject(call, call.key));
  return { status, headers };
}

function headOf({ request }: S3Call, object: StoredObject) {
  checkConditions(request.headers, object);
  const headers = headersOf(object, request);
  const part = request.parameter("partNumber");
  const asked = part === null ? rangeOf(request.headers, object) : partRange(part, object);
  const range = asked ?? { start: 0, end: object.size - 1 };
  headers["content-length"] = String(range.end - range.start + 1);
  if (asked !== null) headers["content-range"] = `bytes ${range.start}-${range.end}/${object.size}`;
  if (part !== null && object.blobs.length > 1) headers["x-amz-mp-parts-count"] = String(object.blobs.length);
  return { headers, range, status: asked === null ? 200 : 206 };
}

export async function deleteObject({ store, grant, key }: S3Call): Promise<S3Answer> {
  checkAccess(grant);
  await store.remove(grant, [key]);
  return { status: 204 };
}

export async function deleteObjects(call: S3Call): Promise<S3Answer> {
  checkAccess(call.grant);
  const document = readXml(await readDocument(call.request, call.authenticated, call.source));
  const keys = document.children
    .filter(({ name }) => name === "Object")
    .map((object) => childText(object, "Key") ?? "");
  if (document.name !== "Delete" || keys.length === 0 || keys.length > mostDeleted || keys.includes(""))
    throw new S3Error("MalformedXML", `The body has to be a Delete of 1 to ${mostDeleted} objects, each with its key.`);
  // What can't be a key is no object either.
  await call.store.remove(
    call.grant,
    keys.filter((key) => !key.includes("\0")),
  );
  const isQuiet = childText(document, "Quiet") === "true";
  const deleted = isQuiet ? [] : keys.map((key) => element("Deleted", [element("Key", key)]));
  return xmlAnswer(s3Document("DeleteResult", deleted));
}

export function readXml(text: string) {
  try {
    return parseXml(text);
  } catch (error) {
    if (error instanceof XmlError)
      throw new S3Error("MalformedXML", `The body is not the XML that is wanted: ${error.message}.`);
    throw error;
  }
}

export async function copyObject(call: S3Call): Promise<S3Answer> {
  const { request, key, grant } = call;
  const sourceKey = copySourceOf(request, grant);
  const directive = request.headers["x-amz-metadata-directive"] ?? "COPY";
  if (directive !== "COPY" && directive !== "REPLACE")
    throw new S3Error("InvalidArgument", "x-amz-metadata-directive has to be COPY or REPLACE.");
  if (sourceKey === key && directive === "COPY")
    throw new S3Error(
      "InvalidRequest",
      "An object is copied onto itself only to replace its metadata (x-amz-metadata-directive: REPLACE).",
    );
  const wanted = attributesOf(request);
  for (let attempt = 1; ; attempt++) {
    const source = await findObject(call, sourceKey);
    checkConditions(request.headers, source, "x-amz-copy-source-");
    const { checksum } = source.attributes;
    const attributes = { ...(directive === "COPY" ? source.attributes : wanted), checksum, uploadId: null };
    const room = { bytes: source.size, entries: Math.max(1, source.blobs.length) };
    const isDone = await withRoom(call, room, async () => {
      const blobs: BlobRef[] = [];
      try {
        for (const blob of source.blobs) blobs.push(await call.blobs.duplicate(blob));
      } catch (error) {
        await call.blobs.remove(blobs.map(({ id }) => id));
        if (error instanceof BlobMissingError && attempt < readAttempts) return false;
        throw error;
      }
      await storeObject(call, { key, size: source.size, etag: source.etag, attributes, blobs }, null);
      return true;
    });
    if (!isDone) continue;
    return xmlAnswer(s3Document("CopyObjectResult", copyResult(call, source.etag)));
  }
}

export function copyResult({ clock }: Pick<S3Call, "clock">, etag: string): readonly Markup[] {
  return [element("LastModified", clock.now().toISOString()), element("ETag", `"${etag}"`)];
}
