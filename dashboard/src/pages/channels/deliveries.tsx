/** What was sent to a channel and what became of it; of a test just asked for, the outcome as soon as there is one. */
import { useInfiniteQuery } from "@tanstack/react-query";
import { Send } from "lucide-react";
import { answerOf, type Schemas } from "../../../../sdk/client.ts";
import { api } from "../../api/client.ts";
import { pages } from "../../api/pages.ts";
import { List, Row } from "../../app/list.tsx";
import { useChange } from "../../app/mutation.ts";
import { useRights } from "../../app/session.ts";
import { Time } from "../../app/time.tsx";
import { useMessages } from "../../i18n/locale.tsx";
import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { Section } from "../../ui/card.tsx";
import { Notice } from "../../ui/notice.tsx";
import { channelsMessages } from "./channels.messages.ts";

type Delivery = Schemas["ChannelDelivery"];

/** The outcome of the test that was asked for when the newest delivery was of `after`. */
function outcomeOf(deliveries: readonly Delivery[] | undefined, after: string | null): Delivery | undefined {
  if (after === null) return undefined;
  return deliveries?.find(({ event, createdAt }) => event === "TEST" && createdAt > after);
}

export function Deliveries({ channelId, testedAt }: { readonly channelId: string; readonly testedAt: string | null }) {
  const t = useMessages(channelsMessages);
  const query = useInfiniteQuery(
    pages({
      key: ["channel-deliveries", channelId],
      read: (_, signal) => {
        const params = { path: { id: channelId }, query: { limit: 50 } };
        return answerOf(api.GET("/channels/{id}/deliveries", { params, signal }));
      },
      againMs: (deliveries) => (testedAt !== null && outcomeOf(deliveries, testedAt) === undefined ? 1500 : 15_000),
    }),
  );
  const outcome = outcomeOf(query.data, testedAt);
  return (
    <Section title={t.deliveries} hint={t.deliveriesHint}>
      {testedAt !== null && (
        <div role="status">
          {outcome === undefined ? (
            <Notice tone="info" title={t.testing} />
          ) : outcome.success ? (
            <Notice tone="good" title={t.testDone} />
          ) : (
            <Notice tone="bad" title={t.testFailed}>
              {outcome.error}
            </Notice>
          )}
        </div>
      )}
      <List
        query={query}
        label={t.deliveries}
        empty={{ icon: <Send />, title: t.noDeliveriesTitle, text: t.noDeliveries }}
        row={(delivery) => <DeliveryRow key={delivery.id} delivery={delivery} />}
      />
    </Section>
  );
}

function DeliveryRow({
  delivery: { id, event, title, success, statusCode, error, createdAt },
}: {
  readonly delivery: Delivery;
}) {
  const t = useMessages(channelsMessages);
  const { refused } = useRights();
  const retry = useChange({
    run: () => answerOf(api.POST("/channels/deliveries/{deliveryId}/retry", { params: { path: { deliveryId: id } } })),
    touches: ["channel-deliveries"],
    done: t.retryDone,
  });
  const names: Readonly<Record<string, string>> = t.event;
  return (
    <Row
      title={title}
      text={
        <>
          {names[event] ?? event} · <Time at={createdAt} />
          {error !== null ? ` · ${error}` : statusCode !== null && ` · ${t.answered(String(statusCode))}`}
        </>
      }
    >
      {!success && (
        <Button size="small" refused={refused("channels.retry")} busy={retry.isPending} onClick={() => retry.mutate()}>
          {t.retry}
        </Button>
      )}
      <Badge tone={success ? "good" : "bad"} label={success ? t.delivered : t.failed} />
    </Row>
  );
}
