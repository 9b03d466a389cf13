/**
 * Buckets: object storage that any S3 client speaks to (src/storage/object-store.ts says how). This module holds the rows:
 *
 *   buckets.service.ts  what people do: buckets, and the credentials to reach them with
 *   object-rows.ts      what S3 clients do: objects, uploads and their parts, behind the port `ObjectStore`
 *   storage.cleaner.ts  what goes on by itself: deletes what was deleted, ends old uploads, sweeps, meters
 *
 * A bucket: ACTIVE ─► DELETING (asked for; nobody reaches it any more) ─► gone, when the cleaner has deleted what lay in it.
 * Reading needs VIEWER, making buckets and credentials DEVELOPER, deleting a bucket ADMIN.
 *
 * bucket_usage holds what a bucket contains, and is the lock under which that changes; each change adds bytes × time to it,
 * so that what is metered is exact and nothing is counted twice, whoever dies when (migration: count_storage).
 *
 * A credential is of one bucket and stays valid until it is revoked: programs use it, not people. SigV4 needs its secret in
 * the clear, so it is sealed at rest and never shown again. kill -9: everything is one transaction; files without a row are
 * swept, files that a transaction has doomed are deleted by the next look.
 */
import { randomBytes } from "node:crypto";
import type { Clock } from "../../kernel/clock.ts";
import { decodeCursor, type Page, pageOf } from "../../kernel/cursor.ts";
import { DomainError, notFound, unknownInBody } from "../../kernel/errors.ts";
import { newId } from "../../kernel/ids.ts";
import type { Caller } from "../../operation/caller.ts";
import type { SecretBox } from "../../platform/crypto.ts";
import type { Database, Executor } from "../../platform/database/database.ts";
import * as repo from "./buckets.repo.ts";
import type {
  Bucket,
  BucketCredential,
  BucketCredentialWithSecret,
  BucketDetails,
  NewBucket,
  NewBucketCredential,
} from "./buckets.schema.ts";

const mostBuckets = 100;
const mostCredentials = 20;

export interface BucketsServiceOptions {
  readonly database: Database;
  readonly secrets: SecretBox;
  readonly clock: Clock;
  /** Where S3 clients reach this Ksar; asked for once it listens. */
  readonly endpoint: () => string;
}

export class BucketsService {
  readonly #options: BucketsServiceOptions;

  constructor(options: BucketsServiceOptions) {
    this.#options = options;
  }

  async list(caller: Caller, limit: number, cursor: string | undefined): Promise<Page<Bucket>> {
    const after = cursor === undefined ? null : decodeCursor(cursor);
    const rows = await repo.listBuckets(this.#options.database, caller.accountId, limit + 1, after);
    return pageOf(rows, limit, (row) => this.#present(row));
  }

  async get(caller: Caller, id: string): Promise<BucketDetails> {
    const { database } = this.#options;
    const row = await repo.findBucket(database, caller.accountId, id);
    if (row === undefined) throw notFound("bucket");
    const credentials = await repo.listCredentials(database, caller.accountId, id);
    return { ...this.#present(row), credentials: credentials.map(presentCredential) };
  }

  async create(transaction: Executor, caller: Caller, { name, projectId = null }: NewBucket): Promise<Bucket> {
    const { accountId } = caller;
    if (projectId !== null && !(await repo.hasProject(transaction, accountId, projectId)))
      throw unknownInBody("/projectId", "project");
    if ((await repo.countBuckets(transaction, accountId)) >= mostBuckets)
      throw new DomainError("conflict", `An account has at most ${mostBuckets} buckets: delete one first.`);
    const id = newId();
    const made = await repo.insertBucket(transaction, { id, accountId, projectId, name }, this.#options.clock.now());
    if (made === undefined)
      throw new DomainError(
        "bucket_name_taken",
        `A bucket of this platform is called "${name}" already: choose another name.`,
      );
    return this.#present({ id, name, projectId, status: "ACTIVE", objects: 0, bytes: 0, ...made });
  }

  /** The name of what goes. */
  async remove(transaction: Executor, caller: Caller, id: string, withObjects: boolean): Promise<string> {
    const bucket = await repo.lockBucket(transaction, caller.accountId, id);
    if (bucket === undefined) throw notFound("bucket");
    if (!withObjects && bucket.status === "ACTIVE" && (bucket.objects > 0 || bucket.hasUploads)) {
      const what = bucket.objects > 0 ? `${bucket.objects} objects` : "unfinished uploads";
      throw new DomainError(
        "bucket_not_empty",
        `The bucket holds ${what}: empty it first, or ask for deleteObjects=true.`,
      );
    }
    await repo.setDeleting(transaction, caller.accountId, id);
    return bucket.name;
  }

  async createCredential(
    transaction: Executor,
    caller: Caller,
    bucketId: string,
    { name, access = "READ_WRITE" }: NewBucketCredential,
  ): Promise<{ readonly credential: BucketCredentialWithSecret; readonly bucket: string }> {
    const { accountId } = caller;
    const bucket = await repo.lockBucket(transaction, accountId, bucketId);
    if (bucket === undefined) throw notFound("bucket");
    if (bucket.status !== "ACTIVE") throw new DomainError("conflict", "The bucket is being deleted.");
    if ((await repo.listCredentials(transaction, accountId, bucketId)).length >= mostCredentials)
      throw new DomainError("conflict", `A bucket has at most ${mostCredentials} credentials: revoke one first.`);
    const id = newId();
    const secretAccessKey = randomBytes(30).toString("base64url");
    const row = await repo.insertCredential(transaction, {
      ...{ id, accountId, bucketId, name, access },
      accessKeyId: newAccessKeyId(),
      sealedSecret: this.#options.secrets.seal(secretAccessKey, secretContext(id)),
    });
    const endpoint = this.#options.endpoint();
    return { credential: { ...presentCredential(row), secretAccessKey, endpoint }, bucket: bucket.name };
  }

  async deleteCredential(transaction: Executor, caller: Caller, id: string) {
    const gone = await repo.deleteCredential(transaction, caller.accountId, id);
    if (gone === undefined) throw notFound("credential");
    return gone;
  }

  #present({ bytes, createdAt, ...row }: repo.BucketRow): Bucket {
    return { ...row, sizeBytes: bytes, endpoint: this.#options.endpoint(), createdAt: createdAt.toISOString() };
  }
}

export function secretContext(credentialId: string): string {
  return `bucket-credential/${credentialId}/secret`;
}

const accessKeyLetters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

/** 20 letters, as clients know them: "KSAR" and 80 random bits. */
function newAccessKeyId(): string {
  return `KSAR${Array.from(randomBytes(16), (byte) => accessKeyLetters[byte % 32]).join("")}`;
}

function presentCredential(row: repo.CredentialRow): BucketCredential {
  const { id, name, access, accessKeyId, lastUsedAt, createdAt } = row;
  return {
    ...{ id, name, access, accessKeyId },
    lastUsedAt: lastUsedAt?.toISOString() ?? null,
    createdAt: createdAt.toISOString(),
  };
}
