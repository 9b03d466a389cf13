/** The tables as the migrations leave them; columns in camelCase (see `createDatabase`). */
import type { BillingTables } from "./tables/billing.ts";
import type { BucketsTables } from "./tables/buckets.ts";
import type { ChannelsTables } from "./tables/channels.ts";
import type { CronTables } from "./tables/cron.ts";
import type { DatabasesTables } from "./tables/databases.ts";
import type { MeteringTables } from "./tables/metering.ts";
import type { MetricsTables } from "./tables/metrics.ts";
import type { OperationsTables } from "./tables/operations.ts";
import type { PaymentsTables } from "./tables/payments.ts";
import type { PeopleTables } from "./tables/people.ts";
import type { ServicesTables } from "./tables/services.ts";
import type { WebhooksTables } from "./tables/webhooks.ts";

export interface Tables
  extends BillingTables,
    BucketsTables,
    ChannelsTables,
    CronTables,
    DatabasesTables,
    MeteringTables,
    MetricsTables,
    OperationsTables,
    PaymentsTables,
    PeopleTables,
    ServicesTables,
    WebhooksTables {}
