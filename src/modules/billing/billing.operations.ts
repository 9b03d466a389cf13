import { Type } from "typebox";
import { defineOperation, type Operation } from "../../operation/operation.ts";
import { Closed, DateTime, Nullable } from "../../operation/schema.ts";
import * as schema from "./billing.schema.ts";
import type { LedgerService } from "./ledger/ledger.service.ts";
import type { SubscriptionsService } from "./subscriptions/subscriptions.service.ts";
import type { OverageService } from "./usage/overage.service.ts";
import type { WalletService } from "./wallet/wallet.service.ts";

export interface BillingServices {
  readonly ledger: LedgerService;
  readonly subscriptions: SubscriptionsService;
  readonly wallet: WalletService;
  readonly overage: OverageService;
  /** Called once a plan may have changed. */
  readonly forgetAccount: (accountId: string) => void;
}

export function billingOperations(services: BillingServices): Operation[] {
  const read = { tag: "Billing", method: "GET", scope: "billing:read", sensitive: true, status: 200 } as const;
  const write = {
    tag: "Billing",
    scope: "billing:write",
    access: "admin",
    sensitive: true,
    entity: "billing",
    status: 200,
  } as const;
  return [
    defineOperation({
      ...write,
      id: "billing.setAutoRenew",
      method: "POST",
      path: "/billing/auto-renew",
      summary: "Have credit buy the next period, or not",
      description:
        "Applies to the plan in force and to those that follow. When the credit does not suffice at a period's end, the plan is PAST_DUE.",
      activity: "billing.auto_renew_changed",
      body: Closed({ enabled: Type.Boolean({ examples: [true] }) }),
      response: Closed({ autoRenew: Type.Boolean({ examples: [true] }) }),
      handle: async ({ transaction, caller, body, note }) => {
        await services.subscriptions.setAutoRenew(transaction, caller, body.enabled);
        note({ entityId: caller.accountId, metadata: { enabled: body.enabled } });
        return { autoRenew: body.enabled };
      },
    }),
    defineOperation({
      ...write,
      id: "billing.cancel",
      method: "POST",
      path: "/billing/cancel",
      summary: "Cancel the plan at the end of what is paid for, or undo that",
      description:
        "The account is FREE from then on. A period that is over and unpaid ends at once; without a plan that ends there is nothing to cancel, and `cancelAtPeriodEnd` stays false.",
      activity: "billing.cancel_changed",
      body: Closed({ cancel: Type.Boolean({ examples: [true] }) }),
      response: Closed({
        cancelAtPeriodEnd: Type.Boolean({ examples: [true] }),
        currentPeriodEnd: Nullable(DateTime),
      }),
      handle: async ({ transaction, caller, body, note, afterCommit }) => {
        const result = await services.subscriptions.cancel(transaction, caller, body.cancel);
        note({ entityId: caller.accountId, metadata: { cancel: body.cancel } });
        afterCommit(() => services.forgetAccount(caller.accountId));
        return result;
      },
    }),
    defineOperation({
      ...read,
      id: "billing.ledger",
      path: "/billing/ledger",
      summary: "The statement: every movement in and out of the credit, newest first",
      access: "admin",
      query: schema.LedgerQuery,
      response: schema.LedgerPage,
      handle: ({ caller, query }) => services.ledger.statement(caller, query.limit ?? 25, query.cursor),
    }),
    defineOperation({
      ...write,
      id: "billing.setLowBalanceAlert",
      method: "PUT",
      path: "/billing/low-balance-alert",
      summary: "When to be warned of a low credit, and what to charge a saved card then",
      activity: "billing.low_balance_alert_changed",
      errors: ["gateway_cannot_charge"],
      body: schema.LowBalanceAlert,
      response: schema.LowBalanceSet,
      handle: async ({ transaction, caller, body, note }) => {
        const result = await services.wallet.setLowBalance(transaction, caller, body);
        note({ entityId: caller.accountId, metadata: { ...result } });
        return result;
      },
    }),
    defineOperation({
      ...read,
      id: "billing.overage",
      path: "/billing/overage",
      summary: "How much of the allowances is used this month, and what more of it costs",
      access: "read",
      response: schema.OverageState,
      handle: ({ caller }) => services.overage.get(caller),
    }),
    defineOperation({
      ...write,
      id: "billing.setOverageBudget",
      method: "PUT",
      path: "/billing/overage-budget",
      summary: "How much use past the allowances may cost a month",
      description:
        "0, the default, is a hard limit. Charges stop at the budget, the credit or the account's spend cap, whichever runs out first. What is over the allowances already is charged at once.",
      activity: "billing.overage_budget_changed",
      errors: ["plan_restricted"],
      body: schema.Budget,
      response: schema.BudgetSet,
      handle: async ({ transaction, caller, body, note }) => {
        const budgetMinor = await services.overage.setBudget(transaction, caller, body.budgetMad);
        note({ entityId: caller.accountId, metadata: { budgetMinor } });
        return { budgetMinor };
      },
    }),
    defineOperation({
      ...write,
      id: "billing.changePlan",
      method: "POST",
      path: "/billing/plan",
      summary: "Choose a plan",
      description:
        "Answers with a checkout where a person pays; nobody is charged before. What is left of the present plan is taken off the price. A cheaper plan of the same term comes into force at once: what is left becomes time of the new plan. The same plan again adds a period behind the present one. FREE cancels at the period's end.",
      activity: "billing.plan_chosen",
      errors: ["plan_restricted", "unavailable"],
      body: schema.PlanChoice,
      response: schema.PlanChanged,
      handle: async ({ transaction, caller, body, note, afterCommit }) => {
        const { plan, term = "MONTHLY" } = body;
        const changed = await services.subscriptions.changePlan(transaction, caller, plan, term);
        note({ entityId: caller.accountId, metadata: { plan, term, switched: changed.switched } });
        afterCommit(() => services.forgetAccount(caller.accountId));
        return changed;
      },
    }),
    defineOperation({
      ...read,
      id: "billing.plans",
      path: "/billing/plans",
      summary: "What there is to choose, what it costs and includes, and what choosing it would do now",
      access: "read",
      response: schema.PlanList,
      handle: async ({ caller }) => ({ data: await services.subscriptions.plans(caller) }),
    }),
    defineOperation({
      ...read,
      id: "billing.subscription",
      path: "/billing/subscription",
      summary: "The plan that is paid for, and until when",
      access: "read",
      response: schema.SubscriptionState,
      handle: ({ caller }) => services.subscriptions.get(caller),
    }),
    defineOperation({
      ...write,
      id: "billing.topUp",
      method: "POST",
      path: "/billing/topup",
      summary: "Top up the credit",
      description: "Answers with a checkout; no money moves until a person completes it.",
      activity: "billing.topup_started",
      errors: ["unavailable"],
      body: schema.TopUp,
      response: schema.TopUpOpened,
      handle: async ({ transaction, caller, body, note }) => {
        const opened = await services.wallet.topUp(transaction, caller, body.amountMad);
        note({ entityId: caller.accountId, metadata: { amountMinor: opened.amountMinor } });
        return opened;
      },
    }),
    defineOperation({
      ...read,
      id: "billing.wallet",
      path: "/billing/wallet",
      summary: "The credit",
      access: "read",
      response: schema.Wallet,
      handle: ({ caller }) => services.wallet.get(caller),
    }),
  ];
}
