/** What a tenant, or a stranger at the port, would try against object storage and its bounds. */
import { readdirSync } from "node:fs";
import { type IncomingMessage, request } from "node:http";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { TestAccount } from "../../../tests/api.fixture.ts";
import { createDatabase, createPool } from "../../platform/database/database.ts";
import { codeOf, S3Client, send, textsOf } from "../../storage/s3/s3-client.fixture.ts";
import { startTestStorage, type TestBucket, type TestStorage } from "./buckets.fixture.ts";
import { listObjects } from "./objects.repo.ts";

let storage: TestStorage;
let account: TestAccount;
let bucket: TestBucket;

beforeAll(async () => {
  storage = await startTestStorage();
  account = await storage.api.newAccount();
  bucket = await storage.newBucket(account);
  await bucket.s3.send("PUT", `/${bucket.name}/first`, { body: "first" });
});
afterAll(() => storage.close());

const files = () =>
  readdirSync(storage.directory, { recursive: true, withFileTypes: true }).filter(
    (entry) => entry.isFile() && entry.name !== "database",
  ).length;

test("what a stranger sends for a signature is wrong, never an error of ours", async () => {
  const path = `/${bucket.name}/key`;
  const link = bucket.s3.presign("GET", path, 60);
  const odd = link.replace(/X-Amz-Signature=.*/, `X-Amz-Signature=${encodeURIComponent("é".repeat(64))}`);
  expect(codeOf(await send(storage.port, "GET", odd))).toBe("SignatureDoesNotMatch");
  const { headers } = bucket.s3.head("GET", path, {});
  const authorization = `${headers.authorization}`.replace("SignedHeaders=host", "SignedHeaders=constructor;host");
  expect(codeOf(await send(storage.port, "GET", path, { ...headers, authorization }))).toBe("SignatureDoesNotMatch");
  const payload = { payload: "constructor", headers: { "x-amz-decoded-content-length": "0" } };
  expect(codeOf(await bucket.s3.send("PUT", path, payload))).toBe("InvalidArgument");
  const body = (key: string) => `<Delete><Object><Key>${key}</Key></Object></Delete>`;
  for (const key of ["&constructor;", "&#xd800;", "&#1114112;"]) {
    const wish = { query: { delete: "" }, body: body(key) };
    expect([key, codeOf(await bucket.s3.send("POST", `/${bucket.name}`, wish))]).toEqual([key, "MalformedXML"]);
  }
});

test("a link's parameters become metadata only where they could have been headers", async () => {
  const before = files();
  const queries: Record<string, string>[] = [
    { "x-amz-meta-a": "b\r\nSet-Cookie: session=1" },
    { "x-amz-meta-a": "\u{1f600}" },
    { "x-amz-meta-a b": "c" },
    { "x-amz-meta-a\0": "c" },
    { "x-amz-meta-": "c" },
  ];
  for (const query of queries) {
    const link = bucket.s3.presign("PUT", `/${bucket.name}/smuggled`, 60, { query });
    expect(codeOf(await send(storage.port, "PUT", link, {}, Buffer.from("bytes")))).toBe("InvalidArgument");
  }
  expect((await bucket.s3.send("GET", `/${bucket.name}/smuggled`)).status).toBe(404);
  expect(files()).toBe(before);
});

test("an object that can't be sent is let go of, so that its file goes with it", async () => {
  const before = files();
  await bucket.s3.send("PUT", `/${bucket.name}/unsendable`, { body: "bytes" });
  await storage.api.query(
    `update bucket_objects set attributes = jsonb_set(attributes, '{metadata}', '{"bad name":"x"}') where key = 'unsendable'`,
  );
  expect((await bucket.s3.send("GET", `/${bucket.name}/unsendable`)).status).toBe(500);
  await bucket.s3.send("DELETE", `/${bucket.name}/unsendable`);
  await storage.api.controlPlane.buckets.cleaner.remove();
  expect(files()).toBe(before);
});

test("a file whose row the database refuses does not stay", async () => {
  const before = files();
  await storage.api.query("alter table bucket_blobs add constraint none check (size <> 7)");
  try {
    expect((await bucket.s3.send("PUT", `/${bucket.name}/refused`, { body: "7 bytes" })).status).toBe(500);
    const started = await bucket.s3.send("POST", `/${bucket.name}/refused`, { query: { uploads: "" } });
    const uploadId = /<UploadId>(.*)<\/UploadId>/.exec(started.text)?.[1] ?? "";
    const part = { query: { uploadId, partNumber: "1" }, body: "7 bytes" };
    expect((await bucket.s3.send("PUT", `/${bucket.name}/refused`, part)).status).toBe(500);
    expect(files()).toBe(before);
  } finally {
    await storage.api.query("alter table bucket_blobs drop constraint none");
  }
});

test("whatever an object says it is, a browser runs nothing of it in this origin", async () => {
  const scripted = [
    "text/html",
    "image/svg+xml",
    "multipart/x-mixed-replace; boundary=b",
    "text/xsl",
    "application/x-unknown",
    "application/pdf, text/html",
  ];
  for (const type of scripted) {
    await bucket.s3.send("PUT", `/${bucket.name}/page`, { body: "<script>", headers: { "content-type": type } });
    const { headers } = await bucket.s3.send("GET", `/${bucket.name}/page`);
    expect([type, headers["content-security-policy"], headers["x-content-type-options"]]).toEqual([
      type,
      "sandbox",
      "nosniff",
    ]);
  }
  const link = bucket.s3.presign("GET", `/${bucket.name}/page`, 60, { query: { "response-content-type": "" } });
  expect((await send(storage.port, "GET", link)).headers["content-security-policy"]).toBe("sandbox");
  // Browsers show these with viewers of their own, which a sandbox would keep from it.
  await bucket.s3.send("PUT", `/${bucket.name}/page`, { headers: { "content-type": "application/pdf" } });
  expect((await bucket.s3.send("GET", `/${bucket.name}/page`)).headers["content-security-policy"]).toBeUndefined();
  const list = await bucket.s3.send("GET", `/${bucket.name}`);
  const refusal = await send(storage.port, "GET", "/%3Cscript%3E");
  for (const { headers } of [list, refusal])
    expect([headers["content-security-policy"], headers["x-content-type-options"]]).toEqual(["sandbox", "nosniff"]);
});

test("writes that are under way can't take the same room, nor a copy more files than there may be", async () => {
  const bounded = await startTestStorage({}, { accountGb: 1e-6, accountObjects: 4 });
  try {
    const mine = await bounded.newBucket(await bounded.api.newAccount());
    const path = (key: string) => `/${mine.name}/${key}`;
    // The head of the first has come, its body not yet: 600 of 1000 bytes.
    const { target, headers } = mine.s3.head("PUT", path("slow"), { payload: "UNSIGNED-PAYLOAD" });
    const slow = request({
      ...{ host: "127.0.0.1", port: bounded.port, method: "PUT", path: target },
      headers: { ...headers, "content-length": "600", expect: "100-continue" },
    });
    await new Promise((resolve) => slow.once("continue", resolve).flushHeaders());
    expect(codeOf(await mine.s3.send("PUT", path("second"), { body: Buffer.alloc(600) }))).toBe("QuotaExceeded");
    expect((await mine.s3.send("PUT", path("small"), { body: Buffer.alloc(400) })).status).toBe(200);
    const answered = new Promise<IncomingMessage>((resolve) => slow.once("response", resolve));
    slow.end(Buffer.alloc(600));
    expect((await answered).resume().statusCode).toBe(200);
    expect(codeOf(await mine.s3.send("PUT", path("third"), { body: "1" }))).toBe("QuotaExceeded");
    await mine.s3.send("DELETE", path("slow"));
    // What was refused has given back what it had set aside.
    expect((await mine.s3.send("PUT", path("second"), { body: Buffer.alloc(600) })).status).toBe(200);

    await bounded.api.query(
      "update bucket_objects set blob_ids = blob_ids || gen_random_uuid() || gen_random_uuid(), blob_sizes = '{398,1,1}' where key = 'small'",
    );
    await mine.s3.send("DELETE", path("second"));
    const copy = { headers: { "x-amz-copy-source": `${mine.name}/small` } };
    // Two entries are held, and three more would be five.
    await mine.s3.send("PUT", path("empty"));
    expect(codeOf(await mine.s3.send("PUT", path("copy"), copy))).toBe("QuotaExceeded");
  } finally {
    await bounded.close();
  }
});

test("what is deleted while somebody reads it counts, and who reads it for an hour is cut off", async () => {
  let now = new Date();
  const bounded = await startTestStorage({ clock: { now: () => now } }, { accountGb: 0.03 });
  const { cleaner } = bounded.api.controlPlane.buckets;
  try {
    const mine = await bounded.newBucket(await bounded.api.newAccount());
    const path = `/${mine.name}/large`;
    const body = Buffer.alloc(20_000_000);
    expect((await mine.s3.send("PUT", path, { body })).status).toBe(200);
    const { target, headers } = mine.s3.head("GET", path, {});
    const reply = await new Promise<IncomingMessage>((resolve) =>
      request({ host: "127.0.0.1", port: bounded.port, path: target, headers }, resolve).end(),
    );
    await new Promise((resolve) => reply.once("readable", resolve));
    const ended = new Promise((resolve) => reply.on("error", resolve));

    await mine.s3.send("DELETE", path);
    now = new Date(now.getTime() + 2 * 60_000);
    await cleaner.remove();
    const again = () => mine.s3.send("PUT", path, { body, at: now });
    expect(codeOf(await again())).toBe("QuotaExceeded");
    now = new Date(now.getTime() + 60 * 60_000);
    await cleaner.remove();
    expect((await again()).status).toBe(200);
    expect(readdirSync(bounded.directory, { recursive: true }).filter((name) => `${name}`.length > 36)).toHaveLength(1);
    reply.resume();
    await ended;
  } finally {
    await bounded.close();
  }
});

test("a credential that is revoked ends what it has begun", async () => {
  const stolen = await storage.newCredential(account, bucket.id, "READ_WRITE");
  const thief = new S3Client(storage.port, stolen);
  await bucket.s3.send("PUT", `/${bucket.name}/large`, { body: Buffer.alloc(20_000_000) });
  const begin = (method: string, key: string, more: Record<string, string> = {}) => {
    const { target, headers } = thief.head(method, `/${bucket.name}/${key}`, { payload: "UNSIGNED-PAYLOAD" });
    return request({
      ...{ host: "127.0.0.1", port: storage.port, method, path: target },
      headers: { ...headers, ...more },
    });
  };
  const put = begin("PUT", "planted", { "content-length": "10", expect: "100-continue" });
  const putEnded = new Promise((resolve) => put.on("error", resolve));
  await new Promise((resolve) => put.once("continue", resolve).flushHeaders());
  put.write("nine byte");
  const reply = await new Promise<IncomingMessage>((resolve) => begin("GET", "large").once("response", resolve).end());
  const getEnded = new Promise((resolve) => reply.on("error", resolve));
  // One that nobody has revoked goes on.
  const { target, headers } = bucket.s3.head("GET", `/${bucket.name}/large`, {});
  const mine = await new Promise<IncomingMessage>((resolve) =>
    request({ host: "127.0.0.1", port: storage.port, path: target, headers }, resolve).end(),
  );

  await account.call("DELETE", `/buckets/credentials/${stolen.id}`);
  await putEnded;
  reply.resume();
  await getEnded;
  let bytes = 0;
  for await (const chunk of mine) bytes += chunk.length;
  expect(bytes).toBe(20_000_000);
  expect((await bucket.s3.send("GET", `/${bucket.name}/planted`)).status).toBe(404);
});

test("a list reads of each object what it tells of it, not what else is kept with it", async () => {
  const headers = { "x-amz-meta-large": "m".repeat(2000), "x-amz-checksum-crc32": "y/Q5Jg==" };
  await bucket.s3.send("PUT", `/${bucket.name}/listed/1`, { body: "123456789", headers });
  const listed = await bucket.s3.send("GET", `/${bucket.name}`, { query: { prefix: "listed/" } });
  expect(textsOf(listed, "ChecksumAlgorithm")).toEqual(["CRC32"]);
  const database = createDatabase(createPool(storage.api.database.connection, () => undefined));
  const wish = { prefix: "listed/", delimiter: "", after: "", most: 1000 };
  const rows = await listObjects(database, bucket.id, wish).finally(() => database.destroy());
  expect(rows).toHaveLength(1);
  expect(JSON.stringify(rows).length).toBeLessThan(500);
});

test("a body comes in pieces that are worth it", async () => {
  const pieces = (count: number): Parameters<typeof bucket.s3.send>[2] => ({
    payload: "STREAMING-UNSIGNED-PAYLOAD-TRAILER",
    headers: { "x-amz-decoded-content-length": String(count) },
    wire: () => Buffer.from(`${"1\r\nx\r\n".repeat(count)}0\r\n\r\n`),
  });
  expect((await bucket.s3.send("PUT", `/${bucket.name}/crumbs`, pieces(900))).status).toBe(200);
  expect(codeOf(await bucket.s3.send("PUT", `/${bucket.name}/crumbs`, pieces(1001)))).toBe("InvalidRequest");
});
