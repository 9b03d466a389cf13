/** The plan: choosing one, having it renewed, cancelling it. */
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { answerOf } from "../../../../sdk/client.ts";
import {
  type Plan,
  type PlanOffer,
  plansQuery,
  type Subscription,
  subscriptionQuery,
  type Term,
} from "../../api/billing.ts";
import { api } from "../../api/client.ts";
import { commonMessages } from "../../app/common.messages.ts";
import { Confirm } from "../../app/confirm.tsx";
import { Loaded } from "../../app/loaded.tsx";
import { useChange } from "../../app/mutation.ts";
import { Problem } from "../../app/problem.tsx";
import { useRights } from "../../app/session.ts";
import { useFormats, useMessages } from "../../i18n/locale.tsx";
import { Button } from "../../ui/button.tsx";
import { Card, Section } from "../../ui/card.tsx";
import { SelectField } from "../../ui/field.tsx";
import { Notice } from "../../ui/notice.tsx";
import { SwitchField } from "../../ui/switch.tsx";
import { billingMessages } from "./billing.messages.ts";
import { planMessages } from "./plan.messages.ts";
import { ChangeCost, firstChoice, PlanCards, PlanDetails } from "./plan-cards.tsx";
import { PlanDialog } from "./plan-dialog.tsx";
import { isOverdue, planInForce, whatHappensNext } from "./plan-in-words.ts";
import { ReadOnly } from "./read-only.tsx";

export function Page() {
  const query = useQuery(subscriptionQuery());
  const plans = useQuery(plansQuery());
  return (
    <Loaded query={query} rows={4}>
      {({ subscription }) => (
        <>
          <ReadOnly unless="billing.changePlan" />
          <Present subscription={subscription} />
          <Loaded query={plans} rows={4}>
            {(offers) => <Choose subscription={subscription} offers={offers} />}
          </Loaded>
          <Renewal subscription={subscription} />
        </>
      )}
    </Loaded>
  );
}

function Present({ subscription }: { readonly subscription: Subscription | null }) {
  const t = useMessages(billingMessages);
  const next = whatHappensNext(subscription, t.next, useFormats().date, Date.now());
  return (
    <Notice tone={isOverdue(subscription) ? "bad" : "quiet"} title={planInForce(subscription)}>
      {next}
    </Notice>
  );
}

const terms: readonly Term[] = ["MONTHLY", "QUARTERLY", "ANNUAL"];

function Choose({
  subscription,
  offers,
}: {
  readonly subscription: Subscription | null;
  readonly offers: readonly PlanOffer[];
}) {
  const t = useMessages(planMessages);
  const shared = useMessages(billingMessages);
  const { refused } = useRights();
  // A plan that is given shows while it is in force, so that people see what they have.
  const shown = offers.filter(({ offered, isCurrent }) => offered || isCurrent);
  const sold = terms.filter((term) => shown.some(({ prices }) => prices.some((price) => price.term === term)));
  const [plan, setPlan] = useState<Plan>(() => firstChoice(shown));
  const [wanted, setTerm] = useState<Term>(subscription?.term ?? "MONTHLY");
  const [asking, setAsking] = useState(false);
  const term = sold.includes(wanted) ? wanted : "MONTHLY";
  const offer = shown.find((one) => one.plan === plan);
  const price = offer?.prices.find((one) => one.term === term);
  const isFree = plan === "FREE";
  return (
    <Section title={t.choose} hint={t.chooseHint}>
      <Card className="grid gap-4 p-4 sm:p-5">
        {sold.length > 1 && (
          <div className="w-52">
            <SelectField
              label={shared.term}
              choices={sold.map((value) => ({ value, label: shared.terms[value] }))}
              value={term}
              onChange={setTerm}
            />
          </div>
        )}
        <PlanCards offers={shown} term={term} chosen={plan} onChoose={setPlan} />
        {offer !== undefined && <PlanDetails offer={offer} />}
        <div className="flex flex-wrap items-center justify-between gap-3">
          <p>{price !== undefined && <ChangeCost change={price.change} />}</p>
          <Button
            variant="primary"
            disabled={isFree ? offer?.isCurrent : price === undefined}
            refused={refused("billing.changePlan")}
            onClick={() => setAsking(true)}
          >
            {t.continue}
          </Button>
        </div>
      </Card>
      {asking && (
        <PlanDialog
          plan={plan}
          term={isFree ? "MONTHLY" : term}
          subscription={subscription}
          change={price?.change ?? null}
          onClose={() => setAsking(false)}
        />
      )}
    </Section>
  );
}

function Renewal({ subscription }: { readonly subscription: Subscription | null }) {
  const t = useMessages(planMessages);
  const common = useMessages(commonMessages);
  const formats = useFormats();
  const { refused } = useRights();
  const [asking, setAsking] = useState(false);
  const setAutoRenew = useChange({
    run: (enabled: boolean) => answerOf(api.POST("/billing/auto-renew", { body: { enabled } })),
    touches: ["billing"],
    done: common.saved,
  });
  const setCancelled = useChange({
    run: (cancel: boolean) => answerOf(api.POST("/billing/cancel", { body: { cancel } })),
    touches: ["billing", "account"],
    after: () => setAsking(false),
    showsError: true,
  });
  // A plan without a period has nothing to renew, and nothing to cancel.
  if (subscription === null || subscription.currentPeriodEnd === null || subscription.status === "CANCELLED")
    return null;
  const { autoRenew, cancelAtPeriodEnd, currentPeriodEnd } = subscription;
  const day = formats.date(currentPeriodEnd);
  const consequence = isOverdue(subscription) ? t.cancelOverdue : t.cancelHint(day);
  return (
    <Section title={t.renewal}>
      {setCancelled.error !== null && !asking && <Problem error={setCancelled.error} />}
      <Card className="divide-y divide-line">
        <div className="p-4 sm:p-5">
          <SwitchField
            label={t.autoRenew}
            hint={t.autoRenewHint}
            checked={autoRenew}
            busy={setAutoRenew.isPending}
            refused={refused("billing.setAutoRenew")}
            onChange={(on) => setAutoRenew.mutate(on)}
          />
        </div>
        <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-3 p-4 sm:p-5">
          <p className="min-w-52 grow basis-0 text-soft">{cancelAtPeriodEnd ? t.undoHint(day) : consequence}</p>
          {cancelAtPeriodEnd ? (
            <Button
              refused={refused("billing.cancel")}
              busy={setCancelled.isPending}
              onClick={() => setCancelled.mutate(false)}
            >
              {t.undo}
            </Button>
          ) : (
            <Button variant="danger" refused={refused("billing.cancel")} onClick={() => setAsking(true)}>
              {t.cancel}
            </Button>
          )}
        </div>
      </Card>
      {asking && (
        <Confirm
          title={t.cancel}
          action={t.cancel}
          busy={setCancelled.isPending}
          error={setCancelled.error}
          onConfirm={() => setCancelled.mutate(true)}
          onClose={() => setAsking(false)}
        >
          {consequence}
        </Confirm>
      )}
    </Section>
  );
}
