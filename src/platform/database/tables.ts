/** The tables as the migrations leave them; columns in camelCase (see `createDatabase`). */
import type { BillingTables } from "./tables/billing.ts";
import type { MeteringTables } from "./tables/metering.ts";
import type { OperationsTables } from "./tables/operations.ts";
import type { PeopleTables } from "./tables/people.ts";
import type { ServicesTables } from "./tables/services.ts";

export interface Tables extends PeopleTables, ServicesTables, OperationsTables, MeteringTables, BillingTables {}
