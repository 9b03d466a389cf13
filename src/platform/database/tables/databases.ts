/** The databases that Ksar runs for its tenants. */
import type { Generated } from "kysely";

export type DatabaseStatus = "PROVISIONING" | "AVAILABLE" | "STOPPED" | "FAILED" | "DELETING";

export interface DatabasesTables {
  databases: {
    id: string;
    accountId: string;
    projectId: string | null;
    name: string;
    type: "POSTGRES" | "MYSQL" | "REDIS";
    status: Generated<DatabaseStatus>;
    isBranch: Generated<boolean>;
    version: string | null;
    port: number | null;
    sizeMb: number | null;
    failure: string | null;
    createdAt: Date;
    provisionedAt: Date | null;
  };
  databaseCredentials: {
    databaseId: string;
    sealedPassword: Buffer;
    sealedNextPassword: Buffer | null;
  };
}
