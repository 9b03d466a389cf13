/** Metrics and alerts, put together: what collects readings, and what judges them. */
import type { Engine } from "../engines/engine.ts";
import { systemClock } from "../kernel/clock.ts";
import type { ActivityService } from "../modules/activity/activity.service.ts";
import { AlertsEvaluator, type ChannelOwners } from "../modules/alerts/alerts.evaluator.ts";
import { AlertsService, type ChannelNames } from "../modules/alerts/alerts.service.ts";
import type { NotifyAll } from "../modules/channels/notice.ts";
import { MetricsCollector } from "../modules/metrics/metrics.collector.ts";
import { MetricsService } from "../modules/metrics/metrics.service.ts";
import type { ServicesService } from "../modules/services/services.service.ts";
import type { Database } from "../platform/database/database.ts";
import type { Logger } from "../platform/log.ts";
import type { Area } from "./area.ts";

export interface AlertsAreaOptions {
  readonly database: Database;
  readonly engine: Engine;
  readonly services: ServicesService;
  readonly activity: ActivityService;
  readonly logger: Logger;
  readonly notifyAll: NotifyAll;
  readonly channelNames: ChannelNames;
  readonly channelOwners: ChannelOwners;
  /** Where people reach this Ksar; asked for once it listens. */
  readonly publicUrl: () => string;
}

export interface AlertsArea extends Area {
  readonly metrics: MetricsService;
  readonly alerts: AlertsService;
}

export function createAlerts(options: AlertsAreaOptions): AlertsArea {
  const { database, engine, services, activity, logger, channelNames, channelOwners, publicUrl } = options;
  const clock = systemClock;
  return {
    metrics: new MetricsService(database, services, clock),
    alerts: new AlertsService({ database, clock, channelNames }),
    start: (locks) => {
      const collector = new MetricsCollector({ database, engine, locks, clock, logger });
      const evaluator = new AlertsEvaluator({
        ...{ database, activity, channelOwners, locks, clock, logger },
        notify: (transaction, notices) => {
          const url = `${publicUrl()}/alerts`;
          return options.notifyAll(
            transaction,
            notices.map((notice) => ({ ...notice, url })),
          );
        },
      });
      collector.start();
      evaluator.start();
      return async () => {
        await Promise.all([collector.close(), evaluator.close()]);
      };
    },
  };
}
