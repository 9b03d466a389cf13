/**
 * What is due on a subscription at a moment: a pure function. `renewals.ts` carries it out, step after step.
 *
 *   ACTIVE ──period's end──► renewed from credit | PAST_DUE ──days──► GRACE ──graceUntil──► suspended (still GRACE)
 *      │                                             └──────── credit or a payment ────────► ACTIVE
 *      └──cancelled, or a plan that is not sold──► CANCELLED (the account is FREE)
 */
import { addMonths, dayMs, monthsOf, type Term } from "../../../kernel/billing-period.ts";

export interface Subscription {
  readonly term: Term;
  readonly status: "ACTIVE" | "PAST_DUE" | "GRACE" | "CANCELLED";
  readonly periodEnd: Date;
  readonly cancelAtPeriodEnd: boolean;
  readonly graceUntil: Date | null;
  readonly suspendedAt: Date | null;
  /** Sent of this period's. */
  readonly reminders: number;
}

export interface Dunning {
  readonly pastDueDays: number;
  readonly graceDays: number;
  readonly reminderDays: readonly number[];
}

export type Step =
  | { readonly kind: "wait"; readonly until: Date | null }
  /** `sent`: how many of the reminders are behind us by now. */
  | { readonly kind: "remind"; readonly sent: number }
  | { readonly kind: "renew"; readonly start: Date }
  | { readonly kind: "pastDue"; readonly graceUntil: Date }
  | { readonly kind: "grace" }
  | { readonly kind: "suspend" }
  | { readonly kind: "end" };

export interface Present {
  readonly now: Date;
  /** Whether the plan is sold for that term at all. */
  readonly isSold: boolean;
  /** Auto-renew is on, and the credit (and the spend cap) suffice. */
  readonly canRenew: boolean;
}

export function nextStep(subscription: Subscription, present: Present, rules: Dunning): Step {
  const { status, periodEnd, cancelAtPeriodEnd, graceUntil, suspendedAt, reminders } = subscription;
  const { now, isSold, canRenew } = present;
  if (status === "CANCELLED") return { kind: "wait", until: null };
  if (status === "ACTIVE" && now < periodEnd) {
    const due = [...rules.reminderDays]
      .toSorted((a, b) => b - a)
      .map((days) => new Date(periodEnd.getTime() - days * dayMs));
    const sent = due.filter((at) => at <= now).length;
    if (sent > reminders && !cancelAtPeriodEnd) return { kind: "remind", sent };
    return { kind: "wait", until: due[Math.max(sent, reminders)] ?? periodEnd };
  }
  if (cancelAtPeriodEnd || !isSold) return { kind: "end" };
  if (canRenew) return { kind: "renew", start: renewalStart(subscription, now) };
  if (status === "ACTIVE") {
    return {
      kind: "pastDue",
      graceUntil: new Date(periodEnd.getTime() + (rules.pastDueDays + rules.graceDays) * dayMs),
    };
  }
  const graceFrom = new Date(periodEnd.getTime() + rules.pastDueDays * dayMs);
  if (status === "PAST_DUE") return now >= graceFrom ? { kind: "grace" } : { kind: "wait", until: graceFrom };
  if (suspendedAt !== null || graceUntil === null) return { kind: "wait", until: null };
  return now >= graceUntil ? { kind: "suspend" } : { kind: "wait", until: graceUntil };
}

/**
 * Where the period begins that is paid after the last one's end: behind it, so that the days of grace are paid for too;
 * after a suspension as long ago as those days were; and today, when a whole term has gone by (Ksar itself was away).
 */
export function renewalStart({ term, periodEnd, suspendedAt }: Subscription, now: Date): Date {
  if (suspendedAt !== null) return new Date(now.getTime() - (suspendedAt.getTime() - periodEnd.getTime()));
  return addMonths(periodEnd, monthsOf[term]) <= now ? now : periodEnd;
}
