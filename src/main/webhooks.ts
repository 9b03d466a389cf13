/** Outgoing webhooks, put together: the outbox that others write to, the resource, and the work of delivering. */
import { defaultBrand } from "../kernel/brand.ts";
import { systemClock } from "../kernel/clock.ts";
import type { ActivityService } from "../modules/activity/activity.service.ts";
import { DeliveryDispatcher } from "../modules/webhooks/delivery.dispatcher.ts";
import { DeliverySweeper } from "../modules/webhooks/delivery.sweeper.ts";
import { EventOutbox } from "../modules/webhooks/event-outbox.ts";
import { WebhooksService } from "../modules/webhooks/webhooks.service.ts";
import type { SecretBox } from "../platform/crypto.ts";
import type { Database } from "../platform/database/database.ts";
import { EgressGuard } from "../platform/egress.ts";
import { GuardedFetch } from "../platform/guarded-fetch.ts";
import type { Logger } from "../platform/log.ts";
import { Mailer, type MailSettings } from "../platform/mail.ts";
import type { Area } from "./area.ts";

export interface WebhooksAreaOptions {
  readonly database: Database;
  readonly activity: ActivityService;
  readonly secrets: SecretBox;
  readonly logger: Logger;
  readonly mail: MailSettings;
  readonly publicUrl: () => string;
  readonly egressAllow: readonly string[];
}

export interface Webhooks extends Area {
  readonly webhooks: WebhooksService;
  readonly events: EventOutbox;
}

export function createWebhooks(options: WebhooksAreaOptions): Webhooks {
  const { database, activity, secrets, logger, publicUrl } = options;
  const brand = defaultBrand;
  const clock = systemClock;
  const guard = new EgressGuard({ allow: options.egressAllow });
  const events = new EventOutbox(clock);
  const mailer = new Mailer(options.mail, secrets, logger);
  const fetch = new GuardedFetch({ guard, userAgent: `${brand.name}-Webhooks` });
  const sweeper = new DeliverySweeper(database, clock);
  return {
    events,
    webhooks: new WebhooksService({ database, secrets, guard, events, clock }),
    start: (locks) =>
      new DeliveryDispatcher({ database, fetch, secrets, brand, clock, logger, activity, mailer, publicUrl }).start(
        locks,
      ),
    sweep: () => sweeper.sweep(),
  };
}
