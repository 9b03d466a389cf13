/**
 * For each operation a request that succeeds, made anew for each test. The generated tests (operations.test.ts) break one
 * thing at a time about it. An operation without an entry here fails them: nothing is missed.
 */
import { alertsExamples } from "./examples/alerts.ts";
import { billingExamples } from "./examples/billing.ts";
import { bucketsExamples } from "./examples/buckets.ts";
import { channelsExamples } from "./examples/channels.ts";
import { cronExamples } from "./examples/cron.ts";
import { databasesExamples } from "./examples/databases.ts";
import { paymentsExamples } from "./examples/payments.ts";
import { peopleExamples } from "./examples/people.ts";
import { servicesExamples } from "./examples/services.ts";
import { webhooksExamples } from "./examples/webhooks.ts";
import type { Examples } from "./examples/world.ts";

export const examples: Examples = {
  ...alertsExamples,
  ...billingExamples,
  ...bucketsExamples,
  ...channelsExamples,
  ...cronExamples,
  ...databasesExamples,
  ...paymentsExamples,
  ...peopleExamples,
  ...servicesExamples,
  ...webhooksExamples,
};
