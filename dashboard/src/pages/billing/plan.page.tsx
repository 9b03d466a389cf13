/** The plan: choosing one, having it renewed, cancelling it. */
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { answerOf } from "../../../../sdk/client.ts";
import { type Plan, type Subscription, subscriptionQuery, type Term } from "../../api/billing.ts";
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
import { PlanDialog } from "./plan-dialog.tsx";
import { isOverdue, planInForce, whatHappensNext } from "./plan-in-words.ts";
import { ReadOnly } from "./read-only.tsx";

export function Page() {
  const query = useQuery(subscriptionQuery());
  return (
    <Loaded query={query} rows={4}>
      {({ subscription, termsEnabled }) => (
        <>
          <ReadOnly unless="billing.changePlan" />
          <Present subscription={subscription} />
          <Choose subscription={subscription} termsEnabled={termsEnabled} />
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

/** SCHOOL is given by operators alone. */
const offered: readonly Plan[] = ["FREE", "DEV", "PRO", "TEAM", "AGENCY"];
const terms: readonly Term[] = ["MONTHLY", "QUARTERLY", "ANNUAL"];

function Choose({
  subscription,
  termsEnabled,
}: {
  readonly subscription: Subscription | null;
  readonly termsEnabled: boolean;
}) {
  const t = useMessages(planMessages);
  const shared = useMessages(billingMessages);
  const { refused } = useRights();
  const present = planInForce(subscription);
  const [plan, setPlan] = useState<Plan>(present === "FREE" || !offered.includes(present) ? "DEV" : present);
  const [term, setTerm] = useState<Term>(subscription?.term ?? "MONTHLY");
  const [asking, setAsking] = useState(false);
  return (
    <Section title={t.choose} hint={t.chooseHint}>
      <Card className="grid gap-4 p-4 sm:p-5">
        <fieldset className="grid gap-2">
          <legend className="mb-1 font-medium">{t.plan}</legend>
          <div className="grid grid-cols-2 gap-2 sm:grid-cols-5">
            {offered.map((name) => (
              <label
                key={name}
                className="flex items-start gap-2 rounded-md border border-line px-3 py-2.5 hover:bg-hover has-checked:border-accent"
              >
                <input
                  type="radio"
                  name="plan"
                  className="mt-1.5 accent-accent"
                  checked={plan === name}
                  onChange={() => setPlan(name)}
                />
                <span>
                  <span className="block font-medium">{name}</span>
                  {name === present && <span className="block text-[.8667rem] text-soft">{t.present}</span>}
                </span>
              </label>
            ))}
          </div>
        </fieldset>
        <div className="flex flex-wrap items-end justify-between gap-3">
          {termsEnabled && plan !== "FREE" ? (
            <div className="w-52">
              <SelectField
                label={shared.term}
                choices={terms.map((value) => ({ value, label: shared.terms[value] }))}
                value={term}
                onChange={setTerm}
              />
            </div>
          ) : (
            <span />
          )}
          <Button
            variant="primary"
            disabled={plan === "FREE" && present === "FREE"}
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
          term={plan === "FREE" || !termsEnabled ? "MONTHLY" : term}
          subscription={subscription}
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
