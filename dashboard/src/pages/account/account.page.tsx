import { useQuery } from "@tanstack/react-query";
import { Download } from "lucide-react";
import { answerOf, type Schemas } from "../../../../sdk/client.ts";
import { accountQuery } from "../../api/account.ts";
import { api } from "../../api/client.ts";
import { saveAs } from "../../api/download.ts";
import { commonMessages } from "../../app/common.messages.ts";
import { useChange } from "../../app/mutation.ts";
import { Page as Frame } from "../../app/page.tsx";
import { PageProblem } from "../../app/problem.tsx";
import { sessionChanged, useRights } from "../../app/session.ts";
import { useMessages } from "../../i18n/locale.tsx";
import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { Card, Fact, Facts, Section } from "../../ui/card.tsx";
import { Skeleton } from "../../ui/empty-state.tsx";
import { SwitchField } from "../../ui/switch.tsx";
import { accountMessages } from "./account.messages.ts";
import { SpendCap } from "./spend-cap.tsx";

export function Page() {
  const t = useMessages(accountMessages);
  const common = useMessages(commonMessages);
  const { data, error, refetch } = useQuery(accountQuery());
  return (
    <Frame title={t.title}>
      {data !== undefined ? (
        <Settings account={data} />
      ) : error === null ? (
        <Skeleton label={common.loading} />
      ) : (
        <PageProblem error={error} onRetry={() => void refetch()} />
      )}
    </Frame>
  );
}

function Settings({ account }: { readonly account: Schemas["Account"] }) {
  const t = useMessages(accountMessages);
  const common = useMessages(commonMessages);
  const { refused } = useRights();
  const setRequire2fa = useChange({
    run: (require2fa: boolean) => answerOf(api.PUT("/account/require-2fa", { body: { require2fa } })),
    touches: ["account"],
    done: common.saved,
    after: sessionChanged,
  });
  const setAiOptIn = useChange({
    run: (aiOptIn: boolean) => answerOf(api.PUT("/account/ai-opt-in", { body: { aiOptIn } })),
    touches: ["account"],
    done: common.saved,
  });
  const save = useChange({
    run: () => saveAs(`${account.slug}.json`, api.GET("/account/export", { parseAs: "blob" })),
    touches: [],
  });
  return (
    <>
      <Card className="p-4 sm:p-5">
        <Facts>
          <Fact name={t.name}>{account.name}</Fact>
          <Fact name={t.plan}>
            <Badge tone="quiet" label={account.plan} />
          </Fact>
          <Fact name={t.role}>{common.roles[account.role]}</Fact>
          <Fact name={t.id}>
            <span className="code">{account.id}</span>
          </Fact>
        </Facts>
      </Card>
      <Section title={t.safety}>
        <Card className="p-4 sm:p-5">
          <SwitchField
            label={t.require2fa}
            hint={t.require2faHint}
            checked={account.require2fa}
            busy={setRequire2fa.isPending}
            refused={refused("account.setRequire2fa")}
            onChange={(on) => setRequire2fa.mutate(on)}
          />
        </Card>
      </Section>
      <SpendCap />
      <Section title={t.ai}>
        <Card className="p-4 sm:p-5">
          <SwitchField
            label={t.aiOptIn}
            hint={account.aiAvailable ? t.aiHint : t.aiMissing}
            checked={account.aiOptIn}
            busy={setAiOptIn.isPending}
            refused={refused("account.setAiOptIn")}
            onChange={(on) => setAiOptIn.mutate(on)}
          />
        </Card>
      </Section>
      <Section title={t.data} hint={t.dataHint}>
        <Button
          className="justify-self-start"
          icon={<Download className="size-4" aria-hidden />}
          refused={refused("account.export")}
          busy={save.isPending}
          onClick={() => save.mutate()}
        >
          {t.export}
        </Button>
      </Section>
    </>
  );
}
