/** The control plane, put together: the HTTP API and the workers over one database, one engine and one edge. */
import type { FastifyInstance } from "fastify";
import type pg from "pg";
import type { EdgeControl } from "../edge/control.ts";
import type { Engine } from "../engines/engine.ts";
import { defaultBrand } from "../kernel/brand.ts";
import { type Clock, systemClock } from "../kernel/clock.ts";
import { AccountSettingsService } from "../modules/accounts/account-settings.service.ts";
import { AccountsService } from "../modules/accounts/accounts.service.ts";
import { ActivityService } from "../modules/activity/activity.service.ts";
import { AuditService } from "../modules/audit/audit.service.ts";
import { type Catalogue, readCatalogue } from "../modules/billing/catalogue/catalogue.ts";
import type { BuiltFiles } from "../modules/dashboard/built-files.ts";
import { registerDashboard } from "../modules/dashboard/dashboard.routes.ts";
import { DeploymentsService } from "../modules/deployments/deployments.service.ts";
import { Releases } from "../modules/deployments/releases.ts";
import { EnvService } from "../modules/env/env.service.ts";
import { KeysService } from "../modules/keys/keys.service.ts";
import { LogsService } from "../modules/logs/logs.service.ts";
import { PlatformMetrics } from "../modules/metrics/platform-metrics.ts";
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
import { createPlainQuery } from "../platform/database/plain-query.ts";
import { UnitOfWork } from "../platform/database/unit-of-work.ts";
import type { Logger } from "../platform/log.ts";
import type { MailSettings } from "../platform/mail.ts";
import type { PaymentSettings } from "../platform/payment-settings.ts";
import { createAlerts } from "./alerts.ts";
import type { Area } from "./area.ts";
import { type Billing, type BillingPorts, createBilling, recordBy } from "./billing.ts";
import { type Buckets, createBuckets, type StorageSettings } from "./buckets.ts";
import { type Channels, createChannels } from "./channels.ts";
import { createCron } from "./cron.ts";
import { createDatabases } from "./databases.ts";
import { allOperations } from "./operations.ts";
import { createPayments, type Payments, sellerOf } from "./payments.ts";
import { createPeople, type People } from "./people.ts";
import { version } from "./program.ts";
import { readiness } from "./readiness.ts";
import { createRefunds, type Refunds } from "./refunds.ts";
import { createWebhooks } from "./webhooks.ts";
import { Workers } from "./workers.ts";

/** Jobs and requests mostly wait for other things than the database; with more, its processes get in each other's way. */
const mostConnections = 12;

export interface ControlPlaneOptions {
  readonly clock?: Clock;
  /** What there is to buy; the shipped one when left out. */
  readonly catalogue?: Catalogue;
  /** false: nothing is limited or charged by plans. */
  readonly isBilling?: boolean;
  /** In place of what payments and channels are to billing. */
  readonly billingPorts?: Partial<BillingPorts>;
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
  readonly payments: PaymentSettings;
  /** Where people reach this Ksar, without a slash at the end; asked for once it listens. */
  readonly publicUrl: () => string;
  /** The dashboard's files, once they are there; null where there are none. */
  readonly dashboard: () => Promise<BuiltFiles | null>;
  readonly startTimeoutSeconds: number;
  readonly maxBuilds: number;
  readonly maxCronRuns: number;
  readonly minFreeMb: number;
  readonly storage: StorageSettings;
}

export interface ControlPlane {
  readonly app: FastifyInstance;
  readonly accounts: AccountsService;
  readonly keys: KeysService;
  readonly database: Database;
  readonly people: People;
  readonly channels: Channels;
  readonly payments: Payments;
  readonly billing: Billing;
  readonly refunds: Refunds;
  readonly buckets: Buckets;
  readonly platformMetrics: PlatformMetrics;
  /** Starts the workers; the API serves from `app.listen` on. */
  start(): Promise<void>;
  /** Refuses new requests, lets those under way finish, lets go of the work in hand. */
  stop(): Promise<void>;
}

export async function createControlPlane(options: ControlPlaneOptions): Promise<ControlPlane> {
  const { engine, edge, logger } = options;
  const clock = options.clock ?? systemClock;
  const pool = createPool({ max: mostConnections, ...options.connection }, (error) =>
    logger.warn({ err: error }, "a database connection was lost"),
  );
  const database = createDatabase(pool);
  const limiter = new RateLimiter(database);
  const idempotency = new Idempotency(database, clock);
  const keys = new KeysService(database, defaultBrand);
  const accounts = new AccountsService(database, keys, clock);
  const activity = new ActivityService(database);
  const audit = new AuditService(database, createPlainQuery(database, pool));
  const channels = createChannels({ ...options, database, activity, limiter });
  const webhooks = createWebhooks({ ...options, database, activity });
  const runtime = new RuntimeService(engine);
  const catalogue = options.catalogue ?? readCatalogue(null);
  const payments = await createPayments({
    database,
    secrets: options.secrets,
    logger,
    clock,
    settings: options.payments,
    publicUrl: options.publicUrl,
    audit,
    onPaid: (transaction, paid) => billing.onPaid(transaction, paid),
    seller: () => sellerOf(catalogue),
  });
  const billing = createBilling({
    database,
    clock,
    logger,
    catalogue,
    isBilling: options.isBilling ?? true,
    requestReconcile: (transaction, serviceId) => runtime.request(transaction, serviceId),
    record: recordBy(audit, activity),
    publicUrl: options.publicUrl,
    ports: { ...payments, notify: channels.notify, ...options.billingPorts },
  });
  const refunds = createRefunds({
    ...{ database, clock, logger, ledger: billing.ledger, gateways: payments.gateways },
    record: recordBy(audit, activity),
  });
  const projects = new ProjectsService(database);
  const services = new ServicesService({
    database,
    runtime,
    addressOf: options.addressOf,
    allowLocalRepository: options.allowLocalRepository,
    events: webhooks.events,
    limits: billing.limits,
  });
  const env = new EnvService(database, options.secrets, clock);
  const deployments = new DeploymentsService({
    database,
    services,
    clock,
    events: webhooks.events,
    mayBuild: (executor, accountId) => billing.overage.refuseBlocked(executor, accountId, "BUILD_MINUTES"),
  });
  const releases = new Releases(database, options.secrets);
  const accountSettings = new AccountSettingsService({
    database,
    aiAvailable: false,
    invoices: (accountId) => payments.invoices.pages(accountId),
    currentSpendMad: (accountId) => billing.wallet.currentSpendMad(accountId),
  });
  const cronArea = createCron({
    database,
    engine,
    activity,
    releases,
    limits: billing.limits,
    logger,
    maxRuns: options.maxCronRuns,
  });
  const databasesArea = createDatabases({
    ...{ database, clock, logger, activity, engine: engine.databases },
    secrets: options.secrets,
    limits: billing.limits,
    events: webhooks.events,
    logs: engine.logs,
  });
  const logs = new LogsService({ logs: engine.logs, services, deployments, cron: cronArea.cron });
  const people = createPeople({
    database,
    units: new UnitOfWork(pool),
    accounts,
    keys,
    audit,
    activity,
    notify: channels.notify,
    limits: billing.limits,
    limiter,
    secrets: options.secrets,
    logger,
    mail: options.mail,
    publicUrl: options.publicUrl,
  });
  const alerts = createAlerts({
    database,
    engine,
    services,
    activity,
    logger,
    notifyAll: channels.notifyAll,
    channelNames: (executor, accountId, ids) => channels.channels.channelNames(executor, accountId, ids),
    channelOwners: (executor, ids) => channels.channels.channelOwners(executor, ids),
    publicUrl: options.publicUrl,
  });
  const buckets = createBuckets({ ...options, clock, database, overage: billing.overage });
  const operations = allOperations({
    ...people,
    ...buckets,
    ...channels,
    ...alerts,
    ...cronArea,
    ...databasesArea,
    ...payments,
    billing: { ...billing, forgetAccount: (accountId) => accountSettings.forget(accountId) },
    accountSettings,
    activity,
    keys,
    audit,
    projects,
    services,
    env,
    deployments,
    logs,
    webhooks: webhooks.webhooks,
  });

  const platformMetrics = new PlatformMetrics({
    database,
    pool,
    readiness: () => readiness(database, engine, edge),
    version,
    clock,
  });
  const app = createHttpServer({
    logger,
    trustedProxies: options.trustedProxies,
    countRequest: (...answer) => platformMetrics.countRequest(...answer),
  });
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
  payments.registerRoutes(app);
  channels.registerRoutes(app);

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
    releases,
    runtime,
    deployments,
    activity,
    notify: channels.notify,
    platformMetrics,
    areas: [people, channels, alerts, cronArea, databasesArea, webhooks, payments, billing, refunds, buckets, spine],
  });
  return {
    app,
    accounts,
    keys,
    database,
    people,
    channels,
    payments,
    billing,
    refunds,
    buckets,
    platformMetrics,
    start: () => work.start(),
    stop: async () => {
      await Promise.all([app.close(), buckets.s3.close()]);
      limiter.close();
      await work.stop();
      await pool.end();
    },
  };
}
