/**
 * Object storage: buckets of files that any S3 client speaks to, on a port of its own.
 *
 *   client ──► s3/server.ts: one request ──► s3/authentication.ts: whose credential (AWS Signature V4)
 *                                                │
 *                                                ▼
 *              s3/*-operations.ts ──► the port below ──► modules/buckets (rows) and blob-files.ts (bytes)
 *
 * This folder knows the protocol and the files; whose a bucket is and what lies in it are rows, behind `ObjectStore`.
 *
 * A write: the bytes go into a new file, named by an id of ours, never by a key; the file is synced; then one transaction
 * makes it an object. A reader sees the object before or after, never half of it; one that reads the former object keeps
 * its files until it is done. kill -9 before the transaction leaves a file that no row names: it is swept away.
 *
 * What a hostile tenant would try, and what stops it:
 * - another's bucket, or a guess at names: a credential is of one bucket, every other one answers alike (AccessDenied);
 * - keys such as `../../etc/passwd`: keys are never paths; NUL, broken UTF-8 and more than 1024 bytes are refused;
 * - a signature of something else: all of the request's x-amz headers and its host have to be signed, the body is compared
 *   with what was signed before it becomes an object; requests older than 15 minutes and expired links are refused;
 * - bodies without end, slowly or never completed: lengths are declared and bounded, a connection that stands still for
 *   a minute or carries less than 1 KiB/s is cut, what is uploaded in parts counts as stored and goes after 7 days;
 * - filling the disk or the database: bytes and files are bounded for each account, together with what its writes under
 *   way may add and what it has deleted while it still reads it; nothing is written while the disk has less free than
 *   twice what builds need; a file without a row is removed at once, wherever it is known that there is none;
 * - a page that runs scripts beside the dashboard's cookies: whatever is sent is sandboxed (PDF apart) and not sniffed;
 * - a stolen credential that has begun a long upload or download: it ends within a second of being revoked;
 * - large lists, XML bombs: lists are of 1000 entries, XML of 2 MiB, without document types and entities of its own.
 */
export type ChecksumAlgorithm = "CRC32" | "CRC32C" | "CRC64NVME" | "SHA1" | "SHA256";

export interface Checksum {
  readonly algorithm: ChecksumAlgorithm;
  /** COMPOSITE: of the parts' checksums, one behind the other. */
  readonly type: "FULL_OBJECT" | "COMPOSITE";
  /** Base64; a COMPOSITE one with `-` and the number of parts. */
  readonly value: string;
}

/** What is kept with an object beside its bytes. */
export interface ObjectAttributes {
  /** `content-type` and its kin, as they are sent back. */
  readonly headers: Readonly<Record<string, string>>;
  /** `x-amz-meta-*`, without that prefix. */
  readonly metadata: Readonly<Record<string, string>>;
  readonly checksum: Checksum | null;
  /** The multipart upload that it was made of; null: none. */
  readonly uploadId: string | null;
}

export interface StoredObject {
  readonly key: string;
  readonly size: number;
  /** Without quotes. */
  readonly etag: string;
  readonly modifiedAt: Date;
  readonly attributes: ObjectAttributes;
  readonly blobs: readonly BlobRef[];
}

/** One file of the bytes. */
export interface BlobRef {
  readonly id: string;
  readonly size: number;
}

/** What a credential leads to. */
export interface Grant {
  readonly credentialId: string;
  readonly secret: string;
  readonly access: "READ" | "READ_WRITE";
  readonly accountId: string;
  readonly bucketId: string;
  readonly bucket: string;
  readonly createdAt: Date;
}

/** What a write is about to add. */
export interface Room {
  readonly bytes: number;
  /** Objects or parts: whichever there are more files of. */
  readonly entries: number;
}

export interface WriteRefusal {
  readonly reason: "SUSPENDED" | "BLOCKED" | "TOO_MANY_BYTES" | "TOO_MANY_FILES";
  /** For people: what is wrong, and what to do. */
  readonly message: string;
}

export interface ListedObject {
  readonly name: string;
  /** A common prefix: the rest says nothing. */
  readonly isPrefix: boolean;
  readonly size: number;
  readonly etag: string;
  readonly modifiedAt: Date;
  readonly checksum: Checksum | null;
}

export interface ListWish {
  readonly prefix: string;
  readonly delimiter: string;
  readonly after: string;
  readonly most: number;
}

export interface Upload {
  readonly id: string;
  readonly key: string;
  readonly attributes: ObjectAttributes;
  /** Of its parts, where the client has named one. */
  readonly checksum: { readonly algorithm: ChecksumAlgorithm; readonly type: Checksum["type"] } | null;
  readonly startedAt: Date;
}

export interface Part {
  readonly number: number;
  readonly blobId: string;
  readonly size: number;
  readonly etag: string;
  readonly checksum: string | null;
  readonly modifiedAt: Date;
}

export interface NewObject {
  readonly key: string;
  readonly size: number;
  readonly etag: string;
  readonly attributes: ObjectAttributes;
  readonly blobs: readonly BlobRef[];
}

/** `ifNone`: only where there is no such object yet; `ifEtag`: only over the one with that ETag. */
export interface WriteCondition {
  readonly ifNone: boolean;
  readonly ifEtag: string | null;
}

export type StoreOutcome = "STORED" | "NO_BUCKET" | "NO_UPLOAD" | "EXISTS" | "CHANGED";

export interface UploadListWish {
  readonly prefix: string;
  readonly afterKey: string;
  readonly afterId: string | null;
  readonly most: number;
}

/** Rows of what lies in buckets. Every call names the bucket of a grant; nothing else says what may be reached. */
export interface ObjectStore {
  /** null: there is no such credential, or its bucket is being deleted. */
  findGrant(accessKeyId: string): Promise<Grant | null>;
  /** Of these credentials, those that still lead somewhere. */
  findGranted(credentialIds: readonly string[]): Promise<ReadonlySet<string>>;
  noteUse(grant: Grant): void;
  /** Sets room aside, so that no other write takes it too; the answer gives back what was not used. */
  setAside(grant: Grant, room: Room): Promise<WriteRefusal | (() => void)>;
  find(grant: Grant, key: string): Promise<StoredObject | null>;
  list(grant: Grant, wish: ListWish): Promise<readonly ListedObject[]>;
  /** With an upload, of its parts. */
  store(grant: Grant, object: NewObject, upload: Upload | null, condition: WriteCondition): Promise<StoreOutcome>;
  remove(grant: Grant, keys: readonly string[]): Promise<void>;
  /** null: there are too many. */
  startUpload(grant: Grant, upload: Pick<Upload, "key" | "attributes" | "checksum">): Promise<Upload | null>;
  findUpload(grant: Grant, id: string): Promise<Upload | null>;
  listUploads(grant: Grant, wish: UploadListWish): Promise<readonly Upload[]>;
  /** false: there is no such upload any more. */
  storePart(grant: Grant, upload: Upload, part: Omit<Part, "modifiedAt">): Promise<boolean>;
  listParts(grant: Grant, upload: Upload, after: number, most: number): Promise<readonly Part[]>;
  abortUpload(grant: Grant, id: string): Promise<boolean>;
}
