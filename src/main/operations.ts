import type { AccountSettingsService } from "../modules/accounts/account-settings.service.ts";
import { accountOperations } from "../modules/accounts/accounts.operations.ts";
import { activityOperations } from "../modules/activity/activity.operations.ts";
import type { ActivityService } from "../modules/activity/activity.service.ts";
import { alertOperations } from "../modules/alerts/alerts.operations.ts";
import type { AlertsService } from "../modules/alerts/alerts.service.ts";
import { auditOperations } from "../modules/audit/audit.operations.ts";
import type { AuditService } from "../modules/audit/audit.service.ts";
import { type BillingServices, billingOperations } from "../modules/billing/billing.operations.ts";
import { billingIdentityOperations } from "../modules/billing-identity/identity.operations.ts";
import type { BillingIdentityService } from "../modules/billing-identity/identity.service.ts";
import { bucketOperations } from "../modules/buckets/buckets.operations.ts";
import type { BucketsService } from "../modules/buckets/buckets.service.ts";
import { channelOperations } from "../modules/channels/channels.operations.ts";
import type { ChannelsService } from "../modules/channels/channels.service.ts";
import { cronOperations } from "../modules/cron/cron.operations.ts";
import type { CronService } from "../modules/cron/cron.service.ts";
import { databaseOperations } from "../modules/databases/databases.operations.ts";
import type { DatabasesService } from "../modules/databases/databases.service.ts";
import { deploymentOperations } from "../modules/deployments/deployments.operations.ts";
import type { DeploymentsService } from "../modules/deployments/deployments.service.ts";
import { envOperations } from "../modules/env/env.operations.ts";
import type { EnvService } from "../modules/env/env.service.ts";
import { invoiceOperations } from "../modules/invoices/invoices.operations.ts";
import type { InvoicesService } from "../modules/invoices/invoices.service.ts";
import { keyOperations } from "../modules/keys/keys.operations.ts";
import type { KeysService } from "../modules/keys/keys.service.ts";
import { logOperations } from "../modules/logs/logs.operations.ts";
import type { LogsService } from "../modules/logs/logs.service.ts";
import { metricsOperations } from "../modules/metrics/metrics.operations.ts";
import type { MetricsService } from "../modules/metrics/metrics.service.ts";
import { inviteOperations } from "../modules/people/invites.operations.ts";
import type { InvitesService } from "../modules/people/invites.service.ts";
import { memberOperations } from "../modules/people/members.operations.ts";
import type { MembersService } from "../modules/people/members.service.ts";
import type { SessionAuthenticator } from "../modules/people/session-authenticator.ts";
import { projectOperations } from "../modules/projects/projects.operations.ts";
import type { ProjectsService } from "../modules/projects/projects.service.ts";
import { serviceOperations } from "../modules/services/services.operations.ts";
import type { ServicesService } from "../modules/services/services.service.ts";
import { webhookOperations } from "../modules/webhooks/webhooks.operations.ts";
import type { WebhooksService } from "../modules/webhooks/webhooks.service.ts";
import type { Operation } from "../operation/operation.ts";

export interface Services {
  readonly accountSettings: AccountSettingsService;
  readonly activity: ActivityService;
  readonly keys: KeysService;
  readonly audit: AuditService;
  readonly billingIdentity: BillingIdentityService;
  readonly invoices: InvoicesService;
  readonly billing: BillingServices;
  readonly members: MembersService;
  readonly invites: InvitesService;
  readonly sessions: SessionAuthenticator;
  readonly projects: ProjectsService;
  readonly services: ServicesService;
  readonly databases: DatabasesService;
  readonly env: EnvService;
  readonly deployments: DeploymentsService;
  readonly logs: LogsService;
  readonly channels: ChannelsService;
  readonly metrics: MetricsService;
  readonly alerts: AlertsService;
  readonly buckets: BucketsService;
  readonly cron: CronService;
  readonly webhooks: WebhooksService;
}

/** The whole API, in the order of the reference. */
export function allOperations(services: Services): readonly Operation[] {
  return [
    ...accountOperations(services.accountSettings),
    ...activityOperations(services.activity),
    ...keyOperations(services.keys),
    ...auditOperations(services.audit),
    ...billingIdentityOperations(services.billingIdentity),
    ...invoiceOperations(services.invoices),
    ...billingOperations(services.billing),
    ...memberOperations(services.members, services.sessions),
    ...inviteOperations(services.invites),
    ...projectOperations(services.projects),
    ...serviceOperations(services.services),
    ...deploymentOperations(services.deployments),
    ...databaseOperations(services.databases),
    ...envOperations(services.env),
    ...logOperations(services.logs),
    ...bucketOperations(services.buckets),
    ...channelOperations(services.channels),
    ...metricsOperations(services.metrics),
    ...alertOperations(services.alerts),
    ...cronOperations(services.cron),
    ...webhookOperations(services.webhooks),
  ];
}
