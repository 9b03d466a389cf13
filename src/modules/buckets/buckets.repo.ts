import { type Insertable, type Selectable, sql } from "kysely";
import type { Executor } from "../../platform/database/database.ts";
import type { Tables } from "../../platform/database/tables.ts";

export type BucketRow = Awaited<ReturnType<typeof listBuckets>>[number];
export type CredentialRow = Selectable<Tables["bucketCredentials"]>;

function selectBuckets(executor: Executor, accountId: string) {
  return executor
    .selectFrom("buckets")
    .innerJoin("bucketUsage", "bucketUsage.bucketId", "buckets.id")
    .select(["buckets.id", "buckets.name", "buckets.projectId", "buckets.status", "buckets.createdAt"])
    .select(["bucketUsage.objects", "bucketUsage.bytes"])
    .where("buckets.accountId", "=", accountId);
}

export function findBucket(executor: Executor, accountId: string, id: string) {
  return selectBuckets(executor, accountId).where("buckets.id", "=", id).executeTakeFirst();
}

/** Newest first; up to `count` rows behind the id `after`. */
export function listBuckets(executor: Executor, accountId: string, count: number, after: string | null) {
  return selectBuckets(executor, accountId)
    .$if(after !== null, (query) => query.where("buckets.id", "<", after ?? ""))
    .orderBy("buckets.id", "desc")
    .limit(count)
    .execute();
}

/** How many the account has; nobody else adds one before the transaction ends. */
export async function countBuckets(executor: Executor, accountId: string): Promise<number> {
  await sql`select pg_advisory_xact_lock(hashtextextended('buckets of ' || ${accountId}, 0))`.execute(executor);
  const row = await executor
    .selectFrom("buckets")
    .select((eb) => eb.fn.countAll<number>().as("count"))
    .where("accountId", "=", accountId)
    .executeTakeFirst();
  return row?.count ?? 0;
}

/** undefined: the name is taken. */
export async function insertBucket(
  executor: Executor,
  bucket: Insertable<Tables["buckets"]> & { readonly id: string },
  now: Date,
): Promise<{ readonly createdAt: Date } | undefined> {
  const row = await executor
    .insertInto("buckets")
    .values(bucket)
    .onConflict((conflict) => conflict.column("name").doNothing())
    .returning("createdAt")
    .executeTakeFirst();
  if (row !== undefined)
    await executor.insertInto("bucketUsage").values({ bucketId: bucket.id, countedTo: now }).execute();
  return row;
}

export async function hasProject(executor: Executor, accountId: string, id: string): Promise<boolean> {
  const row = await executor
    .selectFrom("projects")
    .select("id")
    .where("accountId", "=", accountId)
    .where("id", "=", id)
    .executeTakeFirst();
  return row !== undefined;
}

/** With its lock: nothing is written into it meanwhile. `entries`: its objects and unfinished uploads. */
export async function lockBucket(executor: Executor, accountId: string, id: string) {
  const { rows } = await sql<{ name: string; status: "ACTIVE" | "DELETING"; objects: number; hasUploads: boolean }>`
    select name, status, objects, exists (select from bucket_uploads where bucket_uploads.bucket_id = buckets.id) as has_uploads
    from buckets join bucket_usage on bucket_usage.bucket_id = buckets.id
    where account_id = ${accountId} and id = ${id} for update of bucket_usage`.execute(executor);
  return rows[0];
}

export async function setDeleting(executor: Executor, accountId: string, id: string): Promise<void> {
  await executor
    .updateTable("buckets")
    .set({ status: "DELETING" })
    .where("accountId", "=", accountId)
    .where("id", "=", id)
    .execute();
  await executor
    .deleteFrom("bucketCredentials")
    .where("accountId", "=", accountId)
    .where("bucketId", "=", id)
    .execute();
}

export function listCredentials(executor: Executor, accountId: string, bucketId: string) {
  return executor
    .selectFrom("bucketCredentials")
    .selectAll()
    .where("accountId", "=", accountId)
    .where("bucketId", "=", bucketId)
    .orderBy("id", "desc")
    .execute();
}

export function insertCredential(
  executor: Executor,
  credential: Insertable<Tables["bucketCredentials"]>,
): Promise<CredentialRow> {
  return executor.insertInto("bucketCredentials").values(credential).returningAll().executeTakeFirstOrThrow();
}

export function deleteCredential(executor: Executor, accountId: string, id: string) {
  return executor
    .deleteFrom("bucketCredentials")
    .using("buckets")
    .whereRef("buckets.id", "=", "bucketCredentials.bucketId")
    .where("bucketCredentials.accountId", "=", accountId)
    .where("bucketCredentials.id", "=", id)
    .returning([
      "bucketCredentials.bucketId",
      "bucketCredentials.name as credential",
      "bucketCredentials.accessKeyId",
      "buckets.name",
    ])
    .executeTakeFirst();
}
