/** Uploads in parts, and lists, against what they should be. */
import { createHash, randomBytes } from "node:crypto";
import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startChecksum } from "../../storage/s3/checksums.ts";
import { codeOf, textsOf } from "../../storage/s3/s3-client.fixture.ts";
import { startTestStorage, type TestBucket, type TestStorage } from "./buckets.fixture.ts";

let storage: TestStorage;
let bucket: TestBucket;

beforeAll(async () => {
  storage = await startTestStorage();
  bucket = await storage.newBucket(await storage.api.newAccount());
});
afterAll(() => storage.close());

const md5 = (data: Buffer) => createHash("md5").update(data);
const send = (method: string, key: string, query: Record<string, string>, body?: Buffer | string, headers = {}) =>
  bucket.s3.send(method, `/${bucket.name}/${key}`, { query, headers, ...(body === undefined ? {} : { body }) });
const begin = async (key: string, headers = {}) =>
  textsOf(await send("POST", key, { uploads: "" }, undefined, headers), "UploadId")[0] ?? "";
const listOf = (parts: readonly (readonly [number, string])[]) =>
  `<CompleteMultipartUpload>${parts.map(([number, etag]) => `<Part><PartNumber>${number}</PartNumber><ETag>&quot;${etag}&quot;</ETag></Part>`).join("")}</CompleteMultipartUpload>`;

test("parts become one object, in their order, and a lost answer is given again", async () => {
  const parts = [randomBytes(5 * 2 ** 20), randomBytes(5 * 2 ** 20), randomBytes(1000)];
  const uploadId = await begin("whole", { "x-amz-checksum-algorithm": "CRC64NVME", "x-amz-meta-kept": "yes" });
  for (const index of [2, 0, 1])
    expect((await send("PUT", "whole", { uploadId, partNumber: String(index + 1) }, parts[index])).status).toBe(200);
  // A part that is sent again replaces the former one; one that is left out goes.
  await send("PUT", "whole", { uploadId, partNumber: "2" }, parts[1]);
  await send("PUT", "whole", { uploadId, partNumber: "9" }, "left out");
  const listed = await send("GET", "whole", { uploadId, "max-parts": "2" });
  expect([textsOf(listed, "PartNumber"), textsOf(listed, "IsTruncated")]).toEqual([["1", "2"], ["true"]]);
  const etags = parts.map((part, index) => [index + 1, md5(part).digest("hex")] as const);
  const complete = () => send("POST", "whole", { uploadId }, listOf(etags));
  const wrong = (chosen: typeof etags) => send("POST", "whole", { uploadId }, listOf(chosen)).then(codeOf);
  expect(await wrong(etags.toReversed())).toBe("InvalidPartOrder");
  expect(await wrong([[1, "0".repeat(32)]])).toBe("InvalidPart");
  expect(await wrong([...etags, [9, createHash("md5").update("left out").digest("hex")]])).toBe("EntityTooSmall");
  const done = await complete();
  const digests = Buffer.concat(parts.map((part) => md5(part).digest()));
  const etag = `${md5(digests).digest("hex")}-3`;
  expect([done.status, textsOf(done, "ETag")]).toEqual([200, [`&quot;${etag}&quot;`]]);
  const sum = startChecksum("CRC64NVME");
  for (const part of parts) sum.update(part);
  expect(textsOf(done, "ChecksumCRC64NVME")).toEqual([sum.digest()]);
  const got = await send("GET", "whole", {});
  expect([got.body.equals(Buffer.concat(parts)), got.headers["x-amz-meta-kept"]]).toEqual([true, "yes"]);
  const across = await send("GET", "whole", {}, undefined, { range: `bytes=${5 * 2 ** 20 - 3}-${5 * 2 ** 20 + 2}` });
  expect(across.body.equals(Buffer.concat(parts).subarray(5 * 2 ** 20 - 3, 5 * 2 ** 20 + 3))).toBe(true);
  expect((await send("GET", "whole", { partNumber: "3" })).body.equals(parts[2] ?? Buffer.alloc(0))).toBe(true);
  expect((await complete()).status).toBe(200);
  const [row] = await storage.api.query("select objects, files, bytes from bucket_usage where bucket_id = $1", [
    bucket.id,
  ]);
  expect(row).toEqual({ objects: 1, files: 3, bytes: 2 * 5 * 2 ** 20 + 1000 });
});

test("parts are copied from objects; an aborted upload leaves nothing", async () => {
  const uploadId = await begin("from-whole");
  const source = { "x-amz-copy-source": `/${bucket.name}/whole`, "x-amz-copy-source-range": "bytes=5-104" };
  const copied = await send("PUT", "from-whole", { uploadId, partNumber: "1" }, undefined, source);
  const etag = textsOf(copied, "ETag")[0]?.replaceAll("&quot;", "") ?? "";
  expect((await send("POST", "from-whole", { uploadId }, listOf([[1, etag]]))).status).toBe(200);
  const whole = await send("GET", "whole", {});
  expect((await send("GET", "from-whole", {})).body.equals(whole.body.subarray(5, 105))).toBe(true);
  const aborted = await begin("aborted");
  await send("PUT", "aborted", { uploadId: aborted, partNumber: "1" }, "part");
  expect((await send("DELETE", "aborted", { uploadId: aborted })).status).toBe(204);
  expect(codeOf(await send("PUT", "aborted", { uploadId: aborted, partNumber: "2" }, "late"))).toBe("NoSuchUpload");
  expect(codeOf(await send("DELETE", "aborted", { uploadId: aborted }))).toBe("NoSuchUpload");
});

/** What S3's documentation says of a list, as plainly as it can be said. */
function naiveList(keys: readonly string[], prefix: string, delimiter: string, after: string): readonly string[] {
  const names = keys
    .filter((key) => key.startsWith(prefix) && Buffer.compare(Buffer.from(key), Buffer.from(after)) > 0)
    .map((key) => {
      const place = delimiter === "" ? -1 : key.indexOf(delimiter, prefix.length);
      return place < 0 ? key : key.slice(0, place + delimiter.length);
    })
    // A common prefix that was the last of the page before is not told of again.
    .filter((name) => name !== after);
  return [...new Set(names)].sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
}

test("lists are those of a naive model, whatever prefix, delimiter and page", async () => {
  const letters = fc.constantFrom("a", "b", "/", "-", "é", "\u{10ffff}", "\u{1f600}", "'");
  const text = (minLength: number, maxLength: number) =>
    fc.array(letters, { minLength, maxLength }).map((chosen) => chosen.join(""));
  const wish = fc.record({
    keys: fc.uniqueArray(text(1, 6), { maxLength: 25 }),
    prefix: text(0, 2),
    delimiter: fc.constantFrom("", "/", "a", "-b"),
    start: text(0, 3),
    page: fc.integer({ min: 1, max: 7 }),
    version: fc.constantFrom(1, 2),
  });
  const listed = await storage.newBucket(await storage.api.newAccount());
  await fc.assert(
    fc.asyncProperty(wish, async ({ keys, prefix, delimiter, start, page, version }) => {
      await storage.api.query("delete from bucket_objects where bucket_id = $1", [listed.id]);
      await storage.api.query(
        "insert into bucket_objects select $1, key, 0, 'etag', now(), '{\"headers\":{},\"metadata\":{},\"checksum\":null,\"uploadId\":null}', '{}', '{}' from unnest($2::text[]) as key",
        [listed.id, keys],
      );
      const names: string[] = [];
      let next: Record<string, string> = version === 1 ? { marker: start } : { "list-type": "2", "start-after": start };
      for (;;) {
        const query = { prefix, delimiter, "max-keys": String(page), "encoding-type": "url", ...next };
        const reply = await listed.s3.send("GET", `/${listed.name}`, { query });
        expect(reply.status).toBe(200);
        const found = [...reply.text.matchAll(/<Contents><Key>([^<]*)|<CommonPrefixes><Prefix>([^<]*)/g)];
        expect(found.length).toBeLessThanOrEqual(page);
        names.push(...found.map(([, key, common]) => decodeURIComponent(key ?? common ?? "")));
        if (textsOf(reply, "IsTruncated")[0] === "false") break;
        next =
          version === 1
            ? { marker: decodeURIComponent(textsOf(reply, "NextMarker")[0] ?? "") }
            : { "list-type": "2", "continuation-token": textsOf(reply, "NextContinuationToken")[0] ?? "" };
      }
      expect(names).toEqual(naiveList(keys, prefix, delimiter, start));
    }),
    { numRuns: 60 },
  );
});
