/** A subscription as a person has to understand it: which plan is in force, and what happens to it next. */
import type { Plan, Subscription } from "../../api/billing.ts";
import type { Formats } from "../../i18n/locale.tsx";
import type { Locale } from "../../i18n/messages.ts";
import type { billingMessages } from "./billing.messages.ts";

/** One that has ended names the plan that it was for. */
export function planInForce(subscription: Subscription | null): Plan {
  return subscription === null || subscription.status === "CANCELLED" ? "FREE" : subscription.plan;
}

export function isOverdue(subscription: Subscription | null): boolean {
  return subscription?.status === "PAST_DUE" || subscription?.status === "GRACE";
}

export function whatHappensNext(
  subscription: Subscription | null,
  t: (typeof billingMessages)[Locale]["next"],
  formats: Pick<Formats, "date">,
  now: number,
): string {
  if (subscription === null) return t.free;
  const { plan, status, currentPeriodEnd, cancelAtPeriodEnd, autoRenew, graceUntil } = subscription;
  if (currentPeriodEnd === null) return t.given;
  const end = formats.date(currentPeriodEnd);
  if (status === "CANCELLED") return t.ended(plan, end);
  if (graceUntil !== null && isOverdue(subscription)) {
    const until = formats.date(graceUntil);
    return Date.parse(graceUntil) <= now ? t.suspended(until) : t.overdue(end, until);
  }
  if (cancelAtPeriodEnd) return t.cancelled(end);
  return autoRenew ? t.renews(end) : t.ends(end);
}
