/** Buckets as the API has them, and what the platform does about them by itself. */
import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { TestAccount } from "../../../tests/api.fixture.ts";
import { newId } from "../../kernel/ids.ts";
import { codeOf, S3Client, textsOf } from "../../storage/s3/s3-client.fixture.ts";
import { startTestStorage, type TestStorage } from "./buckets.fixture.ts";

let now = new Date();
const clock = { now: () => now };
let storage: TestStorage;
let account: TestAccount;

beforeAll(async () => {
  storage = await startTestStorage({ clock }, { accountGb: 1, accountObjects: 50 });
  account = await storage.api.newAccount();
});
afterAll(() => storage.close());

const cleaner = () => storage.api.controlPlane.buckets.cleaner;
const files = () =>
  readdirSync(storage.directory, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile()).length;
const wait = (ms: number) => {
  now = new Date(now.getTime() + ms);
};

describe("the resource", () => {
  test("a bucket is made, shown with its credentials, and deleted", async () => {
    const name = "shop-uploads";
    const made = await account.call("POST", "/buckets", { name });
    expect(made.status).toBe(201);
    const { id } = made.body.bucket;
    expect(made.body.bucket).toMatchObject({ name, projectId: null, status: "ACTIVE", objects: 0, sizeBytes: 0 });
    const credential = (await account.call("POST", `/buckets/${id}/credentials`, { name: "Web" })).body.credential;
    expect(credential).toMatchObject({ name: "Web", access: "READ_WRITE", secretAccessKey: expect.any(String) });
    const shown = await account.call("GET", `/buckets/${id}`);
    expect(shown.body.bucket.credentials.map((one: { id: string }) => one.id)).toEqual([credential.id]);
    expect(JSON.stringify(shown.body)).not.toContain(credential.secretAccessKey);
    const [row] = await storage.api.query("select sealed_secret from bucket_credentials where id = $1", [
      credential.id,
    ]);
    expect(row.sealed_secret.includes(credential.secretAccessKey)).toBe(false);
    expect((await account.call("GET", "/account/export")).body.buckets).toEqual([
      expect.objectContaining({ id, name, status: "ACTIVE" }),
    ]);
    expect((await account.call("DELETE", `/buckets/${id}`)).body).toEqual({ ok: true });
    await cleaner().remove();
    expect((await account.call("GET", `/buckets/${id}`)).status).toBe(404);
    expect((await account.call("POST", "/buckets", { name })).status).toBe(201);
  });

  test("names are unique on the platform, and of DNS", async () => {
    const other = await storage.api.newAccount();
    expect((await other.call("POST", "/buckets", { name: "shop-uploads" })).body.error.code).toBe("bucket_name_taken");
    for (const name of ["ab", "Upper", "dots.in", "-start", "end-", "a_b", "x".repeat(64)])
      expect([name, (await other.call("POST", "/buckets", { name })).status]).toEqual([name, 422]);
    const { id } = (await account.call("POST", "/projects", { name: "Mine" })).body.project;
    const foreign = await other.call("POST", "/buckets", { name: "foreign", projectId: id });
    expect(foreign.status).toBe(422);
    expect(foreign.body.error.details).toMatchObject([{ in: "body", path: "/projectId", code: "unknown" }]);
    expect((await account.call("POST", "/buckets", { name: "in-project", projectId: id })).body.bucket.projectId).toBe(
      id,
    );
  });

  test("what belongs to another account is not there", async () => {
    const bucket = await storage.newBucket(account);
    const other = await storage.api.newAccount();
    for (const [method, path] of [
      ["GET", `/buckets/${bucket.id}`],
      ["DELETE", `/buckets/${bucket.id}`],
      ["POST", `/buckets/${bucket.id}/credentials`],
      ["DELETE", `/buckets/credentials/${bucket.credential.id}`],
    ] as const)
      expect((await other.call(method, path, method === "POST" ? { name: "x" } : undefined)).status).toBe(404);
    expect((await bucket.s3.send("HEAD", `/${bucket.name}`)).status).toBe(200);
  });

  test("a bucket with objects is deleted only when that is said, and then whole", async () => {
    const bucket = await storage.newBucket(account);
    for (const key of ["a", "b", "c"]) await bucket.s3.send("PUT", `/${bucket.name}/${key}`, { body: key });
    const begun = await bucket.s3.send("POST", `/${bucket.name}/part`, { query: { uploads: "" } });
    const uploadId = textsOf(begun, "UploadId")[0] ?? "";
    const query = { uploadId, partNumber: "1" };
    expect((await bucket.s3.send("PUT", `/${bucket.name}/part`, { query, body: "part" })).status).toBe(200);
    expect((await account.call("DELETE", `/buckets/${bucket.id}`)).body.error.code).toBe("bucket_not_empty");
    expect((await account.call("DELETE", `/buckets/${bucket.id}?deleteObjects=true`)).status).toBe(200);
    expect((await account.call("GET", `/buckets/${bucket.id}`)).body.bucket.status).toBe("DELETING");
    expect(codeOf(await bucket.s3.send("GET", `/${bucket.name}/a`))).toBe("InvalidAccessKeyId");
    await cleaner().remove();
    expect((await account.call("GET", `/buckets/${bucket.id}`)).status).toBe(404);
    expect(await storage.api.query("select 1 from bucket_blobs where bucket_id = $1", [bucket.id])).toEqual([]);
  });
});

describe("what goes on by itself", () => {
  test("bytes times time become MB-hours, each in its month, each once", async () => {
    now = new Date("2030-01-31T22:00:00Z");
    const mine = await storage.api.newAccount();
    const bucket = await storage.newBucket(mine);
    const used = () =>
      storage.api.query(
        "select to_char(month, 'YYYY-MM') as month, amount from usage_months where account_id = $1 and meter = 'OBJECT_STORAGE' order by 1",
        [mine.accountId],
      );
    const put = (key: string, megabytes: number) =>
      bucket.s3.send("PUT", `/${bucket.name}/${key}`, { body: Buffer.alloc(megabytes * 1_000_000), at: now });
    await put("a", 10);
    wait(3_600_000);
    // 10 MB for an hour, then 30.
    await put("b", 20);
    wait(3_600_000);
    await cleaner().meter();
    await cleaner().meter();
    expect(await used()).toEqual([{ month: "2030-01", amount: 40 }]);
    wait(2 * 3_600_000);
    await bucket.s3.send("DELETE", `/${bucket.name}/b`, { at: now });
    wait(1_800_000);
    await put("a", 1);
    await cleaner().meter();
    // Two hours of 30, half an hour of 10.
    expect(await used()).toEqual([
      { month: "2030-01", amount: 40 },
      { month: "2030-02", amount: 65 },
    ]);
    // A change that is the first thing to happen in a month leaves the former one what it is owed.
    now = new Date("2030-03-01T01:00:00Z");
    await put("a", 2);
    const february = 65 + (28 * 24 - 2.5);
    expect((await used())[1]).toEqual({ month: "2030-02", amount: Math.floor(february) });
    wait(10 * 3_600_000);
    expect((await mine.call("DELETE", `/buckets/${bucket.id}?deleteObjects=true`)).status).toBe(200);
    await cleaner().remove();
    // What was above whole MB-hours came along.
    expect((await used())[2]).toEqual({ month: "2030-03", amount: Math.floor(0.5 + 1 + 20) });
  });

  test("uploads that nobody completes end after seven days", async () => {
    const bucket = await storage.newBucket(account);
    const begin = async () => {
      const begun = await bucket.s3.send("POST", `/${bucket.name}/key`, { query: { uploads: "" }, at: now });
      return textsOf(begun, "UploadId")[0] ?? "";
    };
    const old = await begin();
    const query = { uploadId: old, partNumber: "1" };
    await bucket.s3.send("PUT", `/${bucket.name}/key`, { query, body: "12345", at: now });
    expect((await account.call("GET", `/buckets/${bucket.id}`)).body.bucket.sizeBytes).toBe(5);
    wait(6 * 86_400_000);
    const young = await begin();
    wait(86_400_001);
    await cleaner().sweep();
    const left = await bucket.s3.send("GET", `/${bucket.name}`, { query: { uploads: "" }, at: now });
    expect(textsOf(left, "UploadId")).toEqual([young]);
    expect((await account.call("GET", `/buckets/${bucket.id}`)).body.bucket.sizeBytes).toBe(0);
  });

  test("files that no row names are swept, unless the folder is another database's", async () => {
    const bucket = await storage.newBucket(account);
    await bucket.s3.send("PUT", `/${bucket.name}/kept`, { body: "kept", at: now });
    await cleaner().remove();
    await cleaner().sweep();
    const folder = readdirSync(storage.directory).find((name) => /^[0-9a-f]{3}$/.test(name)) ?? "";
    const orphan = newId().slice(0, -3) + folder;
    const before = files();
    writeFileSync(join(storage.directory, folder, orphan), "orphan");
    await cleaner().sweep();
    // It may still be written.
    expect(files()).toBe(before + 1);
    const later = new Date(Date.now() + 2 * 3_600_000);
    await cleaner().sweep(later);
    expect(files()).toBe(before);
    expect((await bucket.s3.send("GET", `/${bucket.name}/kept`, { at: now })).text).toBe("kept");
    writeFileSync(join(storage.directory, folder, orphan), "orphan");
    writeFileSync(join(storage.directory, "database"), newId());
    await cleaner().sweep(later);
    expect(files()).toBe(before + 1);
  });
});

describe("who may not write", () => {
  test("a suspended account reads and deletes", async () => {
    const mine = await storage.api.newAccount();
    const bucket = await storage.newBucket(mine);
    const path = `/${bucket.name}/key`;
    await bucket.s3.send("PUT", path, { body: "text", at: now });
    await storage.api.query("update accounts set suspended_at = now() where id = $1", [mine.accountId]);
    expect((await bucket.s3.send("GET", path, { at: now })).text).toBe("text");
    const refused = await bucket.s3.send("PUT", path, { body: "more", at: now });
    expect([codeOf(refused), refused.text.includes("suspended")]).toEqual(["AccessDenied", true]);
    expect((await bucket.s3.send("DELETE", path, { at: now })).status).toBe(204);
  });

  test("what the plan includes is used up: writes are refused until it is not", async () => {
    const mine = await storage.api.newAccount();
    const bucket = await storage.newBucket(mine);
    const path = `/${bucket.name}/key`;
    await bucket.s3.send("PUT", path, { body: "text", at: now });
    const month = `${now.toISOString().slice(0, 7)}-01`;
    // FREE includes 5 GB-months of 730,000 MB-hours each.
    await storage.api.query(
      "insert into usage_months values ($1, $2, 'OBJECT_STORAGE', 3650000) on conflict (account_id, month, meter) do update set amount = excluded.amount",
      [mine.accountId, month],
    );
    await storage.api.controlPlane.billing.overage.run();
    const refused = await bucket.s3.send("PUT", path, { body: "more", at: now });
    expect([refused.status, codeOf(refused), refused.text.includes("object storage")]).toEqual([
      403,
      "QuotaExceeded",
      true,
    ]);
    expect(codeOf(await bucket.s3.send("POST", path, { query: { uploads: "" }, at: now }))).toBe("QuotaExceeded");
    const copy = { "x-amz-copy-source": `${bucket.name}/key` };
    expect(codeOf(await bucket.s3.send("PUT", `${path}2`, { headers: copy, at: now }))).toBe("QuotaExceeded");
    expect((await bucket.s3.send("GET", path, { at: now })).text).toBe("text");
    expect((await bucket.s3.send("DELETE", path, { at: now })).status).toBe(204);
    await storage.api.query("update usage_months set amount = 0 where account_id = $1", [mine.accountId]);
    expect((await bucket.s3.send("PUT", path, { body: "more", at: now })).status).toBe(200);
  });

  test("an account has so many bytes and objects, over all its buckets", async () => {
    const mine = await storage.api.newAccount();
    const [one, two] = [await storage.newBucket(mine), await storage.newBucket(mine)];
    for (let n = 0; n < 50; n++)
      await (n % 2 === 0 ? one : two).s3.send("PUT", `/${(n % 2 === 0 ? one : two).name}/${n}`, { at: now });
    expect(codeOf(await one.s3.send("PUT", `/${one.name}/more`, { at: now }))).toBe("QuotaExceeded");
    await one.s3.send("DELETE", `/${one.name}/0`, { at: now });
    expect((await two.s3.send("PUT", `/${two.name}/more`, { at: now })).status).toBe(200);
    await storage.api.query("update bucket_usage set bytes = 999999999, files = 0, objects = 1 where bucket_id = $1", [
      one.id,
    ]);
    await two.s3.send("DELETE", `/${two.name}/1`, { at: now });
    expect(codeOf(await two.s3.send("PUT", `/${two.name}/big`, { body: "12", at: now }))).toBe("QuotaExceeded");
    await two.s3.send("DELETE", `/${two.name}/3`, { at: now });
    expect((await two.s3.send("PUT", `/${two.name}/big`, { body: "1", at: now })).status).toBe(200);
  });
});

test("a disk without room refuses and keeps what is there", async () => {
  const full = await startTestStorage({}, { minFreeMb: 2 ** 40 });
  try {
    const bucket = await full.newBucket(await full.api.newAccount());
    const refused = await bucket.s3.send("PUT", `/${bucket.name}/key`, { body: "text" });
    expect([refused.status, codeOf(refused)]).toEqual([507, "StorageFull"]);
    expect((await new S3Client(full.port, bucket.credential).send("GET", `/${bucket.name}`)).status).toBe(200);
  } finally {
    await full.close();
  }
});
