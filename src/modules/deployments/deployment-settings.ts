import type { Selectable } from "kysely";
import type { Tables } from "../../platform/database/tables.ts";

type ServiceRow = Selectable<Tables["services"]>;

/** What a deployment needs of its service, as it was when the deployment was made; kept with it as JSON. */
export interface DeploymentSettings {
  readonly type: ServiceRow["type"];
  readonly slug: string;
  readonly repoUrl: string;
  readonly branchIsDefault: boolean;
  readonly rootDirectory: string;
  readonly builder: ServiceRow["builder"];
  readonly buildCommand: string | null;
  readonly preDeployCommand: string | null;
  readonly startCommand: string | null;
  readonly outputDirectory: string | null;
  readonly singlePage: boolean | null;
  readonly healthCheckPath: string | null;
  readonly cpuCores: number;
  readonly memoryMb: number;
}

export function settingsOf(service: ServiceRow): DeploymentSettings {
  return {
    type: service.type,
    slug: service.slug,
    repoUrl: service.repoUrl,
    branchIsDefault: service.branchIsDefault,
    rootDirectory: service.rootDirectory,
    builder: service.builder,
    buildCommand: service.buildCommand,
    preDeployCommand: service.preDeployCommand,
    startCommand: service.startCommand,
    outputDirectory: service.outputDirectory,
    singlePage: service.singlePage,
    healthCheckPath: service.healthCheckPath,
    cpuCores: service.cpuCores,
    memoryMb: service.memoryMb,
  };
}
