import { deploymentOperations } from "../modules/deployments/deployments.operations.ts";
import type { DeploymentsService } from "../modules/deployments/deployments.service.ts";
import { envOperations } from "../modules/env/env.operations.ts";
import type { EnvService } from "../modules/env/env.service.ts";
import { logOperations } from "../modules/logs/logs.operations.ts";
import type { LogsService } from "../modules/logs/logs.service.ts";
import { projectOperations } from "../modules/projects/projects.operations.ts";
import type { ProjectsService } from "../modules/projects/projects.service.ts";
import { serviceOperations } from "../modules/services/services.operations.ts";
import type { ServicesService } from "../modules/services/services.service.ts";
import type { Operation } from "../operation/operation.ts";

export interface Services {
  readonly projects: ProjectsService;
  readonly services: ServicesService;
  readonly env: EnvService;
  readonly deployments: DeploymentsService;
  readonly logs: LogsService;
}

/** The whole API, in the order of the reference. */
export function allOperations(services: Services): readonly Operation[] {
  return [
    ...projectOperations(services.projects),
    ...serviceOperations(services.services),
    ...deploymentOperations(services.deployments),
    ...envOperations(services.env),
    ...logOperations(services.logs),
  ];
}
