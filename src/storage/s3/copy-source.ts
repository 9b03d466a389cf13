/** The key that `x-amz-copy-source` names: of the same bucket, as a credential reaches no other one. */
import type { Grant } from "../object-store.ts";
import type { S3Request } from "./request.ts";
import { notImplemented, S3Error } from "./s3-error.ts";

export function copySourceOf({ headers }: S3Request, grant: Grant): string {
  const [path = "", version] = (headers["x-amz-copy-source"] ?? "").split("?versionId=");
  if (version !== undefined && version !== "null") throw notImplemented("versions of objects");
  const source = decode(path).replace(/^\//, "");
  const slash = source.indexOf("/");
  const key = source.slice(slash + 1);
  if (slash < 1 || key === "" || key.includes("\0"))
    throw new S3Error("InvalidArgument", "x-amz-copy-source has to be <bucket>/<key>, in percent-encoding.");
  if (source.slice(0, slash) !== grant.bucket)
    throw new S3Error("AccessDenied", "This credential is of another bucket than the one to copy from.");
  return key;
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new S3Error("InvalidArgument", "x-amz-copy-source is not valid UTF-8 in percent-encoding.");
  }
}
