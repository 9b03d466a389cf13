/** The examples of AWS's documentation of Signature V4 for S3, number for number. */
import { expect, test } from "vitest";
import { authenticate } from "./authentication.ts";
import { readRequest } from "./request.ts";

const accessKeyId = "AKIAIOSFODNN7EXAMPLE";
const secret = "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY";
const now = new Date("2013-05-24T00:00:00Z");
const scope = `${accessKeyId}/20130524/us-east-1/s3/aws4_request`;
const empty = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
const host = "examplebucket.s3.amazonaws.com";
const store = {
  findGrant: async () => ({
    ...{ credentialId: "", secret, access: "READ_WRITE" as const, accountId: "", bucketId: "" },
    ...{ bucket: "examplebucket", createdAt: now },
  }),
};

const judge = (method: string, url: string, headers: Record<string, string>, at = now) =>
  authenticate(readRequest({ method, url, headers: { host, ...headers } }, "s3.amazonaws.com"), store, {
    now: () => at,
  });
const signed = (names: string, signature: string) =>
  `AWS4-HMAC-SHA256 Credential=${scope},SignedHeaders=${names},Signature=${signature}`;
const common = { "x-amz-date": "20130524T000000Z" };

test.each([
  [
    "GET",
    "/test.txt",
    { range: "bytes=0-9", "x-amz-content-sha256": empty },
    "host;range;x-amz-content-sha256;x-amz-date",
    "f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41",
  ],
  [
    "PUT",
    "/test%24file.text",
    {
      date: "Fri, 24 May 2013 00:00:00 GMT",
      "x-amz-content-sha256": "44ce7dd67c959e0d3524ffac1771dfbba87d2b6b4b4e99e42034a8b803f8b072",
      "x-amz-storage-class": "REDUCED_REDUNDANCY",
    },
    "date;host;x-amz-content-sha256;x-amz-date;x-amz-storage-class",
    "98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd",
  ],
  [
    "GET",
    "/?lifecycle",
    { "x-amz-content-sha256": empty },
    "host;x-amz-content-sha256;x-amz-date",
    "fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543",
  ],
  [
    "GET",
    "/?max-keys=2&prefix=J",
    { "x-amz-content-sha256": empty },
    "host;x-amz-content-sha256;x-amz-date",
    "34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7",
  ],
] as const)("%s %s is signed as the documentation says", async (method, url, headers, names, signature) => {
  const sent = { ...common, ...headers };
  const { grant } = await judge(method, url, { ...sent, authorization: signed(names, signature) });
  expect(grant.bucket).toBe("examplebucket");
  const other = signature.replace(/^./, (digit) => (digit === "0" ? "1" : "0"));
  const wrong = judge(method, url, { ...sent, authorization: signed(names, other) });
  await expect(wrong).rejects.toMatchObject({ code: "SignatureDoesNotMatch" });
});

test("a link is signed as the documentation says, for a day", async () => {
  const link =
    "/test.txt?X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Credential=AKIAIOSFODNN7EXAMPLE%2F20130524%2Fus-east-1%2Fs3%2Faws4_request&X-Amz-Date=20130524T000000Z&X-Amz-Expires=86400&X-Amz-SignedHeaders=host&X-Amz-Signature=aeeed9bbccd4d02ee5c0109b86d86835f995330da4c265957d157751f604d404";
  const end = now.getTime() + 86_400_000;
  expect((await judge("GET", link, {}, new Date(end))).payload).toBe("UNSIGNED-PAYLOAD");
  await expect(judge("GET", link, {}, new Date(end + 1))).rejects.toMatchObject({ message: "Request has expired." });
});
