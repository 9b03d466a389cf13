/** An amount, then the checkout: no money moves before somebody pays there. */
import { answerOf } from "../../../../sdk/client.ts";
import { api } from "../../api/client.ts";
import { fieldsOf } from "../../app/form.ts";
import { useChange } from "../../app/mutation.ts";
import { fieldProblems, Problem } from "../../app/problem.tsx";
import { useRights } from "../../app/session.ts";
import { useFormats, useLocale, useMessages } from "../../i18n/locale.tsx";
import { Button } from "../../ui/button.tsx";
import { Card, Section } from "../../ui/card.tsx";
import { TextField } from "../../ui/field.tsx";
import { billingMessages } from "./billing.messages.ts";
import { creditMessages } from "./credit.messages.ts";
import { paperAddress } from "./paper-address.ts";

export function TopUp({ balanceMinor }: { readonly balanceMinor: number }) {
  const t = useMessages(creditMessages);
  const shared = useMessages(billingMessages);
  const { money } = useFormats();
  const { locale } = useLocale();
  const { may, refused } = useRights();
  const open = useChange({
    run: (amountMad: number) => answerOf(api.POST("/billing/topup", { body: { amountMad } })),
    touches: [],
    after: ({ url }) => location.assign(paperAddress(url, locale)),
    showsError: true,
  });
  return (
    <Section title={shared.topUp} hint={t.topUpHint}>
      <Card className="p-4 sm:p-5">
        <form
          className="grid gap-4"
          onSubmit={(event) => {
            open.mutate(Number(fieldsOf(event)("amountMad")));
          }}
        >
          <p className="font-medium">{t.balance(money(balanceMinor))}</p>
          {open.error !== null && <Problem error={open.error} />}
          <div className="flex flex-wrap items-end gap-3">
            <div className="w-full max-w-64 sm:w-64">
              <TextField
                label={t.amount}
                error={fieldProblems(open.error).amountMad}
                name="amountMad"
                type="number"
                min={0.01}
                step={0.01}
                required
                disabled={!may("billing.topUp")}
              />
            </div>
            <Button type="submit" variant="primary" refused={refused("billing.topUp")} busy={open.isPending}>
              {t.toCheckout}
            </Button>
          </div>
        </form>
      </Card>
    </Section>
  );
}
