/** What lies in buckets. Every query names a bucket that was reached by a credential of its own; see `findGrant`. */
import { sql } from "kysely";
import type { Executor } from "../../platform/database/database.ts";
import type {
  Checksum,
  ChecksumAlgorithm,
  ListedObject,
  ListWish,
  NewObject,
  ObjectAttributes,
  Part,
  StoreOutcome,
  UploadListWish,
} from "../../storage/object-store.ts";

export async function findGrant(executor: Executor, accessKeyId: string) {
  return executor
    .selectFrom("bucketCredentials")
    .innerJoin("buckets", "buckets.id", "bucketCredentials.bucketId")
    .select([
      "bucketCredentials.id",
      "bucketCredentials.sealedSecret",
      "bucketCredentials.access",
      "bucketCredentials.lastUsedAt",
      "buckets.accountId",
      "buckets.id as bucketId",
      "buckets.name",
      "buckets.createdAt",
    ])
    .where("bucketCredentials.accessKeyId", "=", accessKeyId)
    .where("buckets.status", "=", "ACTIVE")
    .executeTakeFirst();
}

/** Of these, those that are not revoked, and whose bucket is not being deleted. */
export async function findGranted(executor: Executor, credentialIds: readonly string[]): Promise<ReadonlySet<string>> {
  const { rows } = await sql<{ id: string }>`
    select bucket_credentials.id from bucket_credentials join buckets on buckets.id = bucket_credentials.bucket_id
    where bucket_credentials.id = any(${credentialIds}::uuid[]) and buckets.status = 'ACTIVE'`.execute(executor);
  return new Set(rows.map(({ id }) => id));
}

export async function noteUse(executor: Executor, credentialId: string, at: Date, before: Date): Promise<void> {
  await sql`update bucket_credentials set last_used_at = ${at}
    where id = ${credentialId} and (last_used_at is null or last_used_at < ${before})`.execute(executor);
}

export interface AccountStorage {
  readonly isSuspended: boolean;
  readonly isBlocked: boolean;
  readonly bytes: number;
  readonly entries: number;
}

/**
 * What an account stores, of all its buckets, and whether it may store more. What was deleted before `leavingSince` and is
 * there all the same, since somebody reads it, takes its room as before.
 */
export async function findAccountStorage(
  executor: Executor,
  accountId: string,
  leavingSince: Date,
): Promise<AccountStorage | undefined> {
  const { rows } = await sql<AccountStorage>`
    select suspended_at is not null as is_suspended,
      exists (select from blocked_meters where account_id = accounts.id and meter = 'OBJECT_STORAGE') as is_blocked,
      held.bytes + leaving.bytes as bytes, held.entries
    from accounts cross join lateral (
      select coalesce(sum(bytes), 0)::bigint as bytes, coalesce(sum(greatest(objects, files)), 0)::bigint as entries
      from buckets join bucket_usage on bucket_usage.bucket_id = buckets.id where buckets.account_id = accounts.id
    ) as held cross join lateral (
      -- 10,000 files are as many as one object has: a bucket that is being emptied must not make each write add up millions.
      select coalesce(sum(size), 0)::bigint as bytes from (
        select size from buckets join bucket_blobs on bucket_blobs.bucket_id = buckets.id
        where buckets.account_id = accounts.id and doomed_at < ${leavingSince} limit 10000
      ) as still_read
    ) as leaving where accounts.id = ${accountId}`.execute(executor);
  return rows[0];
}

export interface ObjectRow {
  readonly key: string;
  readonly size: number;
  readonly etag: string;
  readonly modifiedAt: Date;
  readonly attributes: ObjectAttributes;
  readonly blobIds: readonly string[];
  readonly blobSizes: readonly number[];
}

export async function findObject(executor: Executor, bucketId: string, key: string): Promise<ObjectRow | undefined> {
  const { rows } = await sql<ObjectRow>`
    select key, size, etag, modified_at, attributes, blob_ids::text[] as blob_ids, blob_sizes::float8[] as blob_sizes
    from bucket_objects where bucket_id = ${bucketId} and key = ${key}`.execute(executor);
  return rows[0];
}

/** Without what else is kept with each, which may be 6 KB: a list of 1000 would be as many MB, for nothing. */
export async function listObjects(
  executor: Executor,
  bucketId: string,
  { prefix, delimiter, after, most }: ListWish,
): Promise<readonly ListedObject[]> {
  const { rows } = await sql<ListedObject>`
    select name, is_prefix, object_size as size, object_etag as etag, object_modified_at as modified_at,
      nullif(object_attributes -> 'checksum', 'null') as checksum
    from list_objects(${bucketId}::uuid, ${prefix}::text, ${delimiter}::text, ${after}::text, ${most}::integer)`.execute(
    executor,
  );
  return rows;
}

export async function storeObject(
  executor: Executor,
  bucketId: string,
  { key, size, etag, attributes, blobs }: NewObject,
  at: Date,
  uploadId: string | null,
  onlyIf: string | null,
): Promise<StoreOutcome> {
  const ids = blobs.map(({ id }) => id);
  const sizes = blobs.map((blob) => blob.size);
  const { rows } = await sql<{ outcome: StoreOutcome }>`
    select store_object(${bucketId}::uuid, ${key}::text, ${size}::bigint, ${etag}::text, ${at}::timestamptz,
      ${JSON.stringify(attributes)}::jsonb, ${ids}::uuid[], ${sizes}::bigint[], ${uploadId}::uuid, ${onlyIf}::text) as outcome`.execute(
    executor,
  );
  return rows[0]?.outcome ?? "NO_BUCKET";
}

export async function deleteObjects(
  executor: Executor,
  bucketId: string,
  keys: readonly string[],
  at: Date,
): Promise<void> {
  await sql`select delete_objects(${bucketId}::uuid, ${keys}::text[], ${at}::timestamptz)`.execute(executor);
}

interface UploadRow {
  readonly id: string;
  readonly key: string;
  readonly attributes: UploadAttributes;
  readonly startedAt: Date;
}

interface UploadAttributes extends ObjectAttributes {
  readonly parts: { readonly algorithm: ChecksumAlgorithm; readonly type: Checksum["type"] } | null;
}

export async function countUploads(executor: Executor, bucketId: string): Promise<number> {
  const row = await executor
    .selectFrom("bucketUploads")
    .select((eb) => eb.fn.countAll<number>().as("count"))
    .where("bucketId", "=", bucketId)
    .executeTakeFirst();
  return row?.count ?? 0;
}

export async function insertUpload(
  executor: Executor,
  bucketId: string,
  upload: {
    readonly id: string;
    readonly key: string;
    readonly attributes: UploadAttributes;
    readonly startedAt: Date;
  },
): Promise<void> {
  const { attributes, ...row } = upload;
  await executor
    .insertInto("bucketUploads")
    .values({ ...row, bucketId, attributes: JSON.stringify(attributes) })
    .execute();
}

export async function findUpload(executor: Executor, bucketId: string, id: string): Promise<UploadRow | undefined> {
  const { rows } = await sql<UploadRow>`select id, key, attributes, started_at from bucket_uploads
    where bucket_id = ${bucketId} and id = ${id}`.execute(executor);
  return rows[0];
}

export async function listUploads(
  executor: Executor,
  bucketId: string,
  { prefix, afterKey, afterId, most }: UploadListWish,
): Promise<readonly UploadRow[]> {
  const { rows } = await sql<UploadRow>`select id, key, attributes, started_at from bucket_uploads
    where bucket_id = ${bucketId} and starts_with(key, ${prefix}) and key >= ${prefix}
      and (key > ${afterKey} or (key = ${afterKey} and ${afterId}::uuid is not null and id > ${afterId}::uuid))
    order by key, id limit ${most}`.execute(executor);
  return rows;
}

export async function storePart(
  executor: Executor,
  bucketId: string,
  uploadId: string,
  { number, blobId, size, etag, checksum }: Omit<Part, "modifiedAt">,
  at: Date,
): Promise<boolean> {
  const { rows } = await sql<{ stored: boolean }>`
    select store_part(${bucketId}::uuid, ${uploadId}::uuid, ${number}::integer, ${blobId}::uuid, ${size}::bigint,
      ${etag}::text, ${checksum}::text, ${at}::timestamptz) as stored`.execute(executor);
  return rows[0]?.stored === true;
}

export function listParts(executor: Executor, uploadId: string, after: number, most: number): Promise<readonly Part[]> {
  return executor
    .selectFrom("bucketParts")
    .select(["number", "blobId", "size", "etag", "checksum", "modifiedAt"])
    .where("uploadId", "=", uploadId)
    .where("number", ">", after)
    .orderBy("number")
    .limit(most)
    .execute();
}

export async function abortUpload(executor: Executor, bucketId: string, id: string, at: Date): Promise<boolean> {
  const { rows } = await sql<{ aborted: boolean }>`
    select abort_upload(${bucketId}::uuid, ${id}::uuid, ${at}::timestamptz) as aborted`.execute(executor);
  return rows[0]?.aborted === true;
}
