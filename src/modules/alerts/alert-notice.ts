/** What is said of an alert that fires or is over: to channels, and in the activity feed. */
import type { Happening } from "../activity/activity.service.ts";
import type { Metric } from "./alerts.schema.ts";
import type { Comparator } from "./judgement.ts";

export interface AlertNotice {
  readonly accountId: string;
  readonly event: "ALERT_FIRING" | "ALERT_RESOLVED";
  readonly title: string;
  readonly text: string;
  /** Only this one; null: every channel that is enabled. */
  readonly channelId: string | null;
}

export interface ToldAlert {
  readonly id: string;
  readonly accountId: string;
  readonly name: string;
  readonly metric: Metric;
  readonly comparator: Comparator;
  readonly threshold: number;
  readonly serviceId: string | null;
  /** Of the worst one, where the rule watches all of them. */
  readonly serviceName: string | null;
  readonly value: number | null;
}

export function noticeOf(alert: ToldAlert, event: AlertNotice["event"], channelId: string | null): AlertNotice {
  const fires = event === "ALERT_FIRING";
  return {
    accountId: alert.accountId,
    event,
    title: fires ? `Alert: ${alert.name}` : `Over: ${alert.name}`,
    text: `${sentenceOf(alert)} ${ruleOf(alert)}`,
    channelId,
  };
}

export function happeningOf(alert: ToldAlert, event: AlertNotice["event"]): Happening {
  return {
    accountId: alert.accountId,
    action: event === "ALERT_FIRING" ? "alert.firing" : "alert.resolved",
    entityType: "alert",
    entityId: alert.id,
    metadata: { name: alert.name, metric: alert.metric, value: alert.value, serviceName: alert.serviceName },
    actorName: null,
  };
}

function sentenceOf({ metric, value, serviceName, serviceId, comparator }: ToldAlert): string {
  const service = serviceName ?? "The service";
  if (metric === "SERVICE_DOWN") return `${service} is ${value === 1 ? "down: no instance of it is up" : "not down"}.`;
  const used = metric === "CPU_CORES" ? `${amount(value, 2)} cores` : `${amount(value, 1)} MB of memory`;
  const which = comparator === "GT" ? "the most" : "the least";
  return `${service} uses ${used}${serviceId === null ? `, ${which} of the account's services` : ""}.`;
}

function ruleOf({ metric, comparator, threshold }: ToldAlert): string {
  const unit = { CPU_CORES: " cores", MEMORY_MB: " MB", SERVICE_DOWN: "" }[metric];
  return `The rule fires ${comparator === "GT" ? "above" : "below"} ${threshold}${unit}.`;
}

function amount(value: number | null, digits: number): string {
  return value === null ? "an unknown number of" : String(Number(value.toFixed(digits)));
}
