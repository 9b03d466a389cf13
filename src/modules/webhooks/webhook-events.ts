/** What webhooks tell of: the names to subscribe to, the names that are delivered, and what each says. */
export const webhookEvents = {
  DEPLOYMENT_CREATED: "deployment.created",
  SERVICE_CREATED: "service.created",
  SERVICE_DELETED: "service.deleted",
  DATABASE_CREATED: "database.created",
  PING: "ping",
} as const;

export type WebhookEventName = keyof typeof webhookEvents;

export const webhookEventNames = Object.keys(webhookEvents) as WebhookEventName[]; // its own keys

interface ServiceData {
  readonly serviceId: string;
  readonly projectId: string;
  readonly name: string;
  readonly slug: string;
  readonly type: "WEB" | "WORKER" | "STATIC";
}

/** Something that happened in an account. */
export type WebhookEvent =
  | {
      readonly name: "DEPLOYMENT_CREATED";
      readonly data: {
        readonly deploymentId: string;
        readonly serviceId: string;
        readonly projectId: string;
        readonly status: string;
        readonly trigger: string;
        readonly branch: string;
        /** Known from the start where a commit was asked for, or the build of an earlier deployment is released. */
        readonly commitSha: string | null;
      };
    }
  | { readonly name: "SERVICE_CREATED" | "SERVICE_DELETED"; readonly data: ServiceData }
  | {
      readonly name: "DATABASE_CREATED";
      readonly data: {
        readonly databaseId: string;
        readonly projectId: string | null;
        readonly name: string;
        readonly type: string;
        readonly isBranch: boolean;
      };
    }
  | { readonly name: "PING"; readonly data: { readonly webhookId: string } };
