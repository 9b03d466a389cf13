/** When to be warned of a low credit, and what a saved card is charged then, where the gateway can. */
import { answerOf, type Schemas } from "../../../../sdk/client.ts";
import { api } from "../../api/client.ts";
import { commonMessages } from "../../app/common.messages.ts";
import { fieldsOf } from "../../app/form.ts";
import { useChange } from "../../app/mutation.ts";
import { fieldProblems, Problem } from "../../app/problem.tsx";
import { useRights } from "../../app/session.ts";
import { useMessages } from "../../i18n/locale.tsx";
import { Button } from "../../ui/button.tsx";
import { Card, Section } from "../../ui/card.tsx";
import { TextField } from "../../ui/field.tsx";
import { creditMessages } from "./credit.messages.ts";

const numberOrNone = (text: string) => (text.trim() === "" ? null : Number(text));
const madOrEmpty = (minor: number | null) => (minor === null ? "" : minor / 100);

export function LowBalance({ wallet }: { readonly wallet: Schemas["Wallet"] }) {
  const t = useMessages(creditMessages);
  const common = useMessages(commonMessages);
  const { may, refused } = useRights();
  const { autoRechargeAtMinor, autoRechargeMinor, canAutoRecharge } = wallet;
  const save = useChange({
    run: (body: { thresholdMad: number | null; rechargeMad?: number | null }) =>
      answerOf(api.PUT("/billing/low-balance-alert", { body })),
    touches: ["billing"],
    done: common.saved,
    showsError: true,
  });
  const problems = fieldProblems(save.error);
  const isLocked = !may("billing.setLowBalanceAlert");
  return (
    <Section title={t.low} hint={t.lowHint}>
      <Card className="p-4 sm:p-5">
        <form
          key={`${autoRechargeAtMinor} ${autoRechargeMinor}`}
          className="grid gap-4 sm:grid-cols-2"
          onSubmit={(event) => {
            const field = fieldsOf(event);
            const thresholdMad = numberOrNone(field("thresholdMad"));
            save.mutate({
              thresholdMad,
              ...(canAutoRecharge ? { rechargeMad: numberOrNone(field("rechargeMad")) } : {}),
            });
          }}
        >
          {save.error !== null && (
            <div className="sm:col-span-2">
              <Problem error={save.error} />
            </div>
          )}
          <TextField
            label={t.threshold}
            hint={t.thresholdHint}
            error={problems.thresholdMad}
            name="thresholdMad"
            type="number"
            min={0}
            step={0.01}
            disabled={isLocked}
            defaultValue={madOrEmpty(autoRechargeAtMinor)}
          />
          {canAutoRecharge ? (
            <TextField
              label={t.recharge}
              hint={t.rechargeHint}
              error={problems.rechargeMad}
              name="rechargeMad"
              type="number"
              min={0.01}
              step={0.01}
              disabled={isLocked}
              defaultValue={madOrEmpty(autoRechargeMinor)}
            />
          ) : (
            <p className="self-center text-soft">{t.cannotRecharge}</p>
          )}
          <Button
            type="submit"
            className="justify-self-end sm:col-span-2"
            refused={refused("billing.setLowBalanceAlert")}
            busy={save.isPending}
          >
            {common.save}
          </Button>
        </form>
      </Card>
    </Section>
  );
}
