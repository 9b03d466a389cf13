import type { Schemas } from "../../../../sdk/client.ts";

export type ChannelEvent = Schemas["NotificationChannel"]["events"][number];

export const channelEvents = [
  "DEPLOY_SUCCESS",
  "DEPLOY_FAILED",
  "DEPLOY_SKIPPED",
  "MEMBER_JOINED",
  "LIMIT_WARNING",
  "SSL_EXPIRING",
  "BILLING_PAST_DUE",
  "BILLING_RENEWAL_DUE",
] as const satisfies readonly ChannelEvent[];
