import { useQuery } from "@tanstack/react-query";
import { answerOf } from "../../../../sdk/client.ts";
import { spendCapQuery } from "../../api/account.ts";
import { api } from "../../api/client.ts";
import { commonMessages } from "../../app/common.messages.ts";
import { fieldsOf } from "../../app/form.ts";
import { useChange } from "../../app/mutation.ts";
import { fieldProblems, Problem } from "../../app/problem.tsx";
import { useRights } from "../../app/session.ts";
import { useFormats, useMessages } from "../../i18n/locale.tsx";
import { Button } from "../../ui/button.tsx";
import { Card, Section } from "../../ui/card.tsx";
import { TextField } from "../../ui/field.tsx";
import { accountMessages } from "./account.messages.ts";

const numberOrNone = (text: string) => (text.trim() === "" ? null : Number(text));

export function SpendCap() {
  const t = useMessages(accountMessages);
  const common = useMessages(commonMessages);
  const formats = useFormats();
  const { refused, may } = useRights();
  const { data, error } = useQuery(spendCapQuery());
  const save = useChange({
    run: (body: { spendCapMad: number | null; spendAlertPct: number | null }) =>
      answerOf(api.PUT("/account/spend-cap", { body })),
    touches: ["account"],
    done: common.saved,
    showsError: true,
  });
  const problems = fieldProblems(save.error);
  return (
    <Section title={t.cap} hint={t.capHint}>
      <Card className="p-4 sm:p-5">
        {error !== null && <Problem error={error} />}
        {data !== undefined && (
          <form
            key={`${data.spendCapMad} ${data.spendAlertPct}`}
            className="grid gap-4 sm:grid-cols-2"
            onSubmit={(event) => {
              const field = fieldsOf(event);
              const spendAlertPct = numberOrNone(field("spendAlertPct"));
              save.mutate({ spendCapMad: numberOrNone(field("spendCapMad")), spendAlertPct });
            }}
          >
            {save.error !== null && (
              <div className="sm:col-span-2">
                <Problem error={save.error} />
              </div>
            )}
            <TextField
              label={t.capMad}
              hint={t.capMadHint}
              error={problems.spendCapMad}
              name="spendCapMad"
              type="number"
              min={0}
              step={1}
              disabled={!may("account.setSpendCap")}
              defaultValue={data.spendCapMad ?? ""}
            />
            <TextField
              label={t.alertPct}
              hint={t.alertHint}
              error={problems.spendAlertPct}
              name="spendAlertPct"
              type="number"
              min={1}
              max={100}
              step={1}
              disabled={!may("account.setSpendCap")}
              defaultValue={data.spendAlertPct ?? ""}
            />
            <p className="self-center text-soft">{t.spent(formats.number(data.currentSpendMad))}</p>
            <Button
              type="submit"
              className="justify-self-end"
              refused={refused("account.setSpendCap")}
              busy={save.isPending}
            >
              {common.save}
            </Button>
          </form>
        )}
      </Card>
    </Section>
  );
}
