/** Objects, uploads and parts as rows: what the S3 side asks of the database. */
import type { Clock } from "../../kernel/clock.ts";
import { DomainError } from "../../kernel/errors.ts";
import { newId } from "../../kernel/ids.ts";
import type { SecretBox } from "../../platform/crypto.ts";
import type { Database, Executor } from "../../platform/database/database.ts";
import type { Logger } from "../../platform/log.ts";
import type {
  Grant,
  ListedObject,
  ListWish,
  NewObject,
  ObjectStore,
  Part,
  Room,
  StoredObject,
  StoreOutcome,
  Upload,
  UploadListWish,
  WriteCondition,
  WriteRefusal,
} from "../../storage/object-store.ts";
import { secretContext } from "./buckets.service.ts";
import * as repo from "./objects.repo.ts";

const mostUploads = 1000;
const usedMs = 5 * 60_000;
/** What is deleted is gone by then, unless it is being read. */
const leavingMs = 60_000;
const gigabyte = 1_000_000_000;

export interface ObjectRowsOptions {
  readonly database: Database;
  readonly secrets: SecretBox;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Of one account, in all its buckets. */
  readonly mostBytes: number;
  /** Objects, and parts of unfinished uploads; of one account. */
  readonly mostEntries: number;
  /** Throws `plan_restricted` when the plan's object storage is used up. */
  readonly mayStore: (executor: Executor, accountId: string) => Promise<void>;
}

export class ObjectRows implements ObjectStore {
  readonly #options: ObjectRowsOptions;
  /** When this process last wrote down that a credential was used. */
  readonly #noted = new Map<string, number>();
  /** By account: what the writes that are under way may add. */
  readonly #setAside = new Map<string, Room>();

  constructor(options: ObjectRowsOptions) {
    this.#options = options;
  }

  async findGrant(accessKeyId: string): Promise<Grant | null> {
    const { database, secrets } = this.#options;
    // Nothing that is none of ours gets as far as the database.
    if (!/^[A-Z0-9]{16,32}$/.test(accessKeyId)) return null;
    const row = await repo.findGrant(database, accessKeyId);
    if (row === undefined) return null;
    const { id, sealedSecret, access, accountId, bucketId, name, createdAt } = row;
    const secret = secrets.open(sealedSecret, secretContext(id));
    return { credentialId: id, secret, access, accountId, bucketId, bucket: name, createdAt };
  }

  findGranted(credentialIds: readonly string[]): Promise<ReadonlySet<string>> {
    return repo.findGranted(this.#options.database, credentialIds);
  }

  noteUse({ credentialId }: Grant): void {
    const { database, clock, logger } = this.#options;
    const now = clock.now();
    if (now.getTime() - (this.#noted.get(credentialId) ?? 0) < usedMs) return;
    if (this.#noted.size > 10_000) this.#noted.clear();
    this.#noted.set(credentialId, now.getTime());
    repo
      .noteUse(database, credentialId, now, new Date(now.getTime() - usedMs))
      .catch((error: unknown) => logger.debug({ err: error }, "a credential's use could not be noted"));
  }

  /**
   * What others have set aside is looked at before what the account holds: who has ended meanwhile counts twice for a
   * moment, and nobody not at all. One process serves the S3 port, so that it knows of every write.
   */
  async setAside(grant: Grant, room: Room): Promise<WriteRefusal | (() => void)> {
    const { accountId } = grant;
    const others = this.#setAside.get(accountId) ?? { bytes: 0, entries: 0 };
    this.#changeRoom(accountId, room.bytes, room.entries);
    const giveBack = () => this.#changeRoom(accountId, -room.bytes, -room.entries);
    try {
      const bytes = others.bytes + room.bytes;
      const refusal = await this.#refusalToWrite(grant, { bytes, entries: others.entries + room.entries });
      if (refusal === null) return giveBack;
      giveBack();
      return refusal;
    } catch (error) {
      giveBack();
      throw error;
    }
  }

  #changeRoom(accountId: string, bytes: number, entries: number): void {
    const known = this.#setAside.get(accountId) ?? { bytes: 0, entries: 0 };
    const changed = { bytes: known.bytes + bytes, entries: known.entries + entries };
    if (changed.entries === 0) this.#setAside.delete(accountId);
    else this.#setAside.set(accountId, changed);
  }

  async #refusalToWrite({ accountId }: Grant, { bytes, entries }: Room): Promise<WriteRefusal | null> {
    const { database, clock, mostBytes, mostEntries, mayStore } = this.#options;
    const leavingSince = new Date(clock.now().getTime() - leavingMs);
    const held = await repo.findAccountStorage(database, accountId, leavingSince);
    if (held === undefined || held.isSuspended) {
      const message =
        "The account is suspended: nothing is written until its billing is settled. Reading and deleting work.";
      return { reason: "SUSPENDED", message };
    }
    if (held.isBlocked) {
      try {
        await mayStore(database, accountId);
      } catch (error) {
        if (error instanceof DomainError) return { reason: "BLOCKED", message: error.message };
        throw error;
      }
    }
    if (held.bytes + bytes > mostBytes) {
      const message = `The account would store more than the ${mostBytes / gigabyte} GB that the operator allows: delete something first.`;
      return { reason: "TOO_MANY_BYTES", message };
    }
    if (held.entries + entries > mostEntries) {
      const message = `The account stores ${held.entries} objects and parts, as many as the operator allows: delete something first.`;
      return { reason: "TOO_MANY_FILES", message };
    }
    return null;
  }

  async find({ bucketId }: Grant, key: string): Promise<StoredObject | null> {
    const row = await repo.findObject(this.#options.database, bucketId, key);
    if (row === undefined) return null;
    const { blobIds, blobSizes, ...object } = row;
    return { ...object, blobs: blobIds.map((id, index) => ({ id, size: blobSizes[index] ?? 0 })) };
  }

  list({ bucketId }: Grant, wish: ListWish): Promise<readonly ListedObject[]> {
    return repo.listObjects(this.#options.database, bucketId, wish);
  }

  store(
    { bucketId }: Grant,
    object: NewObject,
    upload: Upload | null,
    { ifNone, ifEtag }: WriteCondition,
  ): Promise<StoreOutcome> {
    const { database, clock } = this.#options;
    return repo.storeObject(database, bucketId, object, clock.now(), upload?.id ?? null, ifNone ? "*" : ifEtag);
  }

  remove({ bucketId }: Grant, keys: readonly string[]): Promise<void> {
    return repo.deleteObjects(this.#options.database, bucketId, keys, this.#options.clock.now());
  }

  async startUpload(
    { bucketId }: Grant,
    { key, attributes, checksum }: Pick<Upload, "key" | "attributes" | "checksum">,
  ): Promise<Upload | null> {
    const { database, clock } = this.#options;
    if ((await repo.countUploads(database, bucketId)) >= mostUploads) return null;
    const upload = { id: newId(), key, startedAt: clock.now() };
    await repo.insertUpload(database, bucketId, { ...upload, attributes: { ...attributes, parts: checksum } });
    return { ...upload, attributes, checksum };
  }

  async findUpload({ bucketId }: Grant, id: string): Promise<Upload | null> {
    const row = await repo.findUpload(this.#options.database, bucketId, id);
    return row === undefined ? null : uploadOf(row);
  }

  async listUploads({ bucketId }: Grant, wish: UploadListWish): Promise<readonly Upload[]> {
    return (await repo.listUploads(this.#options.database, bucketId, wish)).map(uploadOf);
  }

  storePart({ bucketId }: Grant, upload: Upload, part: Omit<Part, "modifiedAt">): Promise<boolean> {
    return repo.storePart(this.#options.database, bucketId, upload.id, part, this.#options.clock.now());
  }

  listParts(_grant: Grant, upload: Upload, after: number, most: number): Promise<readonly Part[]> {
    return repo.listParts(this.#options.database, upload.id, after, most);
  }

  abortUpload({ bucketId }: Grant, id: string): Promise<boolean> {
    return repo.abortUpload(this.#options.database, bucketId, id, this.#options.clock.now());
  }
}

type UploadRow = NonNullable<Awaited<ReturnType<typeof repo.findUpload>>>;

function uploadOf({ id, key, startedAt, attributes: { parts, ...attributes } }: UploadRow): Upload {
  return { id, key, startedAt, attributes, checksum: parts };
}
