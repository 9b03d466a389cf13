/** The platform's own work on all buckets: whose they are does not matter here. */
import { sql } from "kysely";
import type { Executor } from "../../platform/database/database.ts";

export function listDeleting(executor: Executor) {
  return executor.selectFrom("buckets").select("id").where("status", "=", "DELETING").limit(100).execute();
}

/** Up to `count` objects of the bucket go; how many went. */
export async function deleteSomeObjects(
  executor: Executor,
  bucketId: string,
  count: number,
  at: Date,
): Promise<number> {
  const { rows } = await sql<{ gone: number }>`
    select delete_objects(${bucketId}::uuid, array(
      select key from bucket_objects where bucket_id = ${bucketId} order by key limit ${count}), ${at}::timestamptz) as gone`.execute(
    executor,
  );
  return rows[0]?.gone ?? 0;
}

/** Uploads that began before `before` end, up to `count`; of one bucket, or of all. How many ended. */
export async function abortUploads(
  executor: Executor,
  bucketId: string | null,
  before: Date,
  count: number,
  at: Date,
): Promise<number> {
  const { rows } = await sql`
    select abort_upload(bucket_id, id, ${at}::timestamptz) from (
      select bucket_id, id from bucket_uploads
      where started_at < ${before} and (${bucketId}::uuid is null or bucket_id = ${bucketId}::uuid)
      order by bucket_id, id limit ${count}
    ) as old`.execute(executor);
  return rows.length;
}

/** What it held is counted to the end; then its row goes, unless files of it are still there: they count as its account's. */
export async function deleteBucket(executor: Executor, id: string, at: Date): Promise<void> {
  await countStorage(executor, id, at);
  await executor
    .deleteFrom("buckets")
    .where("id", "=", id)
    .where("status", "=", "DELETING")
    .where(({ not, exists, selectFrom }) =>
      not(exists(selectFrom("bucketBlobs").select("id").where("bucketId", "=", id).where("doomedAt", "is not", null))),
    )
    .execute();
}

export async function countStorage(executor: Executor, bucketId: string, at: Date): Promise<void> {
  await sql`select count_storage(${bucketId}::uuid, ${at}::timestamptz)`.execute(executor);
}

/** Buckets behind `after` that held anything since they were counted, by id. */
export async function listUncounted(
  executor: Executor,
  before: Date,
  after: string | null,
  count: number,
): Promise<readonly string[]> {
  const rows = await executor
    .selectFrom("bucketUsage")
    .select("bucketId")
    .where("countedTo", "<=", before)
    .where((eb) => eb.or([eb("bytes", ">", 0), eb("byteMs", ">", "0")]))
    .$if(after !== null, (query) => query.where("bucketId", ">", after ?? ""))
    .orderBy("bucketId")
    .limit(count)
    .execute();
  return rows.map(({ bucketId }) => bucketId);
}

/** Files to be deleted behind `after`, by id. */
export function listDoomed(executor: Executor, after: string | null, count: number) {
  return executor
    .selectFrom("bucketBlobs")
    .select(["id", "doomedAt"])
    .where("doomedAt", "is not", null)
    .$if(after !== null, (query) => query.where("id", ">", after ?? ""))
    .orderBy("id")
    .limit(count)
    .execute();
}

export async function forgetBlobs(executor: Executor, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return;
  await sql`delete from bucket_blobs where id = any(${ids}::uuid[]) and doomed_at is not null`.execute(executor);
}

/** Of these, those that a row names. */
export async function knownBlobs(executor: Executor, ids: readonly string[]): Promise<ReadonlySet<string>> {
  const { rows } = await sql<{ id: string }>`select id from bucket_blobs where id = any(${ids}::uuid[])`.execute(
    executor,
  );
  return new Set(rows.map(({ id }) => id));
}

export async function findIdentity(executor: Executor): Promise<string> {
  const row = await executor.selectFrom("bucketIdentity").select("id").executeTakeFirstOrThrow();
  return row.id;
}
