/** A subscription as a person has to understand it: which plan is in force, and what happens to it next. */
import type { Plan, Subscription, Term } from "../../api/billing.ts";
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
  date: (iso: string) => string,
  now: number,
): string {
  if (subscription === null) return t.free;
  const { plan, status, currentPeriodEnd, cancelAtPeriodEnd, autoRenew, graceUntil } = subscription;
  if (currentPeriodEnd === null) return t.given;
  const end = date(currentPeriodEnd);
  if (status === "CANCELLED") return t.ended(plan, end);
  if (graceUntil !== null && isOverdue(subscription)) {
    const until = date(graceUntil);
    return Date.parse(graceUntil) <= now ? t.suspended(until) : t.overdue(end, until);
  }
  if (cancelAtPeriodEnd) return t.cancelled(end);
  return autoRenew ? t.renews(end) : t.ends(end);
}

/** What choosing a plan will do; `atOnce`: what is left of the present one pays for it. */
export function consequenceOf(
  plan: Plan,
  term: Term,
  subscription: Subscription | null,
  atOnce: boolean,
): "free" | "freeGiven" | "toBePaid" | "same" | "atOnce" {
  const hasEnd = subscription !== null && subscription.currentPeriodEnd !== null;
  if (plan === "FREE") return hasEnd ? "free" : "freeGiven";
  if (atOnce) return "atOnce";
  // A period that is over is not added to.
  const runs = hasEnd && subscription.status === "ACTIVE";
  return runs && plan === subscription.plan && term === subscription.term ? "same" : "toBePaid";
}
