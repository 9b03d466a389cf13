/** How much use past the allowances may cost a month; plans that can't buy any say so instead. */
import { Link } from "@tanstack/react-router";
import { answerOf } from "../../../../sdk/client.ts";
import type { Overage, Plan } from "../../api/billing.ts";
import { api } from "../../api/client.ts";
import { commonMessages } from "../../app/common.messages.ts";
import { fieldsOf } from "../../app/form.ts";
import { useChange } from "../../app/mutation.ts";
import { fieldProblems, Problem } from "../../app/problem.tsx";
import { useRights } from "../../app/session.ts";
import { useFormats, useMessages } from "../../i18n/locale.tsx";
import { paths } from "../../paths.ts";
import { Button, buttonClass } from "../../ui/button.tsx";
import { Card, Section } from "../../ui/card.tsx";
import { TextField } from "../../ui/field.tsx";
import { Notice } from "../../ui/notice.tsx";
import { creditMessages } from "./credit.messages.ts";

export function OverageBudget({ overage, plan }: { readonly overage: Overage; readonly plan: Plan }) {
  const t = useMessages(creditMessages);
  return (
    <Section title={t.budget} hint={t.budgetHint}>
      {overage.eligible ? (
        <BudgetForm overage={overage} />
      ) : overage.enabled ? (
        <Notice tone="quiet" title={t.notOnPlan(plan)}>
          <p>{t.notOnPlanText}</p>
          <Link to={paths.billingPlan} className={`mt-2 ${buttonClass("secondary", "small")}`}>
            {t.seePlans}
          </Link>
        </Notice>
      ) : (
        <Notice tone="quiet">{t.off}</Notice>
      )}
    </Section>
  );
}

function BudgetForm({ overage }: { readonly overage: Overage }) {
  const t = useMessages(creditMessages);
  const common = useMessages(commonMessages);
  const { money } = useFormats();
  const { may, refused } = useRights();
  const save = useChange({
    run: (budgetMad: number) => answerOf(api.PUT("/billing/overage-budget", { body: { budgetMad } })),
    touches: ["billing"],
    done: common.saved,
    showsError: true,
  });
  const { budgetMinor, spentMinor, budgetRemainingMinor } = overage;
  return (
    <Card className="p-4 sm:p-5">
      <form
        key={budgetMinor}
        className="grid gap-4"
        onSubmit={(event) => {
          save.mutate(Number(fieldsOf(event)("budgetMad")));
        }}
      >
        {save.error !== null && <Problem error={save.error} />}
        {budgetMinor > 0 && <p>{t.standing(money(spentMinor), money(budgetRemainingMinor))}</p>}
        <div className="flex flex-wrap items-end justify-between gap-3">
          <div className="w-full max-w-96">
            <TextField
              label={t.budgetMad}
              hint={t.budgetNow}
              error={fieldProblems(save.error).budgetMad}
              name="budgetMad"
              type="number"
              min={0}
              step={0.01}
              required
              disabled={!may("billing.setOverageBudget")}
              defaultValue={budgetMinor / 100}
            />
          </div>
          <Button type="submit" refused={refused("billing.setOverageBudget")} busy={save.isPending}>
            {common.save}
          </Button>
        </div>
      </form>
    </Card>
  );
}
