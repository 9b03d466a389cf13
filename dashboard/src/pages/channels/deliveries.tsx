/** What was sent to a channel and what became of it; of a test just asked for, the outcome as soon as there is one. */
import { useQuery } from "@tanstack/react-query";
import { Send } from "lucide-react";
import { answerOf, type Schemas } from "../../../../sdk/client.ts";
import { api } from "../../api/client.ts";
import { commonMessages } from "../../app/common.messages.ts";
import { useChange } from "../../app/mutation.ts";
import { PageProblem } from "../../app/problem.tsx";
import { useRights } from "../../app/session.ts";
import { Time } from "../../app/time.tsx";
import { useMessages } from "../../i18n/locale.tsx";
import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { Rows, Section } from "../../ui/card.tsx";
import { EmptyState, Skeleton } from "../../ui/empty-state.tsx";
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
  const common = useMessages(commonMessages);
  const { data, error, refetch } = useQuery({
    queryKey: ["channel-deliveries", channelId],
    queryFn: async ({ signal }) => {
      const params = { path: { id: channelId }, query: { limit: 50 } };
      return (await answerOf(api.GET("/channels/{id}/deliveries", { params, signal }))).data;
    },
    refetchInterval: ({ state }) =>
      testedAt !== null && outcomeOf(state.data, testedAt) === undefined ? 1500 : 15_000,
  });
  const outcome = outcomeOf(data, testedAt);
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
      {data === undefined ? (
        error === null ? (
          <Skeleton label={common.loading} />
        ) : (
          <PageProblem error={error} onRetry={() => void refetch()} />
        )
      ) : data.length === 0 ? (
        <EmptyState icon={<Send />} title={t.noDeliveriesTitle}>
          {t.noDeliveries}
        </EmptyState>
      ) : (
        <Rows label={t.deliveries}>
          {data.map((delivery) => (
            <Row key={delivery.id} delivery={delivery} />
          ))}
        </Rows>
      )}
    </Section>
  );
}

function Row({
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
    <li className="flex flex-wrap items-center gap-x-4 gap-y-2 px-4 py-3">
      <div className="min-w-48 grow basis-0">
        <p className="font-medium wrap-anywhere">{title}</p>
        <p className="text-[.9333rem] text-soft wrap-anywhere">
          {names[event] ?? event} · <Time at={createdAt} />
          {error !== null ? ` · ${error}` : statusCode !== null && ` · ${t.answered(String(statusCode))}`}
        </p>
      </div>
      {!success && (
        <Button size="small" refused={refused("channels.retry")} busy={retry.isPending} onClick={() => retry.mutate()}>
          {t.retry}
        </Button>
      )}
      <Badge tone={success ? "good" : "bad"} label={success ? t.delivered : t.failed} />
    </li>
  );
}
