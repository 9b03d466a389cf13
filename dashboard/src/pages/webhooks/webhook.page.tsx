import { useQuery } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import { answerOf, type Schemas } from "../../../../sdk/client.ts";
import { api } from "../../api/client.ts";
import { Detail } from "../../app/detail.tsx";
import { Page as Frame } from "../../app/page.tsx";
import { Time } from "../../app/time.tsx";
import { useMessages } from "../../i18n/locale.tsx";
import { paths } from "../../paths.ts";
import { Badge } from "../../ui/badge.tsx";
import { Card, Fact, Facts } from "../../ui/card.tsx";
import { Deliveries } from "./deliveries.tsx";
import { WebhookActions } from "./webhook-actions.tsx";
import { webhooksMessages } from "./webhooks.messages.ts";

export function Page() {
  const t = useMessages(webhooksMessages);
  const { id = "" } = useParams({ strict: false });
  const query = useQuery({
    queryKey: ["webhooks", id],
    queryFn: async ({ signal }) =>
      (await answerOf(api.GET("/webhooks/{id}", { params: { path: { id } }, signal }))).webhook,
    refetchInterval: 15_000,
  });
  return (
    <Detail of={{ title: t.title, path: paths.webhooks }} query={query}>
      {(webhook, above) => (
        <Frame
          title={webhook.url}
          above={above}
          badge={<Badge tone={webhook.enabled ? "good" : "quiet"} label={webhook.enabled ? t.on : t.off} />}
          actions={<WebhookActions webhook={webhook} />}
        >
          <About webhook={webhook} />
          <Deliveries webhookId={id} />
        </Frame>
      )}
    </Detail>
  );
}

function About({ webhook }: { readonly webhook: Schemas["Webhook"] }) {
  const t = useMessages(webhooksMessages);
  const { events, lastStatus, lastDeliveryAt } = webhook;
  return (
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
  );
}
