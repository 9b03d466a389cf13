/** Notification channels, put together: their operations, what tells them, and what sends. */
import type { FastifyInstance } from "fastify";
import { defaultBrand } from "../kernel/brand.ts";
import { type Clock, systemClock } from "../kernel/clock.ts";
import type { ActivityService } from "../modules/activity/activity.service.ts";
import { AuditService } from "../modules/audit/audit.service.ts";
import { ChannelsService } from "../modules/channels/channels.service.ts";
import { DeliveriesWorker } from "../modules/channels/deliveries.worker.ts";
import type { MailLimits } from "../modules/channels/mail-limits.repo.ts";
import type { Notify, NotifyAll } from "../modules/channels/notice.ts";
import { Notifier, sendTask } from "../modules/channels/notifier.ts";
import { registerOptOutRoutes } from "../modules/channels/opt-out.routes.ts";
import { OptOuts } from "../modules/channels/opt-outs.ts";
import { MailSender } from "../modules/channels/send-mail.ts";
import { WebhookSender } from "../modules/channels/send-webhook.ts";
import { sweepChannels } from "../modules/channels/sweep.ts";
import type { RateLimiter } from "../operation/rate-limit/rate-limiter.ts";
import type { SecretBox } from "../platform/crypto.ts";
import type { Database } from "../platform/database/database.ts";
import { EgressGuard } from "../platform/egress.ts";
import { GuardedFetch } from "../platform/guarded-fetch.ts";
import type { Logger } from "../platform/log.ts";
import { Mailer, type MailSettings } from "../platform/mail.ts";
import type { TaskHandler } from "../platform/queue.ts";
import type { Area } from "./area.ts";

/** In any hour: what a busy team's deployments come to, and no mailbox is flooded by. */
const usualLimits = { perAccount: 200, perAddress: 60 };

export interface ChannelsAreaOptions {
  readonly database: Database;
  readonly activity: ActivityService;
  readonly limiter: RateLimiter;
  readonly secrets: SecretBox;
  readonly logger: Logger;
  readonly mail: MailSettings;
  readonly egressAllow: readonly string[];
  readonly publicUrl: () => string;
  readonly clock?: Clock;
  readonly mailLimits?: MailLimits;
}

export interface Channels extends Area {
  readonly channels: ChannelsService;
  readonly notify: Notify;
  readonly notifyAll: NotifyAll;
  readonly tasks: Readonly<Record<string, TaskHandler>>;
  readonly start: () => () => Promise<void>;
  readonly sweep: () => Promise<void>;
  registerRoutes(app: FastifyInstance): void;
}

export function createChannels(options: ChannelsAreaOptions): Channels {
  const { database, activity, secrets, logger, publicUrl } = options;
  const { clock = systemClock, mailLimits = usualLimits } = options;
  const brand = defaultBrand;
  const guard = new EgressGuard({ allow: options.egressAllow });
  const notifier = new Notifier(clock);
  const optOuts = new OptOuts({ database, secrets, activity, audit: new AuditService(database), clock, publicUrl });
  const worker = new DeliveriesWorker({
    database,
    secrets,
    activity,
    clock,
    logger,
    mails: new MailSender({
      database,
      mailer: new Mailer(options.mail, secrets, logger),
      brand,
      logger,
      limits: mailLimits,
      stopLinkOf: (channelId) => optOuts.linkOf(channelId),
    }),
    webhooks: new WebhookSender(new GuardedFetch({ guard, userAgent: `${brand.name}-Channels` }), brand),
  });
  return {
    channels: new ChannelsService({ database, secrets, guard, notifier, clock }),
    notify: (transaction, notice) => notifier.notify(transaction, notice),
    notifyAll: (transaction, notices) => notifier.notifyAll(transaction, notices),
    tasks: { [sendTask]: async () => worker.wake() },
    start: () => worker.start(),
    sweep: () => sweepChannels(database, clock),
    registerRoutes: (app) => registerOptOutRoutes(app, { optOuts, limiter: options.limiter, brand }),
  };
}
