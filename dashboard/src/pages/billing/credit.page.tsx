/** The credit: adding to it, being warned, and what of it may be spent past the allowances. */
import { useQuery } from "@tanstack/react-query";
import { overageQuery, subscriptionQuery, walletQuery } from "../../api/billing.ts";
import { Loaded } from "../../app/loaded.tsx";
import { LowBalance } from "./low-balance.tsx";
import { OverageBudget } from "./overage-budget.tsx";
import { planInForce } from "./plan-in-words.ts";
import { ReadOnly } from "./read-only.tsx";
import { TopUp } from "./top-up.tsx";

export function Page() {
  const wallet = useQuery(walletQuery());
  const overage = useQuery(overageQuery());
  const subscription = useQuery(subscriptionQuery());
  return (
    <>
      <ReadOnly unless="billing.topUp" />
      <Loaded query={wallet} rows={4}>
        {(state) => (
          <>
            <TopUp balanceMinor={state.balanceMinor} />
            <LowBalance wallet={state} />
          </>
        )}
      </Loaded>
      <Loaded query={overage}>
        {(state) => <OverageBudget overage={state} plan={planInForce(subscription.data?.subscription ?? null)} />}
      </Loaded>
    </>
  );
}
