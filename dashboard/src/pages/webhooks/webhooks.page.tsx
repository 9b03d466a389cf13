import { useNavigate } from "@tanstack/react-router";
import { Webhook } from "lucide-react";
import { answerOf } from "../../../../sdk/client.ts";
import { api } from "../../api/client.ts";
import { pages } from "../../api/pages.ts";
import { ListPage, Row } from "../../app/list.tsx";
import { Time } from "../../app/time.tsx";
import { useMessages } from "../../i18n/locale.tsx";
import { paths } from "../../paths.ts";
import { Badge } from "../../ui/badge.tsx";
import { WebhookDialog } from "./webhook-dialog.tsx";
import { webhooksMessages } from "./webhooks.messages.ts";

function webhooksQuery() {
  return pages({
    key: ["webhooks"],
    read: (page, signal) => answerOf(api.GET("/webhooks", { params: { query: { limit: 50, ...page } }, signal })),
    againMs: () => 15_000,
  });
}

export function Page() {
  const t = useMessages(webhooksMessages);
  const navigate = useNavigate();
  return (
    <ListPage
      title={t.title}
      hint={t.hint}
      reads="webhooks.list"
      query={webhooksQuery()}
      empty={{ icon: <Webhook />, title: t.emptyTitle, text: t.empty }}
      create={{
        label: t.create,
        operation: "webhooks.create",
        dialog: (close) => (
          <WebhookDialog onClose={close} onCreated={(id) => void navigate({ to: paths.webhook(id) })} />
        ),
      }}
      row={({ id, url, events, enabled, lastStatus, lastDeliveryAt }) => (
        <Row
          key={id}
          to={paths.webhook(id)}
          title={<bdi>{url}</bdi>}
          text={events.length === 0 ? t.allEvents : events.map((event) => t.event[event]).join(", ")}
        >
          <span className="text-[.9333rem] text-soft">
            {lastDeliveryAt === null ? (
              t.never
            ) : (
              <>
                {lastStatus === null ? t.noAnswer : t.answered(String(lastStatus))} · <Time at={lastDeliveryAt} />
              </>
            )}
          </span>
          <Badge tone={enabled ? "good" : "quiet"} label={enabled ? t.on : t.off} />
        </Row>
      )}
    />
  );
}
