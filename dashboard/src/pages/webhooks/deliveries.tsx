import { useInfiniteQuery } from "@tanstack/react-query";
import { Send } from "lucide-react";
import { answerOf, type Schemas } from "../../../../sdk/client.ts";
import { api } from "../../api/client.ts";
import { pages } from "../../api/pages.ts";
import { List, Row } from "../../app/list.tsx";
import { useChange } from "../../app/mutation.ts";
import { useRights } from "../../app/session.ts";
import { Time } from "../../app/time.tsx";
import { useFormats, useMessages } from "../../i18n/locale.tsx";
import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { Section } from "../../ui/card.tsx";
import { webhooksMessages } from "./webhooks.messages.ts";

type Delivery = Schemas["WebhookDelivery"];
const tones = { PENDING: "info", DELIVERED: "good", FAILED: "bad" } as const;

export function Deliveries({ webhookId }: { readonly webhookId: string }) {
  const t = useMessages(webhooksMessages);
  const query = useInfiniteQuery(
    pages({
      key: ["webhooks", webhookId, "deliveries"],
      read: (page, signal) => {
        const params = { path: { id: webhookId }, query: { limit: 25, ...page } };
        return answerOf(api.GET("/webhooks/{id}/deliveries", { params, signal }));
      },
      againMs: (deliveries) => (deliveries.some(({ status }) => status === "PENDING") ? 3000 : 15_000),
    }),
  );
  return (
    <Section title={t.deliveries}>
      <List
        query={query}
        label={t.deliveries}
        empty={{ icon: <Send />, title: t.noDeliveriesTitle, text: t.noDeliveries }}
        row={(delivery) => <DeliveryRow key={delivery.id} delivery={delivery} />}
      />
    </Section>
  );
}

function DeliveryRow({ delivery }: { readonly delivery: Delivery }) {
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
    <Row
      title={<span className="code">{event}</span>}
      text={
        <>
          <Time at={createdAt} />
          {error !== null && ` · ${error}`}
          {nextAttemptAt !== null && (
            <>
              {" · "}
              {t.nextAttempt}: <Time at={nextAttemptAt} />
            </>
          )}
        </>
      }
      below={
        attempts.length > 0 && (
          <details className="text-[.9333rem]">
            <summary className="text-soft">{t.attempts(number(attempts.length))}</summary>
            <ol className="mt-2 grid gap-2 border-s-2 border-line ps-3">
              {attempts.map((attempt) => (
                <Attempt key={attempt.number} attempt={attempt} />
              ))}
            </ol>
          </details>
        )
      }
    >
      <Button
        size="small"
        refused={refused("webhooks.retryDelivery")}
        busy={retry.isPending}
        onClick={() => retry.mutate()}
      >
        {t.retry}
      </Button>
      <Badge tone={tones[status]} label={t.status[status]} active={status === "PENDING"} />
    </Row>
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
