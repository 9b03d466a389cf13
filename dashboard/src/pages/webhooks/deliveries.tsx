import { useInfiniteQuery } from "@tanstack/react-query";
import { Send } from "lucide-react";
import { answerOf, type Schemas } from "../../../../sdk/client.ts";
import { api } from "../../api/client.ts";
import { commonMessages } from "../../app/common.messages.ts";
import { More } from "../../app/more.tsx";
import { useChange } from "../../app/mutation.ts";
import { PageProblem } from "../../app/problem.tsx";
import { useRights } from "../../app/session.ts";
import { Time } from "../../app/time.tsx";
import { useFormats, useMessages } from "../../i18n/locale.tsx";
import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { Rows, Section } from "../../ui/card.tsx";
import { EmptyState, Skeleton } from "../../ui/empty-state.tsx";
import { webhooksMessages } from "./webhooks.messages.ts";

type Delivery = Schemas["WebhookDelivery"];
const tones = { PENDING: "info", DELIVERED: "good", FAILED: "bad" } as const;

export function Deliveries({ webhookId }: { readonly webhookId: string }) {
  const t = useMessages(webhooksMessages);
  const common = useMessages(commonMessages);
  const query = useInfiniteQuery({
    queryKey: ["webhooks", webhookId, "deliveries"],
    initialPageParam: null as string | null,
    queryFn: ({ signal, pageParam }) =>
      answerOf(
        api.GET("/webhooks/{id}/deliveries", {
          params: {
            path: { id: webhookId },
            query: { limit: 25, ...(pageParam === null ? {} : { cursor: pageParam }) },
          },
          signal,
        }),
      ),
    getNextPageParam: ({ pagination }) => pagination.nextCursor,
    refetchInterval: ({ state }) =>
      state.data?.pages[0]?.data.some(({ status }) => status === "PENDING") === true ? 3000 : 15_000,
  });
  const deliveries = query.data?.pages.flatMap((page) => page.data);
  return (
    <Section title={t.deliveries}>
      {deliveries === undefined ? (
        query.error === null ? (
          <Skeleton label={common.loading} />
        ) : (
          <PageProblem error={query.error} onRetry={() => void query.refetch()} />
        )
      ) : deliveries.length === 0 ? (
        <EmptyState icon={<Send />} title={t.noDeliveriesTitle}>
          {t.noDeliveries}
        </EmptyState>
      ) : (
        <>
          <Rows label={t.deliveries}>
            {deliveries.map((delivery) => (
              <Row key={delivery.id} delivery={delivery} />
            ))}
          </Rows>
          <More query={query} />
        </>
      )}
    </Section>
  );
}

function Row({ delivery }: { readonly delivery: Delivery }) {
  const { id, event, status, error, attempts, nextAttemptAt, createdAt } = delivery;
  const t = useMessages(webhooksMessages);
  const { refused } = useRights();
  const { number } = useFormats();
  const retry = useChange({
    run: () => answerOf(api.POST("/webhooks/deliveries/{deliveryId}/retry", { params: { path: { deliveryId: id } } })),
    touches: ["webhooks"],
    done: t.retryDone,
  });
  return (
    <li className="grid grid-cols-[minmax(0,1fr)] gap-2 px-4 py-3">
      <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
        <div className="min-w-48 grow basis-0">
          <p className="font-medium">
            <span className="code">{event}</span>
          </p>
          <p className="text-[.9333rem] text-soft wrap-anywhere">
            <Time at={createdAt} />
            {error !== null && ` · ${error}`}
            {nextAttemptAt !== null && (
              <>
                {" · "}
                {t.nextAttempt}: <Time at={nextAttemptAt} />
              </>
            )}
          </p>
        </div>
        <Button
          size="small"
          refused={refused("webhooks.retryDelivery")}
          busy={retry.isPending}
          onClick={() => retry.mutate()}
        >
          {t.retry}
        </Button>
        <Badge tone={tones[status]} label={t.status[status]} active={status === "PENDING"} />
      </div>
      {attempts.length > 0 && (
        <details className="text-[.9333rem]">
          <summary className="text-soft">{t.attempts(number(attempts.length))}</summary>
          <ol className="mt-2 grid gap-2 border-s-2 border-line ps-3">
            {attempts.map((attempt) => (
              <Attempt key={attempt.number} attempt={attempt} />
            ))}
          </ol>
        </details>
      )}
    </li>
  );
}

function Attempt({ attempt }: { readonly attempt: Schemas["DeliveryAttempt"] }) {
  const t = useMessages(webhooksMessages);
  const { number } = useFormats();
  const { statusCode, error, response, startedAt, durationMs } = attempt;
  return (
    <li className="min-w-0">
      <p className="wrap-anywhere">
        {t.attempt(number(attempt.number))} · <Time at={startedAt} /> · {t.took(number(durationMs))} ·{" "}
        {error ?? (statusCode === null ? t.noAnswer : t.answered(String(statusCode)))}
      </p>
      {response !== null && response !== "" && (
        <pre className="code mt-1 whitespace-pre-wrap text-soft">{response}</pre>
      )}
    </li>
  );
}
