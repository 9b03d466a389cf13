/** Object storage, put together: the resource, the port for S3 clients, and what goes on by itself. */
import { join } from "node:path";
import { type Clock, systemClock } from "../kernel/clock.ts";
import type { OverageService } from "../modules/billing/usage/overage.service.ts";
import { BucketsService } from "../modules/buckets/buckets.service.ts";
import { ObjectRows } from "../modules/buckets/object-rows.ts";
import { StorageCleaner } from "../modules/buckets/storage.cleaner.ts";
import type { SecretBox } from "../platform/crypto.ts";
import type { Database } from "../platform/database/database.ts";
import type { Logger } from "../platform/log.ts";
import { BlobFiles } from "../storage/blob-files.ts";
import { S3Server } from "../storage/s3/server.ts";
import type { Area } from "./area.ts";

const gigabyte = 1_000_000_000;

export interface StorageSettings {
  /** Where the bytes lie. */
  readonly directory: string;
  /** Where S3 clients reach it, without a slash at the end; asked for once it listens. */
  readonly publicUrl: () => string;
  /** Nothing is written while the disk has less free. */
  readonly minFreeMb: number;
  readonly accountGb: number;
  readonly accountObjects: number;
}

export interface BucketsAreaOptions {
  readonly database: Database;
  readonly secrets: SecretBox;
  readonly logger: Logger;
  readonly clock?: Clock;
  readonly storage: StorageSettings;
  readonly overage: Pick<OverageService, "refuseBlocked">;
}

export interface Buckets extends Area {
  readonly buckets: BucketsService;
  readonly cleaner: StorageCleaner;
  readonly s3: S3Server;
}

export function storageDirectory(dataDir: string): string {
  return join(dataDir, "storage");
}

export function createBuckets({ database, secrets, logger, storage, overage, ...rest }: BucketsAreaOptions): Buckets {
  const clock = rest.clock ?? systemClock;
  const blobs = new BlobFiles({ directory: storage.directory, minFreeBytes: storage.minFreeMb * 2 ** 20 });
  const store = new ObjectRows({
    ...{ database, secrets, clock, logger },
    mostBytes: storage.accountGb * gigabyte,
    mostEntries: storage.accountObjects,
    mayStore: (executor, accountId) => overage.refuseBlocked(executor, accountId, "OBJECT_STORAGE"),
  });
  const cleaner = new StorageCleaner({ database, blobs, clock, logger });
  return {
    buckets: new BucketsService({ database, secrets, clock, endpoint: storage.publicUrl }),
    cleaner,
    s3: new S3Server({ store, blobs, clock, logger, host: () => new URL(storage.publicUrl()).hostname }),
    start: (locks) => cleaner.start(locks),
    sweep: () => cleaner.sweep(),
  };
}
