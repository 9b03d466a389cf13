/**
 * The control plane and its database by the operator's settings. To load this, and all that it stands on, takes a
 * processor a second: `ksar up` does it while its other parts start.
 */
import type pg from "pg";
import type { EdgeControl } from "../edge/control.ts";
import type { LocalEngine } from "../engines/local/local-engine.ts";
import { readCatalogue } from "../modules/billing/catalogue/catalogue.ts";
import type { BuiltFiles } from "../modules/dashboard/built-files.ts";
import type { Config } from "../platform/config.ts";
import { SecretBox } from "../platform/crypto.ts";
import { createPool } from "../platform/database/database.ts";
import { migrate } from "../platform/database/migrate.ts";
import type { Logger } from "../platform/log.ts";
import type { Paths } from "../platform/paths.ts";
import { migrateQueue } from "../platform/queue.ts";
import { storageDirectory } from "./buckets.ts";
import { type ControlPlane, createControlPlane } from "./control-plane.ts";
import { databaseConnection } from "./parts.ts";
import { migrationsDir } from "./program.ts";
import { readSecretKey } from "./secret-key.ts";
import { StartError } from "./start-error.ts";
import type { StarterState } from "./starter.ts";

/** Its schema is this program's from then on. */
export async function prepareDatabase(config: Config, paths: Paths): Promise<void> {
  const pool = createPool({ ...databaseConnection(config, paths), max: 2 }, () => undefined);
  try {
    const client = await pool.connect().catch((error: unknown) => {
      throw new StartError(
        `The database cannot be reached: ${error instanceof Error ? error.message : error}. Check KSAR_DATABASE_URL.`,
      );
    });
    try {
      await refuseOldServers(client);
      await migrate(client, migrationsDir);
    } finally {
      client.release();
    }
    await migrateQueue(pool);
  } finally {
    await pool.end();
  }
}

async function refuseOldServers(client: pg.ClientBase): Promise<void> {
  const { rows } = await client.query<{ version: number }>(
    "select current_setting('server_version_num')::int as version",
  );
  const version = rows[0]?.version ?? 0;
  if (version < 150_000)
    throw new StartError(
      `KSAR_DATABASE_URL leads to PostgreSQL ${Math.floor(version / 10_000)}: Ksar needs 15 or newer.`,
    );
}

export interface ConfiguredOptions {
  readonly config: Config;
  readonly paths: Paths;
  readonly engine: LocalEngine;
  readonly edge: EdgeControl;
  readonly logger: Logger;
  /** Where this Ksar is, as far as that is known yet. */
  readonly urls: () => StarterState["urls"];
  /** Where a slug answers. */
  readonly addressOf: (slug: string) => string;
  readonly dashboard: () => Promise<BuiltFiles | null>;
}

export function configuredControlPlane(options: ConfiguredOptions): Promise<ControlPlane> {
  const { config, paths, urls } = options;
  return createControlPlane({
    connection: databaseConnection(config, paths),
    engine: options.engine,
    edge: options.edge,
    secrets: new SecretBox(readSecretKey(config.secretKey, paths.secretKeyFile)),
    logger: options.logger,
    baseDomain: config.baseDomain,
    addressOf: options.addressOf,
    allowLocalRepository: (path) => config.repoAllowLocal || path === paths.sampleRepository,
    trustedProxies: config.trustedProxies,
    egressAllow: config.egressAllow,
    rateLimit: config.rateLimit,
    mail: config.mail,
    payments: config.payments,
    publicUrl: () => config.publicUrl ?? urls().dashboardUrl,
    dashboard: options.dashboard,
    startTimeoutSeconds: config.startTimeoutSeconds,
    maxBuilds: config.maxBuilds,
    maxCronRuns: config.maxCronRuns,
    minFreeMb: config.minFreeMb,
    catalogue: readCatalogue(config.catalogFile),
    isBilling: config.isBilling,
    storage: {
      directory: storageDirectory(config.dataDir),
      publicUrl: () => config.storageUrl ?? urls().storageUrl,
      // Builds go on when buckets are full.
      minFreeMb: 2 * config.minFreeMb,
      accountGb: config.storageAccountGb,
      accountObjects: config.storageAccountObjects,
    },
  });
}
