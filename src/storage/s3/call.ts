/** What an operation of S3 is given, and what it answers. */
import type { Clock } from "../../kernel/clock.ts";
import type { BlobFiles } from "../blob-files.ts";
import type { Grant, ObjectStore } from "../object-store.ts";
import type { Authenticated } from "./authentication.ts";
import type { S3Request } from "./request.ts";
import { S3Error } from "./s3-error.ts";

export interface S3Parts {
  readonly store: ObjectStore;
  readonly blobs: BlobFiles;
  readonly clock: Clock;
}

export interface S3Call extends S3Parts {
  readonly request: S3Request;
  readonly authenticated: Authenticated;
  readonly grant: Grant;
  /** Empty for a request to the bucket. */
  readonly key: string;
  /** The body as it comes. */
  readonly source: AsyncIterable<Buffer>;
}

export interface S3Answer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | AsyncIterable<Buffer>;
}

/**
 * For browsers that a link is opened in: whatever it is, it gets an origin of its own and runs nothing, never beside the
 * dashboard's cookies (they are of the host, whatever the port).
 */
export const inert = { "x-content-type-options": "nosniff", "content-security-policy": "sandbox" } as const;

export function xmlAnswer(body: string, headers: Readonly<Record<string, string>> = {}): S3Answer {
  return { status: 200, headers: { "content-type": "application/xml", ...inert, ...headers }, body };
}

/** Throws unless so much may be written; nothing else is given that room until the work has ended. */
export async function withRoom<Result>(
  { store, grant }: Pick<S3Call, "store" | "grant">,
  { bytes, entries = 1 }: { readonly bytes: number; readonly entries?: number },
  work: () => Promise<Result>,
): Promise<Result> {
  checkAccess(grant);
  const room = await store.setAside(grant, { bytes, entries });
  if (typeof room !== "function")
    throw new S3Error(room.reason === "SUSPENDED" ? "AccessDenied" : "QuotaExceeded", room.message);
  try {
    return await work();
  } finally {
    room();
  }
}

export function checkAccess(grant: Grant): void {
  if (grant.access !== "READ_WRITE")
    throw new S3Error("AccessDenied", "This credential may only read: make one for reading and writing.");
}
