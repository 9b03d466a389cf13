/** The releases that deployments made: build plan, settings, and the environment as it was sealed then. */
import { type BuildPlan, storedBuildPlan } from "../../builders/plan.ts";
import type { SecretBox } from "../../platform/crypto.ts";
import type { Database } from "../../platform/database/database.ts";
import type { Release } from "../runtime/release.ts";
import * as repo from "./deployments.repo.ts";

type Env = Readonly<Record<string, string>>;

export class Releases {
  readonly #database: Database;
  readonly #secrets: SecretBox;

  constructor(database: Database, secrets: SecretBox) {
    this.#database = database;
    this.#secrets = secrets;
  }

  async of(deploymentId: string): Promise<Release> {
    const row = await repo.findDeployment(this.#database, deploymentId);
    if (row === undefined) throw new Error(`there is no deployment ${deploymentId}`);
    return toRelease(row, storedBuildPlan(row.buildPlan), this.openEnv(row));
  }

  sealEnv(deploymentId: string, env: Env): Buffer {
    return this.#secrets.seal(JSON.stringify(env), envContext(deploymentId));
  }

  openEnv(row: Pick<repo.DeploymentRow, "id" | "sealedEnv">): Env {
    if (row.sealedEnv === null) throw new Error(`deployment ${row.id} has no environment`);
    // Sealed by `sealEnv`, authenticated: it is the object that was put in.
    return JSON.parse(this.#secrets.open(row.sealedEnv, envContext(row.id))) as Record<string, string>;
  }
}

export function toRelease(row: repo.DeploymentRow, plan: BuildPlan, env: Env): Release {
  return {
    deploymentId: row.id,
    serviceId: row.serviceId,
    artifactId: row.artifactId,
    plan,
    env,
    type: row.settings.type,
    cpuCores: row.settings.cpuCores,
    memoryMb: row.settings.memoryMb,
  };
}

function envContext(deploymentId: string): string {
  return `deployment/${deploymentId}/env`;
}
