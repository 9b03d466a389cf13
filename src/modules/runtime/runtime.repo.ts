import { type Selectable, sql } from "kysely";
import type { Database, Executor } from "../../platform/database/database.ts";
import type { Tables } from "../../platform/database/tables.ts";

export type ServiceStatus = Selectable<Tables["services"]>["status"];

/** What the reconciler needs to know of a service: what is wanted, which release serves, which one is on its way. */
export interface RuntimeRow {
  readonly id: string;
  readonly accountId: string;
  readonly type: "WEB" | "WORKER" | "STATIC";
  readonly slug: string;
  readonly desiredState: "RUNNING" | "STOPPED";
  readonly status: ServiceStatus;
  readonly instances: number;
  /** The account's bandwidth is used up, and no more of it may be bought. */
  readonly isOverLimit: boolean;
  readonly currentDeploymentId: string | null;
  /** The deployment that is being worked on, if any. */
  readonly activeDeploymentId: string | null;
  /** The current deployment's; null without one. */
  readonly artifactId: string | null;
  readonly buildPlan: unknown;
}

function selectRuntime(executor: Executor) {
  return executor
    .selectFrom("services")
    .innerJoin("accounts", "accounts.id", "services.accountId")
    .leftJoin("deployments as current", "current.id", "services.currentDeploymentId")
    .leftJoin("deployments as active", (join) =>
      join
        .onRef("active.serviceId", "=", "services.id")
        .on("active.status", "in", ["BUILDING", "PUSHING", "DEPLOYING"]),
    )
    .select([
      "services.id",
      "services.accountId",
      "services.type",
      "services.slug",
      "services.desiredState",
      // The account says whether it is suspended; the service's own status follows.
      sql<ServiceStatus>`case when accounts.suspended_at is not null then 'SUSPENDED'
        when services.status = 'SUSPENDED' then 'STOPPED' else services.status end`.as("status"),
      "services.instances",
      sql<boolean>`exists (select from blocked_meters
        where blocked_meters.account_id = services.account_id and meter in ('BANDWIDTH', 'LOCAL_BANDWIDTH'))`.as(
        "isOverLimit",
      ),
      "services.currentDeploymentId",
      "active.id as activeDeploymentId",
      "current.artifactId",
      "current.buildPlan",
    ]);
}

export function listRuntime(executor: Executor): Promise<RuntimeRow[]> {
  return selectRuntime(executor).execute();
}

export function findRuntime(executor: Executor, serviceId: string): Promise<RuntimeRow | undefined> {
  return selectRuntime(executor).where("services.id", "=", serviceId).executeTakeFirst();
}

export async function setStatus(executor: Executor, serviceId: string, status: ServiceStatus): Promise<void> {
  await executor
    .updateTable("services")
    .set({ status })
    .where("id", "=", serviceId)
    .where("status", "<>", status)
    .execute();
}

/** As `statusOf` has it for a service with a deployment at work. */
export async function setDeploying(executor: Executor, serviceId: string): Promise<void> {
  await executor
    .updateTable("services")
    .set({ status: "DEPLOYING" })
    .where("id", "=", serviceId)
    .where("status", "not in", ["DEPLOYING", "SUSPENDED"])
    .execute();
}

export async function listServiceIds(executor: Executor): Promise<readonly string[]> {
  const services = await executor.selectFrom("services").select("id").execute();
  const removals = await executor.selectFrom("serviceRemovals").select("serviceId as id").execute();
  return [...services, ...removals].map((row) => row.id);
}

/** The note of a service that was deleted and is still to be taken down. */
export function findRemoval(executor: Executor, serviceId: string) {
  return executor
    .selectFrom("serviceRemovals")
    .select(["accountId", "deploymentIds"])
    .where("serviceId", "=", serviceId)
    .executeTakeFirst();
}

export async function finishRemoval(executor: Executor, serviceId: string): Promise<void> {
  await executor.deleteFrom("serviceRemovals").where("serviceId", "=", serviceId).execute();
}

export async function nextTableVersion(database: Database): Promise<number> {
  const { rows } = await sql<{ version: number }>`select nextval('routing_table_version') as version`.execute(database);
  const version = rows[0]?.version;
  if (version === undefined) throw new Error("the routing table's sequence is gone");
  return version;
}
