/**
 * Before a plan is changed: what it does, then what it costs. Asking may settle the change at once where nothing is to be
 * paid, so the first step says so; money only moves at the checkout that the second one leads to.
 */
import { answerOf } from "../../../../sdk/client.ts";
import type { Plan, Subscription, Term } from "../../api/billing.ts";
import { api } from "../../api/client.ts";
import { commonMessages } from "../../app/common.messages.ts";
import { useChange } from "../../app/mutation.ts";
import { Problem } from "../../app/problem.tsx";
import { useFormats, useLocale, useMessages } from "../../i18n/locale.tsx";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { Notice } from "../../ui/notice.tsx";
import { billingMessages } from "./billing.messages.ts";
import { paperAddress } from "./paper-address.ts";
import { planMessages } from "./plan.messages.ts";
import { ChangeCost, type PlanChange } from "./plan-cards.tsx";
import { consequenceOf } from "./plan-in-words.ts";

const askFor = (plan: Plan, term: Term) => answerOf(api.POST("/billing/plan", { body: { plan, term } }));
type Answer = Awaited<ReturnType<typeof askFor>>;

export function PlanDialog({
  plan,
  term,
  subscription,
  change,
  onClose,
}: {
  readonly plan: Plan;
  readonly term: Term;
  readonly subscription: Subscription | null;
  /** What it would do now; null for the free plan. */
  readonly change: PlanChange | null;
  readonly onClose: () => void;
}) {
  const t = useMessages(planMessages);
  const shared = useMessages(billingMessages);
  const common = useMessages(commonMessages);
  const choose = useChange({ run: () => askFor(plan, term), touches: ["billing", "account"], showsError: true });
  const consequence = t[consequenceOf(plan, term, subscription, change?.switched === true)];
  return (
    <Dialog open onClose={onClose} title={t.title(plan)} closeLabel={common.close}>
      {choose.data !== undefined ? (
        <Outcome plan={plan} answer={choose.data} onClose={onClose} />
      ) : (
        <div className="grid gap-4">
          <div className="grid gap-1">
            {plan !== "FREE" && <p className="font-medium">{shared.terms[term]}</p>}
            {change !== null && (
              <p className="font-medium">
                <ChangeCost change={change} />
              </p>
            )}
            <p>{consequence}</p>
          </div>
          {choose.error !== null && <Problem error={choose.error} />}
          <div className="flex justify-end gap-2">
            <Button onClick={onClose}>{common.cancel}</Button>
            <Button
              variant={plan === "FREE" ? "danger" : "primary"}
              busy={choose.isPending}
              onClick={() => choose.mutate()}
            >
              {plan === "FREE" ? t.confirmFree : t.confirm}
            </Button>
          </div>
        </div>
      )}
    </Dialog>
  );
}

function Outcome({
  plan,
  answer,
  onClose,
}: {
  readonly plan: Plan;
  readonly answer: Answer;
  readonly onClose: () => void;
}) {
  const t = useMessages(planMessages);
  const common = useMessages(commonMessages);
  const formats = useFormats();
  const { locale } = useLocale();
  const { url, priceMad, switched, carriedDays, currentPeriodEnd } = answer;
  const day = currentPeriodEnd === null ? null : formats.date(currentPeriodEnd);
  if (url === null || priceMad === null) {
    const days = formats.number(Math.floor(carriedDays * 10) / 10);
    const settled = day === null ? t.freeNow : plan === "FREE" ? t.freeOn(day) : t.carried(days, day);
    return (
      <div className="grid gap-4">
        <Notice tone="good" title={switched ? t.switched(plan) : undefined}>
          {settled}
        </Notice>
        <Button className="justify-self-end" onClick={onClose}>
          {common.close}
        </Button>
      </div>
    );
  }
  return (
    <div className="grid gap-4">
      <div>
        <p className="text-soft">{t.toPay}</p>
        <p className="text-2xl font-semibold tabular-nums">{formats.mad(priceMad)}</p>
      </div>
      <p>
        {t.offer}
        {day !== null && ` ${t.presentUntil(day)}`}
      </p>
      <div className="flex justify-end gap-2">
        <Button onClick={onClose}>{common.cancel}</Button>
        <Button variant="primary" onClick={() => location.assign(paperAddress(url, locale))}>
          {t.checkout}
        </Button>
      </div>
    </div>
  );
}
