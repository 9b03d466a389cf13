import { type Example, type Examples, nothing, type World } from "./world.ts";

/** On a plan that may do everything; an example before may have changed it. */
const onAgency =
  (example: Example) =>
  async ({ api, account }: World): Promise<Example> => {
    await api.query("update accounts set plan = 'AGENCY' where id = $1", [account.accountId]);
    return example;
  };

export const billingExamples: Examples = {
  "billing.setAutoRenew": async () => ({ body: { enabled: true } }),
  "billing.cancel": async () => ({ body: { cancel: true } }),
  "billing.ledger": async () => ({ query: "limit=5" }),
  "billing.setLowBalanceAlert": async () => ({ body: { thresholdMad: 50 } }),
  "billing.overage": nothing,
  "billing.setOverageBudget": onAgency({ body: { budgetMad: 100 } }),
  "billing.changePlan": onAgency({ body: { plan: "PRO", term: "ANNUAL" } }),
  "billing.plans": nothing,
  "billing.subscription": nothing,
  "billing.topUp": async () => ({ body: { amountMad: 200 } }),
  "billing.wallet": nothing,
};
