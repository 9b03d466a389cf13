import { type Insertable, type Selectable, sql, type Updateable } from "kysely";
import type { Executor } from "../../platform/database/database.ts";
import type { Tables } from "../../platform/database/tables.ts";
import type { DeploymentSettings } from "./deployment-settings.ts";
import type { DeploymentStatus } from "./deployments.schema.ts";

export type DeploymentRow = Omit<Selectable<Tables["deployments"]>, "settings"> & {
  readonly settings: DeploymentSettings;
};

/** The statuses in which a process works on a deployment. */
const activeStatuses = ["BUILDING", "PUSHING", "DEPLOYING"] as const;

/** Serialises everything that adds deployments to one service; the row as it is now. */
export function lockService(executor: Executor, accountId: string, serviceId: string) {
  return executor
    .selectFrom("services")
    .selectAll()
    .where("accountId", "=", accountId)
    .where("id", "=", serviceId)
    .forNoKeyUpdate()
    .executeTakeFirst();
}

export async function insertDeployment(executor: Executor, row: Insertable<Tables["deployments"]>): Promise<void> {
  await executor.insertInto("deployments").values(row).execute();
}

/** Ends those of a service that still wait; returns how many. */
export async function cancelQueued(
  executor: Executor,
  serviceId: string,
  errorMessage: string,
  now: Date,
): Promise<void> {
  await executor
    .updateTable("deployments")
    .set({ status: "CANCELLED", errorMessage, finishedAt: now })
    .where("serviceId", "=", serviceId)
    .where("status", "in", ["QUEUED", "AWAITING_CHECKS"])
    .execute();
}

function selectDetails(executor: Executor, accountId: string) {
  return executor
    .selectFrom("deployments")
    .innerJoin("services", "services.id", "deployments.serviceId")
    .select([
      "deployments.id",
      "deployments.status",
      "deployments.commitSha",
      "deployments.commitMessage",
      "deployments.errorMessage",
      "deployments.createdAt",
      "deployments.finishedAt",
      "deployments.serviceId",
      "deployments.trigger",
      "deployments.startedAt",
      "deployments.buildSeconds",
      "deployments.artifactId",
      "deployments.settings",
      "deployments.buildPlan",
      "deployments.branch",
      "services.currentDeploymentId",
    ])
    .where("deployments.accountId", "=", accountId);
}

export type DetailsRow = NonNullable<Awaited<ReturnType<typeof findDetails>>>;

export function findDetails(executor: Executor, accountId: string, id: string) {
  return selectDetails(executor, accountId).where("deployments.id", "=", id).executeTakeFirst();
}

/** Newest first; up to `count` rows behind the id `after`. */
export function listDeployments(
  executor: Executor,
  accountId: string,
  serviceId: string,
  count: number,
  after: string | null,
) {
  return selectDetails(executor, accountId)
    .where("deployments.serviceId", "=", serviceId)
    .$if(after !== null, (query) => query.where("deployments.id", "<", after ?? ""))
    .orderBy("deployments.id", "desc")
    .limit(count)
    .execute();
}

/**
 * The artifacts of a service that are kept: of the release that serves and the newest others, `count` in all; and of what is
 * under way.
 */
export async function keptArtifacts(
  executor: Executor,
  serviceId: string,
  count: number,
): Promise<ReadonlySet<string>> {
  const { rows } = await sql<{ artifactId: string }>`
    (select d.artifact_id from deployments d join services s on s.id = d.service_id
     where d.service_id = ${serviceId} and d.status = 'LIVE'
     group by d.artifact_id order by bool_or(d.id = s.current_deployment_id) desc, max(d.id::text) desc limit ${count})
    union
    (select artifact_id from deployments where service_id = ${serviceId}
     and status in ('AWAITING_CHECKS', 'QUEUED', 'BUILDING', 'PUSHING', 'DEPLOYING'))
  `.execute(executor);
  return new Set(rows.map((row) => row.artifactId));
}

/** CANCELLED at once when it still waits; otherwise asks the process that works on it. What it was before; undefined: no such deployment. */
export async function requestCancel(
  executor: Executor,
  accountId: string,
  id: string,
  now: Date,
): Promise<DeploymentStatus | undefined> {
  const row = await executor
    .selectFrom("deployments")
    .select("status")
    .where("accountId", "=", accountId)
    .where("id", "=", id)
    .forUpdate()
    .executeTakeFirst();
  if (row === undefined) return undefined;
  const waiting = row.status === "QUEUED" || row.status === "AWAITING_CHECKS";
  const changes: Updateable<Tables["deployments"]> = waiting
    ? { status: "CANCELLED", finishedAt: now, cancelRequestedAt: now, errorMessage: "Cancelled before it started." }
    : { cancelRequestedAt: now };
  await executor
    .updateTable("deployments")
    .set(changes)
    .where("id", "=", id)
    .where("status", "in", ["QUEUED", "AWAITING_CHECKS", ...activeStatuses])
    .execute();
  return row.status;
}

export async function setRunning(executor: Executor, serviceId: string): Promise<void> {
  await executor
    .updateTable("services")
    .set({ desiredState: "RUNNING" })
    .where("id", "=", serviceId)
    .where("desiredState", "=", "STOPPED")
    .execute();
}

// What follows is the worker's: it acts for no account, on deployments by their id.

export async function findDeployment(executor: Executor, id: string): Promise<DeploymentRow | undefined> {
  return typed(await executor.selectFrom("deployments").selectAll().where("id", "=", id).executeTakeFirst());
}

/** `settings` is only ever written from a `DeploymentSettings`. */
function typed(row: Selectable<Tables["deployments"]> | undefined): DeploymentRow | undefined {
  return row as DeploymentRow | undefined;
}

export async function listUnfinished(executor: Executor): Promise<readonly string[]> {
  const rows = await executor
    .selectFrom("deployments")
    .select("id")
    .where("status", "in", ["QUEUED", ...activeStatuses])
    .orderBy("id")
    .execute();
  return rows.map((row) => row.id);
}

/**
 * QUEUED → BUILDING if fewer than `buildSlots` build now (deployments that reuse an artifact need no slot) and no other
 * deployment of the service is under way; the row with its new attempt number, or undefined when it has to wait. The
 * executor is a transaction.
 */
export async function claimQueued(
  executor: Executor,
  row: DeploymentRow,
  buildSlots: number,
  now: Date,
): Promise<DeploymentRow | undefined> {
  await sql`select pg_advisory_xact_lock(hashtextextended('build slots', 0))`.execute(executor);
  const claimed = await executor
    .updateTable("deployments as mine")
    .set({ status: "BUILDING", startedAt: now, attempt: row.attempt + 1 })
    .where("mine.id", "=", row.id)
    .where("mine.status", "=", "QUEUED")
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom("deployments as other")
            .select("other.id")
            .where("other.serviceId", "=", row.serviceId)
            .where("other.status", "in", activeStatuses),
        ),
      ),
    )
    .$if(row.artifactId === row.id, (query) =>
      query.where(
        ({ selectFrom }) =>
          selectFrom("deployments as building")
            .select((eb) => eb.fn.countAll<number>().as("count"))
            .where("building.status", "=", "BUILDING"),
        "<",
        buildSlots,
      ),
    )
    .returningAll("mine")
    .executeTakeFirst();
  return typed(claimed);
}

/** Takes over one that another process left behind; what that one still writes is refused from now on. */
export async function claimActive(executor: Executor, row: DeploymentRow): Promise<DeploymentRow | undefined> {
  const claimed = await executor
    .updateTable("deployments")
    .set({ attempt: row.attempt + 1 })
    .where("id", "=", row.id)
    .where("attempt", "=", row.attempt)
    .where("status", "in", activeStatuses)
    .returningAll()
    .executeTakeFirst();
  return typed(claimed);
}

/** Changes a deployment that is in one of `from`, if this attempt still holds it; false otherwise. */
export async function transition(
  executor: Executor,
  held: { readonly id: string; readonly attempt: number },
  from: readonly DeploymentStatus[],
  changes: Updateable<Tables["deployments"]>,
): Promise<boolean> {
  const result = await executor
    .updateTable("deployments")
    .set(changes)
    .where("id", "=", held.id)
    .where("attempt", "=", held.attempt)
    .where("status", "in", from)
    .executeTakeFirst();
  return result.numUpdatedRows === 1n;
}

/** Once for each deployment: what is recorded first stays. */
export async function recordBuild(executor: Executor, usage: Insertable<Tables["buildUsage"]>): Promise<void> {
  await executor
    .insertInto("buildUsage")
    .values(usage)
    .onConflict((conflict) => conflict.column("deploymentId").doNothing())
    .execute();
}

/** Those of these deployments whose builds are not recorded. */
export async function withoutBuildUsage(executor: Executor, ids: readonly string[]): Promise<readonly string[]> {
  const rows = await executor
    .selectFrom("buildUsage")
    .select("deploymentId")
    .where("deploymentId", "in", ids)
    .execute();
  const recorded = new Set(rows.map((row) => row.deploymentId));
  return ids.filter((id) => !recorded.has(id));
}

/** Whether this attempt still holds the deployment, and whether somebody wants it cancelled; undefined when the row is gone. */
export function findHold(executor: Executor, id: string) {
  return executor
    .selectFrom("deployments")
    .select(["attempt", "cancelRequestedAt"])
    .where("id", "=", id)
    .executeTakeFirst();
}

/** Where nobody chose the branch, the service takes over the one that the repository turned out to have. */
export async function setBranch(executor: Executor, serviceId: string, deploymentId: string): Promise<void> {
  await executor
    .updateTable("services")
    .set(({ selectFrom }) => ({
      branch: selectFrom("deployments").select("branch").where("id", "=", deploymentId).$asScalar().$notNull(),
    }))
    .where("id", "=", serviceId)
    .where("branchIsDefault", "=", true)
    .execute();
}

/** The release serves from now on, and every instance of it was just seen to answer. */
export async function setCurrent(executor: Executor, serviceId: string, deploymentId: string): Promise<void> {
  await executor
    .updateTable("services")
    .set({
      currentDeploymentId: deploymentId,
      status: sql<"RUNNING">`case status when 'SUSPENDED' then status else 'RUNNING' end`,
    })
    .where("id", "=", serviceId)
    .execute();
}

export function findInstanceCount(executor: Executor, serviceId: string) {
  return executor
    .selectFrom("services")
    .select(["instances", "desiredState"])
    .where("id", "=", serviceId)
    .executeTakeFirst();
}

export type EndedRow = NonNullable<Awaited<ReturnType<typeof findEnded>>>;

/** What people are told of a deployment that has ended. */
export async function findEnded(executor: Executor, id: string) {
  const row = await executor
    .selectFrom("deployments")
    .innerJoin("services", "services.id", "deployments.serviceId")
    .innerJoin("projects", "projects.id", "services.projectId")
    .select([
      "deployments.id",
      "deployments.accountId",
      "deployments.branch",
      "deployments.commitSha",
      "deployments.commitMessage",
      "deployments.settings",
      "services.name as serviceName",
      "projects.name as projectName",
      "services.currentDeploymentId",
    ])
    .where("deployments.id", "=", id)
    .executeTakeFirst();
  if (row === undefined) return undefined;
  // Only `settingsOf` writes them.
  return { ...row, settings: row.settings as DeploymentSettings, hasRelease: row.currentDeploymentId !== null };
}
