/** Buckets, the credentials to reach them with, and what lies in them. */
import type { ColumnType, Generated } from "kysely";
import type { Json } from "../../../kernel/json.ts";
import type { CreatedAt } from "./created-at.ts";

/** Written as text, read as what it holds. */
type Jsonb = ColumnType<{ readonly [name: string]: Json }, string, string>;

export interface BucketsTables {
  buckets: {
    id: string;
    accountId: string;
    projectId: string | null;
    name: string;
    status: Generated<"ACTIVE" | "DELETING">;
    createdAt: CreatedAt;
  };
  bucketUsage: {
    bucketId: string;
    objects: Generated<number>;
    files: Generated<number>;
    bytes: Generated<number>;
    byteMs: Generated<string>;
    countedTo: Date;
  };
  bucketCredentials: {
    id: string;
    accountId: string;
    bucketId: string;
    name: string;
    access: "READ" | "READ_WRITE";
    accessKeyId: string;
    sealedSecret: Buffer;
    lastUsedAt: Date | null;
    createdAt: CreatedAt;
  };
  bucketBlobs: {
    id: string;
    bucketId: string;
    size: number;
    doomedAt: Date | null;
  };
  /** Written by `store_object` and `delete_objects` alone. */
  bucketObjects: {
    readonly bucketId: string;
    readonly key: string;
    readonly size: number;
    readonly etag: string;
    readonly modifiedAt: Date;
    readonly attributes: Jsonb;
    readonly blobIds: readonly string[];
    readonly blobSizes: readonly number[];
  };
  bucketUploads: {
    id: string;
    bucketId: string;
    key: string;
    attributes: Jsonb;
    startedAt: Date;
  };
  /** Written by `store_part` alone. */
  bucketParts: {
    readonly uploadId: string;
    readonly number: number;
    readonly blobId: string;
    readonly size: number;
    readonly etag: string;
    readonly checksum: string | null;
    readonly modifiedAt: Date;
  };
  bucketIdentity: { readonly id: string };
}
