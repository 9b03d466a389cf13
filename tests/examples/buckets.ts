import { type Examples, id, nextNumber, type World } from "./world.ts";

/** An account may have 100, and the tests make more. */
async function newBucket({ api, account }: World): Promise<string> {
  await api.query(
    "delete from buckets where account_id = $1 and id not in (select bucket_id from bucket_objects) and id not in (select id from buckets where account_id = $1 order by id desc limit 20)",
    [account.accountId],
  );
  return (await account.call("POST", "/buckets", { name: `bucket-${nextNumber()}` })).body.bucket.id;
}

export const bucketsExamples: Examples = {
  "buckets.list": async () => ({ query: "limit=5" }),
  "buckets.create": async (world) => {
    await newBucket(world);
    return { body: { name: `bucket-${nextNumber()}`, projectId: world.projectId } };
  },
  "buckets.get": (world) => id(newBucket(world)),
  "buckets.delete": (world) => id(newBucket(world)),
  "buckets.createCredential": async (world) => ({
    params: { id: await newBucket(world) },
    body: { name: "Website", access: "READ" },
  }),
  "buckets.deleteCredential": async (world) => {
    const made = await world.account.call("POST", `/buckets/${await newBucket(world)}/credentials`, {
      name: "Website",
    });
    return { params: { credentialId: made.body.credential.id } };
  },
};
