/** Objects, by real S3 requests over a socket. */
import { createHash, randomBytes } from "node:crypto";
import { readdirSync } from "node:fs";
import { request } from "node:http";
import { crc32 } from "node:zlib";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { TestAccount } from "../../../tests/api.fixture.ts";
import { codeOf, mac, S3Client, type S3Wish, send, textsOf } from "../../storage/s3/s3-client.fixture.ts";
import { startTestStorage, type TestBucket, type TestStorage } from "./buckets.fixture.ts";

let storage: TestStorage;
let account: TestAccount;
let bucket: TestBucket;

beforeAll(async () => {
  storage = await startTestStorage();
  account = await storage.api.newAccount();
  bucket = await storage.newBucket(account);
});
afterAll(() => storage.close());

const put = (key: string, body: Buffer | string, wish: S3Wish = {}) =>
  bucket.s3.send("PUT", `/${bucket.name}/${key}`, { body, ...wish });
const get = (key: string, wish: S3Wish = {}) => bucket.s3.send("GET", `/${bucket.name}/${key}`, wish);
const md5 = (data: Buffer | string) => createHash("md5").update(data).digest("hex");
const sha256 = (data: Buffer | string) => createHash("sha256").update(data).digest("hex");
const files = () =>
  readdirSync(storage.directory, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile()).length;
const counts = async () => (await account.call("GET", `/buckets/${bucket.id}`)).body.bucket;

describe("objects", () => {
  test("what is put is got, with its headers and metadata", async () => {
    const body = randomBytes(300_000);
    const stored = await put("a/b c+ü.bin", body, {
      headers: {
        "content-type": "image/png",
        "cache-control": "max-age=60",
        "content-md5": createHash("md5").update(body).digest("base64"),
        "x-amz-meta-color": "blue",
      },
    });
    expect([stored.status, stored.headers.etag]).toEqual([200, `"${md5(body)}"`]);
    const got = await get("a/b c+ü.bin");
    expect(got.status).toBe(200);
    expect(got.body.equals(body)).toBe(true);
    expect(got.headers).toMatchObject({
      "content-type": "image/png",
      "cache-control": "max-age=60",
      "x-amz-meta-color": "blue",
      "content-length": "300000",
      etag: `"${md5(body)}"`,
    });
    const head = await bucket.s3.send("HEAD", `/${bucket.name}/a/b c+ü.bin`);
    expect([head.status, head.headers["content-length"], head.body.length]).toEqual([200, "300000", 0]);
    const missing = await get("a/b");
    expect([missing.status, codeOf(missing)]).toEqual([404, "NoSuchKey"]);
    expect((await bucket.s3.send("HEAD", `/${bucket.name}/none`)).status).toBe(404);
  });

  test("an empty object has no file", async () => {
    const before = files();
    expect((await put("empty", "")).status).toBe(200);
    expect(files()).toBe(before);
    const got = await get("empty");
    expect([got.status, got.headers["content-length"], got.headers.etag]).toEqual([200, "0", `"${md5("")}"`]);
  });

  test("ranges and conditions", async () => {
    await put("range", "0123456789");
    const range = async (text: string) => {
      const reply = await get("range", { headers: { range: text } });
      return [reply.status, reply.text, reply.headers["content-range"]];
    };
    expect(await range("bytes=2-4")).toEqual([206, "234", "bytes 2-4/10"]);
    expect(await range("bytes=7-")).toEqual([206, "789", "bytes 7-9/10"]);
    expect(await range("bytes=-3")).toEqual([206, "789", "bytes 7-9/10"]);
    expect(await range("bytes=0-99")).toEqual([206, "0123456789", "bytes 0-9/10"]);
    expect(await range("bytes=5-2")).toEqual([200, "0123456789", undefined]);
    expect(codeOf(await get("range", { headers: { range: "bytes=10-" } }))).toBe("InvalidRange");
    expect(codeOf(await get("empty-range", { headers: { range: "bytes=0-" } }))).toBe("NoSuchKey");
    const etag = `"${md5("0123456789")}"`;
    const status = async (headers: Record<string, string>) => (await get("range", { headers })).status;
    expect(await status({ "if-none-match": etag })).toBe(304);
    expect(await status({ "if-none-match": '"other"' })).toBe(200);
    expect(await status({ "if-match": etag })).toBe(200);
    expect(await status({ "if-match": '"other"' })).toBe(412);
    expect(await status({ "if-modified-since": new Date(Date.now() + 60_000).toUTCString() })).toBe(304);
    expect(await status({ "if-unmodified-since": new Date(0).toUTCString() })).toBe(412);
  });

  test("a write can ask that nothing be there, or the very object that it knows", async () => {
    expect((await put("once", "first", { headers: { "if-none-match": "*" } })).status).toBe(200);
    const before = files();
    expect(codeOf(await put("once", "second", { headers: { "if-none-match": "*" } }))).toBe("PreconditionFailed");
    expect(codeOf(await put("once", "second", { headers: { "if-match": '"wrong"' } }))).toBe("PreconditionFailed");
    expect(files()).toBe(before);
    expect((await put("once", "second", { headers: { "if-match": `"${md5("first")}"` } })).status).toBe(200);
    expect((await get("once")).text).toBe("second");
    const racers = Array.from({ length: 10 }, (_, racer) =>
      put("race", `${racer}`, { headers: { "if-none-match": "*" } }),
    );
    const statuses = (await Promise.all(racers)).map(({ status }) => status).sort();
    expect(statuses).toEqual([200, ...Array(9).fill(412)]);
  });

  test("what does not arrive as it was sent is not stored", async () => {
    const before = files();
    const wrong = async (wish: S3Wish) => codeOf(await put("damaged", "the body", wish));
    expect(await wrong({ payload: sha256("another") })).toBe("XAmzContentSHA256Mismatch");
    expect(await wrong({ headers: { "content-md5": createHash("md5").update("x").digest("base64") } })).toBe(
      "BadDigest",
    );
    expect(await wrong({ headers: { "content-md5": "nonsense" } })).toBe("InvalidDigest");
    expect(await wrong({ headers: { "x-amz-checksum-crc32": "AAAAAA==" } })).toBe("BadDigest");
    expect((await get("damaged")).status).toBe(404);
    expect(files()).toBe(before);
  });

  test("checksums are compared, kept and sent back", async () => {
    // "123456789" is what checksums are published for.
    const known = {
      crc32: "y/Q5Jg==",
      crc32c: "4waSgw==",
      crc64nvme: "rosUhgp5mIg=",
      sha1: createHash("sha1").update("123456789").digest("base64"),
      sha256: createHash("sha256").update("123456789").digest("base64"),
    };
    for (const [name, value] of Object.entries(known)) {
      const header = `x-amz-checksum-${name}`;
      const stored = await put(`sum-${name}`, "123456789", { headers: { [header]: value } });
      expect([name, stored.status, stored.headers[header]]).toEqual([name, 200, value]);
      const got = await get(`sum-${name}`, { headers: { "x-amz-checksum-mode": "ENABLED" } });
      expect(got.headers).toMatchObject({ [header]: value, "x-amz-checksum-type": "FULL_OBJECT" });
    }
  });

  test("bodies in pieces: signed, signed with a trailer, unsigned with a trailer", async () => {
    const body = randomBytes(150_000);
    const pieces = [body.subarray(0, 65_536), body.subarray(65_536, 131_072), body.subarray(131_072), Buffer.alloc(0)];
    const sum = Buffer.alloc(4);
    sum.writeUInt32BE(crc32(body));
    const trailer = `x-amz-checksum-crc32:${sum.toString("base64")}`;
    const headers = { "x-amz-decoded-content-length": String(body.length), "content-encoding": "aws-chunked" };
    const trailing = { ...headers, "x-amz-trailer": "x-amz-checksum-crc32" };
    const signed =
      (hasTrailer: boolean, spoil = (text: string) => text): S3Wish["wire"] =>
      ({ key, scope, time, signature }) => {
        let previous = signature;
        const parts = pieces.map((piece) => {
          previous = mac(
            key,
            ["AWS4-HMAC-SHA256-PAYLOAD", time, scope, previous, sha256(""), sha256(piece)].join("\n"),
          ).toString("hex");
          const line = `${piece.length.toString(16)};chunk-signature=${previous}\r\n`;
          return Buffer.concat([Buffer.from(spoil(line)), piece, Buffer.from(piece.length === 0 ? "" : "\r\n")]);
        });
        const end = mac(
          key,
          ["AWS4-HMAC-SHA256-TRAILER", time, scope, previous, sha256(`${trailer}\n`)].join("\n"),
        ).toString("hex");
        parts.push(Buffer.from(hasTrailer ? `${trailer}\r\nx-amz-trailer-signature:${spoil(end)}\r\n\r\n` : "\r\n"));
        return Buffer.concat(parts);
      };
    const unsigned = (sent: string) => () =>
      Buffer.concat([
        ...pieces.map((piece) =>
          Buffer.concat([
            Buffer.from(`${piece.length.toString(16)}\r\n`),
            piece,
            Buffer.from(piece.length === 0 ? "" : "\r\n"),
          ]),
        ),
        Buffer.from(`${sent}\r\n\r\n`),
      ]);
    const forms = [
      ["STREAMING-AWS4-HMAC-SHA256-PAYLOAD", headers, signed(false)],
      ["STREAMING-AWS4-HMAC-SHA256-PAYLOAD-TRAILER", trailing, signed(true)],
      ["STREAMING-UNSIGNED-PAYLOAD-TRAILER", trailing, unsigned(trailer)],
    ] as const;
    for (const [payload, sent, wire] of forms) {
      const stored = await put(payload, "", { payload, headers: sent, wire });
      expect([payload, stored.status, stored.text]).toEqual([payload, 200, ""]);
      const got = await get(payload);
      expect(got.body.equals(body)).toBe(true);
      expect(got.headers["content-encoding"]).toBeUndefined();
    }
    const spoilt = (text: string) => text.replace(/[0-9a-f]{64}/, "0".repeat(64));
    const refused = async (payload: string, sent: Record<string, string>, wire: S3Wish["wire"]) =>
      codeOf(await put("spoilt", "", { payload, headers: sent, wire }));
    expect(await refused(forms[0][0], headers, signed(false, spoilt))).toBe("SignatureDoesNotMatch");
    expect(await refused(forms[1][0], trailing, signed(true, spoilt))).toBe("SignatureDoesNotMatch");
    expect(await refused(forms[2][0], trailing, unsigned("x-amz-checksum-crc32:AAAAAA=="))).toBe("BadDigest");
    expect(await refused(forms[2][0], trailing, () => body)).toBe("IncompleteBody");
    expect(await refused(forms[2][0], { ...trailing, "x-amz-decoded-content-length": "10" }, unsigned(trailer))).toBe(
      "IncompleteBody",
    );
    expect((await get("spoilt")).status).toBe(404);
  });

  test("links work until they expire, and for what they say alone", async () => {
    await put("shared", "for you");
    const path = `/${bucket.name}/shared`;
    const link = bucket.s3.presign("GET", path, 60, { query: { "response-content-disposition": "attachment" } });
    const got = await send(storage.port, "GET", link);
    expect([got.status, got.text, got.headers["content-disposition"]]).toEqual([200, "for you", "attachment"]);
    expect(codeOf(await send(storage.port, "GET", link.replace("shared", "once")))).toBe("SignatureDoesNotMatch");
    expect(codeOf(await send(storage.port, "DELETE", link))).toBe("SignatureDoesNotMatch");
    const old = bucket.s3.presign("GET", path, 60, { at: new Date(Date.now() - 61_000) });
    expect((await send(storage.port, "GET", old)).text).toContain("Request has expired");
    const early = bucket.s3.presign("GET", path, 60, { at: new Date(Date.now() + 16 * 60_000) });
    expect(codeOf(await send(storage.port, "GET", early))).toBe("AccessDenied");
    expect(codeOf(await send(storage.port, "GET", bucket.s3.presign("GET", path, 604_801)))).toBe(
      "AuthorizationQueryParametersError",
    );
    const upload = bucket.s3.presign("PUT", `/${bucket.name}/by-link`, 60, { query: { "x-amz-meta-from": "link" } });
    expect((await send(storage.port, "PUT", upload, {}, Buffer.from("hello"))).status).toBe(200);
    const head = await bucket.s3.send("HEAD", `/${bucket.name}/by-link`);
    expect(head.headers["x-amz-meta-from"]).toBe("link");
    const smuggled = { "x-amz-meta-evil": "1" };
    expect(codeOf(await send(storage.port, "PUT", upload, smuggled, Buffer.from("x")))).toBe("AccessDenied");
  });

  test("copies share nothing with what they were copied from", async () => {
    await put("origin", "original", { headers: { "x-amz-meta-a": "1", "content-type": "text/plain" } });
    const copy = (to: string, headers: Record<string, string> = {}, from = `${bucket.name}/origin`) =>
      put(to, "", { headers: { "x-amz-copy-source": from, ...headers } });
    expect((await copy("copy")).status).toBe(200);
    await put("origin", "replaced");
    await storage.api.controlPlane.buckets.cleaner.remove();
    const got = await get("copy");
    expect([got.text, got.headers["x-amz-meta-a"], got.headers["content-type"]]).toEqual([
      "original",
      "1",
      "text/plain",
    ]);
    const replaced = { "x-amz-metadata-directive": "REPLACE", "x-amz-meta-b": "2" };
    expect((await copy("copy", replaced, `/${bucket.name}/copy`)).status).toBe(200);
    expect((await get("copy")).headers).not.toHaveProperty("x-amz-meta-a");
    expect((await get("copy")).text).toBe("original");
    expect(codeOf(await copy("origin"))).toBe("InvalidRequest");
    expect(codeOf(await copy("x", {}, `${bucket.name}/none`))).toBe("NoSuchKey");
    expect(codeOf(await copy("x", {}, "elsewhere/origin"))).toBe("AccessDenied");
    expect(codeOf(await copy("x", { "x-amz-copy-source-if-match": '"no"' }))).toBe("PreconditionFailed");
  });

  test("one and many are deleted, and their files with them", async () => {
    for (const key of ["d/1", "d/2", "d/3", "d/&<"]) await put(key, key);
    expect((await bucket.s3.send("DELETE", `/${bucket.name}/d/1`)).status).toBe(204);
    expect((await bucket.s3.send("DELETE", `/${bucket.name}/d/1`)).status).toBe(204);
    const body =
      "<Delete><Object><Key>d/2</Key></Object><Object><Key>d/&amp;&lt;</Key></Object><Object><Key>none</Key></Object></Delete>";
    const many = await bucket.s3.send("POST", `/${bucket.name}`, { query: { delete: "" }, body });
    expect(textsOf(many, "Key")).toEqual(["d/2", "d/&amp;&lt;", "none"]);
    expect((await get("d/3")).status).toBe(200);
    for (const key of ["d/1", "d/2", "d/&<"]) expect((await get(key)).status).toBe(404);
    const bomb = '<!DOCTYPE a [<!ENTITY b "bb">]><Delete><Object><Key>&b;</Key></Object></Delete>';
    expect(codeOf(await bucket.s3.send("POST", `/${bucket.name}`, { query: { delete: "" }, body: bomb }))).toBe(
      "MalformedXML",
    );
    const before = files();
    await storage.api.controlPlane.buckets.cleaner.remove();
    expect(files()).toBeLessThan(before);
  });

  test("who reads what is overwritten reads it to the end", async () => {
    const former = randomBytes(20_000_000);
    await put("large", former);
    const { target, headers } = bucket.s3.head("GET", `/${bucket.name}/large`, {});
    const reply = await new Promise<import("node:http").IncomingMessage>((resolve) =>
      request({ host: "127.0.0.1", port: storage.port, path: target, headers }, resolve).end(),
    );
    const chunks: Buffer[] = [
      await new Promise<Buffer>((resolve) => reply.once("data", (chunk: Buffer) => resolve(chunk))),
    ];
    reply.pause();
    await put("large", "new");
    await storage.api.controlPlane.buckets.cleaner.remove();
    expect((await get("large")).text).toBe("new");
    for await (const chunk of reply) chunks.push(chunk);
    expect(md5(Buffer.concat(chunks))).toBe(md5(former));
  });

  test("what the rows count is what is there", async () => {
    const list = await bucket.s3.send("GET", `/${bucket.name}`, { query: { "list-type": "2" } });
    const sizes = textsOf(list, "Size").map(Number);
    const { objects, sizeBytes } = await counts();
    expect(objects).toBe(sizes.length);
    expect(sizeBytes).toBe(sizes.reduce((sum, size) => sum + size, 0));
    await storage.api.controlPlane.buckets.cleaner.remove();
    expect(files()).toBe(sizes.filter((size) => size > 0).length);
  });
});

test("buckets are found in the host, too", async () => {
  await put("in-host", "yes");
  const host = { host: `${bucket.name}.localhost:${storage.port}` };
  const got = await bucket.s3.send("GET", "/in-host", { headers: host });
  expect([got.status, got.text]).toEqual([200, "yes"]);
});

describe("who is refused", () => {
  test("without a valid signature nobody gets in", async () => {
    const path = `/${bucket.name}/range`;
    expect(codeOf(await send(storage.port, "GET", path))).toBe("AccessDenied");
    expect(codeOf(await send(storage.port, "GET", path, { authorization: "AWS KEY:sig" }))).toBe("InvalidRequest");
    const thief = new S3Client(storage.port, { ...bucket.credential, secretAccessKey: "guessed" });
    expect(codeOf(await thief.send("GET", path))).toBe("SignatureDoesNotMatch");
    const nobody = new S3Client(storage.port, { ...bucket.credential, accessKeyId: "KSAR2222222222222222" });
    expect(codeOf(await nobody.send("GET", path))).toBe("InvalidAccessKeyId");
    for (const minutes of [-16, 16])
      expect(codeOf(await get("range", { at: new Date(Date.now() + minutes * 60_000) }))).toBe("RequestTimeTooSkewed");
    expect((await get("range", { at: new Date(Date.now() - 14 * 60_000) })).status).toBe(200);
    expect(codeOf(await get("range", { unsigned: { "x-amz-copy-source": "a/b" } }))).toBe("AccessDenied");
    const revoked = await storage.newCredential(account, bucket.id, "READ_WRITE");
    const client = new S3Client(storage.port, revoked);
    expect((await client.send("HEAD", `/${bucket.name}`)).status).toBe(200);
    await account.call("DELETE", `/buckets/credentials/${revoked.id}`);
    expect(codeOf(await client.send("GET", `/${bucket.name}`))).toBe("InvalidAccessKeyId");
  });

  test("another's bucket answers like one that is not there", async () => {
    const theirs = await storage.newBucket(await storage.api.newAccount());
    await theirs.s3.send("PUT", `/${theirs.name}/secret`, { body: "secret" });
    for (const [method, key] of [
      ["GET", "/secret"],
      ["PUT", "/secret"],
      ["DELETE", "/secret"],
      ["GET", ""],
    ] as const) {
      const foreign = await bucket.s3.send(method, `/${theirs.name}${key}`);
      const unknown = await bucket.s3.send(method, `/no-such-bucket${key}`);
      expect([foreign.status, codeOf(foreign)]).toEqual([403, "AccessDenied"]);
      expect([unknown.status, codeOf(unknown)]).toEqual([403, "AccessDenied"]);
    }
    expect((await theirs.s3.send("GET", `/${theirs.name}/secret`)).text).toBe("secret");
    expect(textsOf(await bucket.s3.send("GET", "/"), "Name")).toEqual([bucket.name]);
  });

  test("a credential for reading reads", async () => {
    const reader = new S3Client(storage.port, await storage.newCredential(account, bucket.id, "READ"));
    await put("readable", "text");
    expect((await reader.send("GET", `/${bucket.name}/readable`)).text).toBe("text");
    for (const [method, query] of [
      ["PUT", {}],
      ["DELETE", {}],
      ["POST", { uploads: "" }],
    ] as const)
      expect(codeOf(await reader.send(method, `/${bucket.name}/readable`, { query }))).toBe("AccessDenied");
    const body = "<Delete><Object><Key>readable</Key></Object></Delete>";
    expect(codeOf(await reader.send("POST", `/${bucket.name}`, { query: { delete: "" }, body }))).toBe("AccessDenied");
  });

  test("keys are names, never paths", async () => {
    for (const key of [
      "../../etc/passwd",
      "..",
      "a//b",
      "/x",
      "%2e%2e/y",
      "a\\b",
      "CON",
      "\u{1f600}",
      "a".repeat(1024),
    ]) {
      expect([key, (await put(key, key)).status]).toEqual([key, 200]);
      expect((await get(key)).text).toBe(key);
    }
    expect(codeOf(await put("a".repeat(1025), "x"))).toBe("KeyTooLongError");
    expect(codeOf(await put("ü".repeat(513), "x"))).toBe("KeyTooLongError");
    expect(codeOf(await put("a\0b", "x"))).toBe("InvalidArgument");
    expect(codeOf(await send(storage.port, "GET", `/${bucket.name}/%ff`))).toBe("InvalidURI");
    expect(codeOf(await get("", { query: { prefix: "a\0" } }))).toBe("InvalidArgument");
  });

  test("too much of anything", async () => {
    expect(codeOf(await put("meta", "x", { headers: { "x-amz-meta-big": "m".repeat(2049) } }))).toBe(
      "MetadataTooLarge",
    );
    const large = {
      payload: "UNSIGNED-PAYLOAD",
      unsigned: { "content-length": String(6 * 2 ** 30), expect: "100-continue" },
    };
    expect(
      codeOf(await bucket.s3.send("PUT", `/${bucket.name}/large`, large).catch(() => ({ text: "" }) as never)),
    ).toBe("EntityTooLarge");
    const headers = { "x-filler": "f".repeat(20_000) };
    expect((await send(storage.port, "GET", "/", headers)).status).toBe(431);
  });

  test("what is not there is said to be not there", async () => {
    for (const parameter of ["acl", "tagging", "policy", "cors", "lifecycle", "versions"])
      expect([parameter, codeOf(await get("", { query: { [parameter]: "" } }))]).toEqual([parameter, "NotImplemented"]);
    expect(codeOf(await put("acl", "x", { headers: { "x-amz-acl": "public-read" } }))).toBe(
      "AccessControlListNotSupported",
    );
    expect(codeOf(await put("sse", "x", { headers: { "x-amz-server-side-encryption": "AES256" } }))).toBe(
      "NotImplemented",
    );
    expect(codeOf(await bucket.s3.send("PATCH", `/${bucket.name}/x`))).toBe("MethodNotAllowed");
    expect(codeOf(await bucket.s3.send("PUT", `/${bucket.name}`))).toBe("BucketAlreadyOwnedByYou");
    expect((await get("", { query: { location: "" } })).text).toContain("LocationConstraint");
  });
});
