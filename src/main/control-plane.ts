/** The control plane, put together: the HTTP API and the workers over one database, one engine and one edge. */
import type { FastifyInstance } from "fastify";
import type pg from "pg";
import type { EdgeControl } from "../edge/control.ts";
import type { Engine } from "../engines/engine.ts";
import { defaultBrand } from "../kernel/brand.ts";
import { systemClock } from "../kernel/clock.ts";
import { AccountSettingsService } from "../modules/accounts/account-settings.service.ts";
import { AccountsService } from "../modules/accounts/accounts.service.ts";
import { ActivityService } from "../modules/activity/activity.service.ts";
import { AuditService } from "../modules/audit/audit.service.ts";
import type { BuiltFiles } from "../modules/dashboard/built-files.ts";
import { registerDashboard } from "../modules/dashboard/dashboard.routes.ts";
import { DeploymentsService } from "../modules/deployments/deployments.service.ts";
import { EnvService } from "../modules/env/env.service.ts";
import { KeysService } from "../modules/keys/keys.service.ts";
import { LogsService } from "../modules/logs/logs.service.ts";
import { ProjectsService } from "../modules/projects/projects.service.ts";
import { RuntimeService } from "../modules/runtime/runtime.service.ts";
import { ServicesService } from "../modules/services/services.service.ts";
import { registerSystemRoutes } from "../modules/system/system.routes.ts";
import { createHttpServer, registerOperations } from "../operation/http.ts";
import { Idempotency } from "../operation/idempotency/idempotency.ts";
import { openApiDocument } from "../operation/openapi.ts";
import { Pipeline } from "../operation/pipeline.ts";
import { RateLimiter } from "../operation/rate-limit/rate-limiter.ts";
import type { SecretBox } from "../platform/crypto.ts";
import { createDatabase, createPool, type Database } from "../platform/database/database.ts";
import type { Logger } from "../platform/log.ts";
import type { MailSettings } from "../platform/mail.ts";
import type { Area } from "./area.ts";
import { allOperations } from "./operations.ts";
import { createPeople, type People } from "./people.ts";
import { readiness } from "./readiness.ts";
import { queueConcurrency, Workers } from "./workers.ts";

export interface ControlPlaneOptions {
  readonly connection: pg.PoolConfig;
  readonly engine: Engine;
  readonly edge: EdgeControl;
  readonly secrets: SecretBox;
  readonly logger: Logger;
  readonly baseDomain: string;
  /** Where a slug answers, such as `http://hello.localhost:8080`. */
  readonly addressOf: (slug: string) => string;
  readonly allowLocalRepository: (path: string) => boolean;
  readonly trustedProxies: readonly string[];
  readonly egressAllow: readonly string[];
  /** Requests a minute, per key. */
  readonly rateLimit: number;
  readonly mail: MailSettings;
  /** Where people reach this Ksar, without a slash at the end; asked for once it listens. */
  readonly publicUrl: () => string;
  /** The dashboard's files, once they are there; null where there are none. */
  readonly dashboard: () => Promise<BuiltFiles | null>;
  readonly startTimeoutSeconds: number;
  readonly maxBuilds: number;
  readonly minFreeMb: number;
}

export interface ControlPlane {
  readonly app: FastifyInstance;
  readonly accounts: AccountsService;
  readonly keys: KeysService;
  readonly database: Database;
  readonly people: People;
  /** Starts the workers; the API serves from `app.listen` on. */
  start(): Promise<void>;
  /** Refuses new requests, lets those under way finish, lets go of the work in hand. */
  stop(): Promise<void>;
}

export async function createControlPlane(options: ControlPlaneOptions): Promise<ControlPlane> {
  const { engine, edge, logger } = options;
  const clock = systemClock;
  const pool = createPool({ max: queueConcurrency + 10, ...options.connection }, (error) =>
    logger.warn({ err: error }, "a database connection was lost"),
  );
  const database = createDatabase(pool);
  const keys = new KeysService(database, defaultBrand);
  const accounts = new AccountsService(database, keys, clock);
  const runtime = new RuntimeService(engine);
  const projects = new ProjectsService(database);
  const services = new ServicesService({
    database,
    runtime,
    addressOf: options.addressOf,
    allowLocalRepository: options.allowLocalRepository,
  });
  const env = new EnvService(database, options.secrets, clock);
  const deployments = new DeploymentsService(database, services, clock);
  const logs = new LogsService(engine.logs, services, deployments);
  const accountSettings = new AccountSettingsService({ database, aiAvailable: false });
  const activity = new ActivityService(database);
  const audit = new AuditService(database);
  const limiter = new RateLimiter(database);
  const idempotency = new Idempotency(database, clock);
  const people = createPeople({
    database,
    accounts,
    keys,
    audit,
    activity,
    limiter,
    secrets: options.secrets,
    logger,
    mail: options.mail,
    publicUrl: options.publicUrl,
  });
  const operations = allOperations({
    ...people,
    accountSettings,
    activity,
    keys,
    audit,
    projects,
    services,
    env,
    deployments,
    logs,
  });

  const app = createHttpServer({ logger, trustedProxies: options.trustedProxies });
  const pipeline = new Pipeline({
    database,
    authenticate: (credentials) =>
      credentials.bearer === null && people.sessions.tokenOf(credentials.cookie) !== null
        ? people.sessions.authenticate(credentials)
        : keys.authenticator.authenticate(credentials),
    limiter,
    rateLimit: options.rateLimit,
    idempotency,
    record: async (transaction, deed) => {
      await audit.record(transaction, deed);
      await activity.recordDeed(transaction, deed);
    },
  });
  registerOperations(app, operations, pipeline);
  registerSystemRoutes(app, {
    brand: defaultBrand,
    openApi: openApiDocument(operations, defaultBrand),
    readiness: () => readiness(database, engine, edge),
  });
  registerDashboard(app, { brand: defaultBrand, files: options.dashboard });

  people.registerRoutes(app);

  const spine: Area = {
    sweep: async () => {
      await idempotency.sweep();
      await limiter.sweep();
    },
  };
  const work = new Workers({
    options,
    pool,
    database,
    env,
    runtime,
    deployments,
    activity,
    areas: [people, spine],
  });
  return {
    app,
    accounts,
    keys,
    database,
    people,
    start: () => work.start(),
    stop: async () => {
      await app.close();
      limiter.close();
      await work.stop();
      await pool.end();
    },
  };
}
