/** Where an account stands: its plan and what happens next, its credit, its use, and what may be spent. */
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { Schemas } from "../../../../sdk/client.ts";
import { spendCapQuery } from "../../api/account.ts";
import { type Overage, overageQuery, type Subscription, subscriptionQuery, walletQuery } from "../../api/billing.ts";
import { Loaded } from "../../app/loaded.tsx";
import { useFormats, useMessages } from "../../i18n/locale.tsx";
import { paths } from "../../paths.ts";
import { Badge } from "../../ui/badge.tsx";
import { buttonClass } from "../../ui/button.tsx";
import { Card, Fact, Facts, Section } from "../../ui/card.tsx";
import { Notice } from "../../ui/notice.tsx";
import { billingMessages } from "./billing.messages.ts";
import { PaymentResult } from "./payment-result.tsx";
import { isOverdue, planInForce, whatHappensNext } from "./plan-in-words.ts";
import { Usage } from "./usage.tsx";

export function Page() {
  const t = useMessages(billingMessages);
  const subscription = useQuery(subscriptionQuery());
  const wallet = useQuery(walletQuery());
  const overage = useQuery(overageQuery());
  return (
    <>
      <PaymentResult />
      <div className="grid items-start gap-6 lg:grid-cols-2">
        <Loaded query={subscription}>{(state) => <PlanCard subscription={state.subscription} />}</Loaded>
        <Loaded query={wallet}>{(state) => <CreditCard wallet={state} />}</Loaded>
      </div>
      <Loaded query={overage} rows={3}>
        {(state) => (
          <>
            <Section title={t.usage} hint={state.enabled ? t.usageHint : t.usageOff}>
              <Usage meters={state.meters} />
            </Section>
            <div className="grid items-start gap-6 lg:grid-cols-2">
              <Budget overage={state} plan={planInForce(subscription.data?.subscription ?? null)} />
              <Cap />
            </div>
          </>
        )}
      </Loaded>
    </>
  );
}

function PlanCard({ subscription }: { readonly subscription: Subscription | null }) {
  const t = useMessages(billingMessages);
  const formats = useFormats();
  const overdue = isOverdue(subscription);
  const next = whatHappensNext(subscription, t.next, formats.date, Date.now());
  return (
    <Section
      title={t.plan}
      actions={
        <Link to={paths.billingPlan} className={buttonClass("secondary", "small")}>
          {t.changePlan}
        </Link>
      }
    >
      <Card className="grid gap-3 p-4 sm:p-5">
        <p className="flex flex-wrap items-center gap-3">
          <span className="text-2xl font-semibold">{planInForce(subscription)}</span>
          {subscription !== null && (
            <Badge
              tone={overdue ? "bad" : subscription.status === "ACTIVE" ? "good" : "quiet"}
              label={t.status[subscription.status]}
            />
          )}
        </p>
        {overdue ? <Notice tone="bad">{next}</Notice> : <p>{next}</p>}
        {subscription !== null && subscription.currentPeriodEnd !== null && subscription.status !== "CANCELLED" && (
          <Facts>
            {subscription.term !== null && <Fact name={t.term}>{t.terms[subscription.term]}</Fact>}
            <Fact name={t.until}>{formats.date(subscription.currentPeriodEnd)}</Fact>
            <Fact name={t.autoRenew}>{subscription.autoRenew ? t.on : t.off}</Fact>
          </Facts>
        )}
      </Card>
    </Section>
  );
}

const creditTones = { HEALTHY: "good", LOW: "warn", EMPTY: "quiet" } as const;

function CreditCard({ wallet }: { readonly wallet: Schemas["Wallet"] }) {
  const t = useMessages(billingMessages);
  const { money } = useFormats();
  const { balanceMinor, status, autoRechargeAtMinor, autoRechargeMinor, canAutoRecharge } = wallet;
  return (
    <Section
      title={t.credit}
      actions={
        <Link to={paths.billingCredit} className={buttonClass("primary", "small")}>
          {t.topUp}
        </Link>
      }
    >
      <Card className="grid gap-3 p-4 sm:p-5">
        <p className="flex flex-wrap items-center gap-3">
          <span className="text-2xl font-semibold tabular-nums">{money(balanceMinor)}</span>
          <Badge tone={creditTones[status]} label={t.wallet[status]} />
        </p>
        <p className="text-soft">
          {autoRechargeAtMinor === null ? t.warnNever : t.warnAt(money(autoRechargeAtMinor))}
          {canAutoRecharge && autoRechargeMinor !== null && ` ${t.recharge(money(autoRechargeMinor))}`}
        </p>
      </Card>
    </Section>
  );
}

function Budget({ overage, plan }: { readonly overage: Overage; readonly plan: string }) {
  const t = useMessages(billingMessages);
  const { money } = useFormats();
  return (
    <Section
      title={t.budget}
      actions={
        overage.eligible && (
          <Link to={paths.billingCredit} className={buttonClass("secondary", "small")}>
            {t.setBudget}
          </Link>
        )
      }
    >
      <Card className="p-4 sm:p-5">
        {!overage.eligible ? (
          <p className="text-soft">{overage.enabled ? t.budgetNotOnPlan(plan) : t.usageOff}</p>
        ) : overage.budgetMinor === 0 ? (
          <p className="text-soft">{t.budgetNone}</p>
        ) : (
          <Facts>
            <Fact name={t.perMonth}>{money(overage.budgetMinor)}</Fact>
            <Fact name={t.charged}>{money(overage.spentMinor)}</Fact>
            <Fact name={t.left}>{money(overage.budgetRemainingMinor)}</Fact>
          </Facts>
        )}
      </Card>
    </Section>
  );
}

function Cap() {
  const t = useMessages(billingMessages);
  const { mad } = useFormats();
  const cap = useQuery(spendCapQuery());
  return (
    <Section
      title={t.cap}
      actions={
        <Link to={paths.settings} className={buttonClass("secondary", "small")}>
          {t.setCap}
        </Link>
      }
    >
      <Loaded query={cap} rows={1}>
        {({ spendCapMad, currentSpendMad }) => (
          <Card className="p-4 sm:p-5">
            <Facts>
              <Fact name={t.perMonth}>{spendCapMad === null ? t.capNone : mad(spendCapMad)}</Fact>
              <Fact name={t.spent}>{mad(currentSpendMad)}</Fact>
            </Facts>
          </Card>
        )}
      </Loaded>
    </Section>
  );
}
