/** Which operation of S3 a request is. What is none of these is refused in S3's own words, never half done. */
import { type S3Answer, type S3Call, xmlAnswer } from "./call.ts";
import { listBuckets, listObjectsV1, listObjectsV2 } from "./list-operations.ts";
import {
  abortUpload,
  completeUpload,
  createUpload,
  listParts,
  listUploads,
  uploadPart,
  uploadPartCopy,
} from "./multipart-operations.ts";
import { copyObject, deleteObject, deleteObjects, getObject, headObject, putObject } from "./object-operations.ts";
import type { S3Request } from "./request.ts";
import { notImplemented, S3Error } from "./s3-error.ts";
import { s3Document } from "./xml.ts";

/** Parameters that say which operation is meant; those that none of ours has are refused below. */
const known = new Set(["delete", "list-type", "location", "partNumber", "uploadId", "uploads", "versioning"]);
/** Parameters that go with an operation. */
const details =
  /^(X-Amz-|response-|x-id$|prefix$|delimiter$|marker$|max-|encoding-type$|continuation-token$|start-after$|fetch-owner$|part-number-marker$|key-marker$|upload-id-marker$)/i;

export async function answer(call: S3Call): Promise<S3Answer> {
  const { request, grant, key } = call;
  refuseUnknown(request);
  if (request.bucket === null) {
    if (request.method === "GET") return listBuckets(call);
    throw methodNotAllowed(request);
  }
  if (request.bucket !== grant.bucket)
    throw new S3Error("AccessDenied", "This credential is of another bucket, if there is one of that name at all.");
  return key === "" ? answerBucket(call) : answerObject(call);
}

async function answerBucket(call: S3Call): Promise<S3Answer> {
  const { request } = call;
  const has = (name: string) => request.parameter(name) !== null;
  switch (request.method) {
    case "HEAD":
      return { status: 200, headers: { "x-amz-bucket-region": "us-east-1" } };
    case "GET":
      // Empty: us-east-1, which clients take when they were told of no region.
      if (has("location")) return xmlAnswer(s3Document("LocationConstraint", []));
      if (has("versioning")) return xmlAnswer(s3Document("VersioningConfiguration", []));
      if (has("uploads")) return listUploads(call);
      return request.parameter("list-type") === "2" ? listObjectsV2(call) : listObjectsV1(call);
    case "POST":
      if (has("delete")) return deleteObjects(call);
      throw notImplemented("forms that are sent by browsers");
    case "PUT":
      throw new S3Error(
        "BucketAlreadyOwnedByYou",
        "The bucket is there. Others are made in the dashboard or by the API (POST /buckets).",
      );
    case "DELETE":
      throw new S3Error("AccessDenied", "Buckets are deleted in the dashboard or by the API (DELETE /buckets/{id}).");
    default:
      throw methodNotAllowed(request);
  }
}

async function answerObject(call: S3Call): Promise<S3Answer> {
  const { request } = call;
  const has = (name: string) => request.parameter(name) !== null;
  const isCopy = request.headers["x-amz-copy-source"] !== undefined;
  switch (request.method) {
    case "HEAD":
      return headObject(call);
    case "GET":
      return has("uploadId") ? listParts(call) : getObject(call);
    case "PUT":
      if (has("uploadId")) return isCopy ? uploadPartCopy(call) : uploadPart(call);
      return isCopy ? copyObject(call) : putObject(call);
    case "POST":
      if (has("uploads")) return createUpload(call);
      if (has("uploadId")) return completeUpload(call);
      throw notImplemented("this POST to an object");
    case "DELETE":
      return has("uploadId") ? abortUpload(call) : deleteObject(call);
    default:
      throw methodNotAllowed(request);
  }
}

function refuseUnknown(request: S3Request): void {
  const version = request.parameter("versionId");
  const unknown = request.parameters.find(
    ([name]) => !known.has(name) && !details.test(name) && !(name === "versionId" && version === "null"),
  );
  if (unknown !== undefined) throw notImplemented(`the parameter ${unknown[0]}`);
}

function methodNotAllowed({ method }: S3Request): S3Error {
  return new S3Error("MethodNotAllowed", `${method} is not for this address.`);
}
