/** A real client, with its own idea of the protocol: boto3, as Debian packages it. CI installs it. */
import { execFile, spawnSync } from "node:child_process";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { startTestStorage } from "./buckets.fixture.ts";

const run = promisify(execFile);
const python = "/usr/bin/python3";
const hasBoto3 = spawnSync(python, ["-c", "import boto3"]).status === 0;

const script = `
import io, os, sys, urllib.request
import boto3
from boto3.s3.transfer import TransferConfig
from botocore.config import Config

url, key, secret, bucket = sys.argv[1:5]
s3 = boto3.client("s3", endpoint_url=url, region_name="us-east-1", aws_access_key_id=key, aws_secret_access_key=secret,
                  config=Config(signature_version="s3v4", s3={"addressing_style": "path"}))
assert [one["Name"] for one in s3.list_buckets()["Buckets"]] == [bucket]
s3.put_object(Bucket=bucket, Key="é/hello & <more>.txt", Body=b"hello", Metadata={"a": "b"}, ContentType="text/plain")
got = s3.get_object(Bucket=bucket, Key="é/hello & <more>.txt")
assert (got["Body"].read(), got["Metadata"], got["ContentType"]) == (b"hello", {"a": "b"}, "text/plain")
data = os.urandom(11 * 2**20 + 17)
parts = TransferConfig(multipart_threshold=5 * 2**20, multipart_chunksize=5 * 2**20, max_concurrency=3)
s3.upload_fileobj(io.BytesIO(data), bucket, "large", Config=parts)
s3.copy({"Bucket": bucket, "Key": "large"}, bucket, "copied", Config=parts)
for name in ["large", "copied"]:
    back = io.BytesIO()
    s3.download_fileobj(bucket, name, back, Config=parts)
    assert back.getvalue() == data
for kind in ["list_objects", "list_objects_v2"]:
    pages = s3.get_paginator(kind).paginate(Bucket=bucket, PaginationConfig={"PageSize": 1})
    assert [one["Key"] for page in pages for one in page.get("Contents", [])] == ["copied", "large", "é/hello & <more>.txt"]
link = s3.generate_presigned_url("get_object", Params={"Bucket": bucket, "Key": "large"}, ExpiresIn=60)
assert urllib.request.urlopen(link).read() == data
try:
    s3.get_object(Bucket=bucket, Key="none")
    raise SystemExit("an object that is not there was got")
except s3.exceptions.NoSuchKey:
    pass
s3.delete_objects(Bucket=bucket, Delete={"Objects": [{"Key": "large"}, {"Key": "copied"}]})
assert [one["Key"] for one in s3.list_objects_v2(Bucket=bucket)["Contents"]] == ["é/hello & <more>.txt"]
print("done")
`;

test.skipIf(!hasBoto3)("boto3 puts, gets, lists, copies, links and deletes", { timeout: 60_000 }, async () => {
  const storage = await startTestStorage();
  try {
    const { name, credential } = await storage.newBucket(await storage.api.newAccount());
    const url = `http://localhost:${storage.port}`;
    const env = { PATH: "/usr/bin:/bin", HOME: "/nonexistent", no_proxy: "localhost" };
    const args = ["-c", script, url, credential.accessKeyId, credential.secretAccessKey, name];
    expect((await run(python, args, { env })).stdout).toBe("done\n");
  } finally {
    await storage.close();
  }
});
