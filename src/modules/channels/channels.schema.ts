import { type Static, Type } from "typebox";
import { Choice, Closed, DateTime, limit, Nullable, Uuid } from "../../operation/schema.ts";

export const channelTypes = ["EMAIL", "WEBHOOK"] as const;

/** What a channel can subscribe to. Who sends each stands in docs/user-guide.md. */
export const channelEvents = [
  "DEPLOY_SUCCESS",
  "DEPLOY_FAILED",
  "DEPLOY_SKIPPED",
  "MEMBER_JOINED",
  "LIMIT_WARNING",
  "SSL_EXPIRING",
  "BILLING_PAST_DUE",
  "BILLING_RENEWAL_DUE",
] as const;
export type ChannelEvent = (typeof channelEvents)[number];

const events = Type.Array(Choice(channelEvents), {
  description: "What it is told of. With none it is told of alerts alone.",
  examples: [["DEPLOY_FAILED", "MEMBER_JOINED"]],
});

export const Channel = Closed(
  {
    id: Uuid,
    type: Choice(channelTypes),
    target: Type.String({ description: "An email address, or a URL.", examples: ["ops@example.com"] }),
    events: Type.Array(Choice(channelEvents), { examples: [["DEPLOY_FAILED", "MEMBER_JOINED"]] }),
    enabled: Type.Boolean(),
    createdAt: DateTime,
    hasSecret: Type.Boolean({ description: "Whether its deliveries are signed; the secret itself is never returned." }),
  },
  { title: "NotificationChannel" },
);
export type Channel = Static<typeof Channel>;

export const NewChannel = Closed({
  type: Choice(channelTypes),
  target: Type.String({
    minLength: 1,
    maxLength: 500,
    description:
      "EMAIL: an email address. WEBHOOK: an http or https URL on the public internet, without a user name or password.",
    examples: ["ops@example.com"],
  }),
  events: Type.Optional(Type.Unsafe<ChannelEvent[]>({ ...events, default: [] })),
  secret: Type.Optional(
    Type.String({
      maxLength: 200,
      description:
        "WEBHOOK alone: what its deliveries are signed with, as those of outgoing webhooks are. Empty: as if left out.",
      examples: ["a long random text"],
    }),
  ),
});
export type NewChannel = Static<typeof NewChannel>;

export const ChannelChanges = Closed({
  events: Type.Optional(events),
  enabled: Type.Optional(
    Type.Boolean({ description: "false: it is told of nothing more, and what still waits for it is dropped." }),
  ),
});
export type ChannelChanges = Static<typeof ChannelChanges>;

export const ChannelDelivery = Closed(
  {
    id: Uuid,
    event: Type.String({
      description: "A channel event, `ALERT_FIRING`, `ALERT_RESOLVED` or `TEST`.",
      examples: ["DEPLOY_FAILED"],
    }),
    title: Type.String({ examples: ["Deployment failed: shop"] }),
    success: Type.Boolean(),
    statusCode: Nullable(
      Type.Integer({
        description: "What the receiver answered; for EMAIL the mail server's code where it refused. null: no answer.",
        examples: [200],
      }),
    ),
    error: Nullable(Type.String({ description: "Why it failed, in words.", examples: ["The receiver answered 500."] })),
    createdAt: DateTime,
  },
  { title: "ChannelDelivery" },
);
export type ChannelDelivery = Static<typeof ChannelDelivery>;

export const DeliveriesQuery = Closed({ limit: limit(50, 20) });
