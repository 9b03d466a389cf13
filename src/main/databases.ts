/** Databases, put together: what people ask for, and what each worker does about it. */
import type { DatabaseHost, LogReader } from "../engines/engine.ts";
import type { Clock } from "../kernel/clock.ts";
import type { ActivityService } from "../modules/activity/activity.service.ts";
import type { LimitsService } from "../modules/billing/limits/limits.service.ts";
import { DatabaseCredentials } from "../modules/databases/credentials.ts";
import { DatabasesReconciler } from "../modules/databases/databases.reconciler.ts";
import { DatabasesService, reconcileDatabaseTask } from "../modules/databases/databases.service.ts";
import type { EventOutbox } from "../modules/webhooks/event-outbox.ts";
import type { SecretBox } from "../platform/crypto.ts";
import type { Database } from "../platform/database/database.ts";
import type { LockSession } from "../platform/database/lock-session.ts";
import type { Logger } from "../platform/log.ts";
import type { Area } from "./area.ts";

export interface DatabasesOptions {
  readonly database: Database;
  readonly engine: DatabaseHost;
  readonly logs: LogReader;
  readonly secrets: SecretBox;
  readonly activity: ActivityService;
  readonly events: Pick<EventOutbox, "record">;
  readonly limits: Pick<LimitsService, "check">;
  readonly clock: Clock;
  readonly logger: Logger;
}

export interface Databases extends Area {
  readonly databases: DatabasesService;
}

export function createDatabases(options: DatabasesOptions): Databases {
  const { database, engine, secrets } = options;
  const credentials = new DatabaseCredentials(database, secrets, engine);
  const databases = new DatabasesService({ ...options, credentials });
  /** Of this worker, while it works. */
  let reconciler: DatabasesReconciler | null = null;

  const start = (locks: LockSession) => {
    const reconciling = new DatabasesReconciler({ ...options, credentials, locks });
    reconciler = reconciling;
    reconciling.start();
    return async () => {
      reconciler = null;
      await reconciling.close();
    };
  };
  return {
    databases,
    start,
    tasks: { [reconcileDatabaseTask]: async ({ databaseId = "" }) => reconciler?.reconcile(databaseId) },
  };
}
