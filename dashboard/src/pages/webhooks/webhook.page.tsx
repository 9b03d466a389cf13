import { useQuery } from "@tanstack/react-query";
import { Link, useParams } from "@tanstack/react-router";
import { answerOf } from "../../../../sdk/client.ts";
import { api } from "../../api/client.ts";
import { commonMessages } from "../../app/common.messages.ts";
import { Page as Frame } from "../../app/page.tsx";
import { PageProblem } from "../../app/problem.tsx";
import { Time } from "../../app/time.tsx";
import { useMessages } from "../../i18n/locale.tsx";
import { paths } from "../../paths.ts";
import { Badge } from "../../ui/badge.tsx";
import { Card, Fact, Facts } from "../../ui/card.tsx";
import { Skeleton } from "../../ui/empty-state.tsx";
import { Deliveries } from "./deliveries.tsx";
import { WebhookActions } from "./webhook-actions.tsx";
import { webhooksMessages } from "./webhooks.messages.ts";

export function Page() {
  const t = useMessages(webhooksMessages);
  const common = useMessages(commonMessages);
  const { id = "" } = useParams({ strict: false });
  const { data, error, refetch } = useQuery({
    queryKey: ["webhooks", id],
    queryFn: async ({ signal }) =>
      (await answerOf(api.GET("/webhooks/{id}", { params: { path: { id } }, signal }))).webhook,
    refetchInterval: 15_000,
  });
  const above = (
    <Link to={paths.webhooks} className="hover:underline">
      {t.title}
    </Link>
  );
  if (data === undefined)
    return (
      <Frame title={t.title} above={above}>
        {error === null ? (
          <Skeleton label={common.loading} />
        ) : (
          <PageProblem error={error} onRetry={() => void refetch()} />
        )}
      </Frame>
    );
  const { url, enabled, events, lastStatus, lastDeliveryAt } = data;
  return (
    <Frame
      title={url}
      above={above}
      badge={<Badge tone={enabled ? "good" : "quiet"} label={enabled ? t.on : t.off} />}
      actions={<WebhookActions webhook={data} />}
    >
      <Card className="p-4 sm:p-5">
        <Facts>
          <Fact name={t.events}>
            {events.length === 0 ? t.allEvents : events.map((event) => t.event[event]).join(", ")}
          </Fact>
          <Fact name={t.last}>
            {lastDeliveryAt === null ? (
              t.never
            ) : (
              <>
                {lastStatus === null ? t.noAnswer : t.answered(String(lastStatus))} · <Time at={lastDeliveryAt} />
              </>
            )}
          </Fact>
        </Facts>
      </Card>
      <Deliveries webhookId={id} />
    </Frame>
  );
}
