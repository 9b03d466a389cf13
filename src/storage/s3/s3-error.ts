/** What can go wrong, in S3's words: the codes that clients know, with the status that they expect beside them. */
import { element, xmlDocument } from "./xml.ts";

const statuses = {
  AccessControlListNotSupported: 400,
  AccessDenied: 403,
  AuthorizationHeaderMalformed: 400,
  AuthorizationQueryParametersError: 400,
  BadDigest: 400,
  BucketAlreadyOwnedByYou: 409,
  EntityTooLarge: 400,
  EntityTooSmall: 400,
  IncompleteBody: 400,
  InternalError: 500,
  InvalidAccessKeyId: 403,
  InvalidArgument: 400,
  InvalidBucketName: 400,
  InvalidDigest: 400,
  InvalidPart: 400,
  InvalidPartOrder: 400,
  InvalidRange: 416,
  InvalidRequest: 400,
  InvalidStorageClass: 400,
  InvalidURI: 400,
  KeyTooLongError: 400,
  MalformedXML: 400,
  MetadataTooLarge: 400,
  MethodNotAllowed: 405,
  MissingContentLength: 411,
  NoSuchBucket: 404,
  NoSuchKey: 404,
  NoSuchUpload: 404,
  NotImplemented: 501,
  NotModified: 304,
  PreconditionFailed: 412,
  QuotaExceeded: 403,
  RequestTimeout: 400,
  RequestTimeTooSkewed: 403,
  ServiceUnavailable: 503,
  SignatureDoesNotMatch: 403,
  SlowDown: 503,
  StorageFull: 507,
  TooManyUploads: 400,
  XAmzContentSHA256Mismatch: 400,
} as const;

export type S3ErrorCode = keyof typeof statuses;

export class S3Error extends Error {
  override readonly name = "S3Error";
  readonly code: S3ErrorCode;

  constructor(code: S3ErrorCode, message: string) {
    super(message);
    this.code = code;
  }

  get status(): number {
    return statuses[this.code];
  }
}

export function errorDocument(error: S3Error, resource: string, requestId: string): string {
  return xmlDocument(
    element("Error", [
      element("Code", error.code),
      element("Message", error.message),
      element("Resource", resource),
      element("RequestId", requestId),
    ]),
  );
}

export function notImplemented(what: string): S3Error {
  return new S3Error("NotImplemented", `This storage does not know ${what}.`);
}
