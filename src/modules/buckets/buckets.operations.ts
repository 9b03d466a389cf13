import { defineOperation, type Operation } from "../../operation/operation.ts";
import { Closed, cursor, limit, Ok, PageOf } from "../../operation/schema.ts";
import {
  Bucket,
  BucketCredentialWithSecret,
  BucketDeletion,
  BucketDetails,
  NewBucket,
  NewBucketCredential,
} from "./buckets.schema.ts";
import type { BucketsService } from "./buckets.service.ts";

export function bucketOperations(buckets: BucketsService): Operation[] {
  const tag = "Buckets";
  const read = { tag, scope: "buckets:read", access: "read", method: "GET", status: 200 } as const;
  const write = { tag, scope: "buckets:write", access: "write", entity: "bucket" } as const;
  return [
    defineOperation({
      ...read,
      id: "buckets.list",
      path: "/buckets",
      summary: "List buckets, newest first",
      query: Closed({ limit: limit(100, 20), cursor }),
      response: PageOf(Bucket),
      handle: ({ caller, query }) => buckets.list(caller, query.limit ?? 20, query.cursor),
    }),
    defineOperation({
      ...write,
      id: "buckets.create",
      method: "POST",
      path: "/buckets",
      summary: "Create a bucket",
      description: "S3 clients reach it with credentials of its own (POST /buckets/{id}/credentials).",
      body: NewBucket,
      activity: "bucket.created",
      status: 201,
      response: Closed({ bucket: Bucket }),
      errors: ["bucket_name_taken", "conflict"],
      handle: async ({ transaction, caller, body, note }) => {
        const bucket = await buckets.create(transaction, caller, body);
        note({ entityId: bucket.id, metadata: { name: bucket.name } });
        return { bucket };
      },
    }),
    defineOperation({
      ...read,
      id: "buckets.get",
      path: "/buckets/{id}",
      summary: "Get a bucket, with the credentials that reach it",
      response: Closed({ bucket: BucketDetails }),
      handle: async ({ caller, params }) => ({ bucket: await buckets.get(caller, params.id) }),
    }),
    defineOperation({
      ...write,
      id: "buckets.delete",
      method: "DELETE",
      path: "/buckets/{id}",
      access: "admin",
      summary: "Delete a bucket",
      description:
        "One that holds objects only with deleteObjects=true: nobody reaches it from then on, and it is gone from the lists once all of it is deleted. Its name is free again then.",
      query: BucketDeletion,
      activity: "bucket.deleted",
      status: 200,
      response: Ok,
      errors: ["bucket_not_empty"],
      handle: async ({ transaction, caller, params, query, note }) => {
        note({
          metadata: { name: await buckets.remove(transaction, caller, params.id, query.deleteObjects === true) },
        });
        return { ok: true };
      },
    }),
    defineOperation({
      ...write,
      id: "buckets.createCredential",
      method: "POST",
      path: "/buckets/{id}/credentials",
      summary: "Create credentials for a bucket",
      description:
        "For S3 clients, of this bucket alone. The answer is the only place where the secret stands. They are valid until they are deleted, whoever made them.",
      body: NewBucketCredential,
      answersWithSecret: true,
      activity: "bucket.credential_created",
      status: 201,
      response: Closed({ credential: BucketCredentialWithSecret }),
      errors: ["conflict"],
      handle: async ({ transaction, caller, params, body, note }) => {
        const { credential, bucket } = await buckets.createCredential(transaction, caller, params.id, body);
        note({ metadata: { name: bucket, credential: credential.name, accessKeyId: credential.accessKeyId } });
        return { credential };
      },
    }),
    defineOperation({
      ...write,
      id: "buckets.deleteCredential",
      method: "DELETE",
      path: "/buckets/credentials/{credentialId}",
      summary: "Revoke credentials of a bucket",
      description:
        "The next request that is signed with them is refused, and what is under way with them is ended within a second.",
      activity: "bucket.credential_deleted",
      status: 200,
      response: Ok,
      handle: async ({ transaction, caller, params, note }) => {
        const { bucketId, ...metadata } = await buckets.deleteCredential(transaction, caller, params.credentialId);
        note({ entityId: bucketId, metadata });
        return { ok: true };
      },
    }),
  ];
}
