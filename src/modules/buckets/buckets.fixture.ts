/** The API with its S3 port open, and buckets with clients that reach them. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startTestApi, type TestAccount, type TestApi } from "../../../tests/api.fixture.ts";
import type { ControlPlaneOptions } from "../../main/control-plane.ts";
import { S3Client, type S3Credential } from "../../storage/s3/s3-client.fixture.ts";

export interface TestBucket {
  readonly id: string;
  readonly name: string;
  readonly credential: S3Credential & { readonly id: string };
  readonly s3: S3Client;
}

export interface TestStorage {
  readonly api: TestApi;
  readonly port: number;
  readonly directory: string;
  newBucket(account: TestAccount, access?: "READ" | "READ_WRITE"): Promise<TestBucket>;
  newCredential(
    account: TestAccount,
    bucketId: string,
    access: "READ" | "READ_WRITE",
  ): Promise<S3Credential & { id: string }>;
  close(): Promise<void>;
}

let made = 0;

export async function startTestStorage(
  options: Partial<ControlPlaneOptions> = {},
  storage: Partial<ControlPlaneOptions["storage"]> = {},
): Promise<TestStorage> {
  const directory = mkdtempSync(join(tmpdir(), "ksar-buckets-"));
  const settings = { directory: join(directory, "storage"), publicUrl: () => "http://localhost:9000", minFreeMb: 1 };
  const api = await startTestApi({
    ...options,
    storage: { ...settings, accountGb: 1000, accountObjects: 1_000_000, ...storage },
  });
  const port = await api.controlPlane.buckets.s3.listen("127.0.0.1", 0);
  const newCredential: TestStorage["newCredential"] = async (account, bucketId, access) =>
    (await account.call("POST", `/buckets/${bucketId}/credentials`, { name: "Test", access })).body.credential;
  return {
    api,
    port,
    directory: settings.directory,
    newCredential,
    async newBucket(account, access = "READ_WRITE") {
      made += 1;
      const name = `bucket-${made}`;
      const { id } = (await account.call("POST", "/buckets", { name })).body.bucket;
      const credential = await newCredential(account, id, access);
      return { id, name, credential, s3: new S3Client(port, credential) };
    },
    async close() {
      await api.close();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}
