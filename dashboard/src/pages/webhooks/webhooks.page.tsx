import { useInfiniteQuery } from "@tanstack/react-query";
import { Link, useNavigate } from "@tanstack/react-router";
import { Plus, Webhook } from "lucide-react";
import { useState } from "react";
import { answerOf } from "../../../../sdk/client.ts";
import { api } from "../../api/client.ts";
import { commonMessages } from "../../app/common.messages.ts";
import { Needs } from "../../app/guard.tsx";
import { More } from "../../app/more.tsx";
import { Page as Frame } from "../../app/page.tsx";
import { PageProblem } from "../../app/problem.tsx";
import { useRights } from "../../app/session.ts";
import { Time } from "../../app/time.tsx";
import { useMessages } from "../../i18n/locale.tsx";
import { paths } from "../../paths.ts";
import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { Rows } from "../../ui/card.tsx";
import { EmptyState, Skeleton } from "../../ui/empty-state.tsx";
import { WebhookDialog } from "./webhook-dialog.tsx";
import { webhooksMessages } from "./webhooks.messages.ts";

export function Page() {
  const t = useMessages(webhooksMessages);
  const navigate = useNavigate();
  const { refused } = useRights();
  const [creating, setCreating] = useState(false);
  return (
    <Frame
      title={t.title}
      hint={t.hint}
      actions={
        <Button
          variant="primary"
          icon={<Plus className="size-4" aria-hidden />}
          refused={refused("webhooks.create")}
          onClick={() => setCreating(true)}
        >
          {t.create}
        </Button>
      }
    >
      <Needs operation="webhooks.list">
        <Webhooks />
      </Needs>
      {creating && (
        <WebhookDialog
          onClose={() => setCreating(false)}
          onCreated={(id) => void navigate({ to: paths.webhook(id) })}
        />
      )}
    </Frame>
  );
}

function Webhooks() {
  const t = useMessages(webhooksMessages);
  const common = useMessages(commonMessages);
  const query = useInfiniteQuery({
    queryKey: ["webhooks"],
    initialPageParam: null as string | null,
    queryFn: ({ signal, pageParam }) =>
      answerOf(
        api.GET("/webhooks", {
          params: { query: { limit: 50, ...(pageParam === null ? {} : { cursor: pageParam }) } },
          signal,
        }),
      ),
    getNextPageParam: ({ pagination }) => pagination.nextCursor,
    refetchInterval: 15_000,
  });
  const webhooks = query.data?.pages.flatMap((page) => page.data);
  if (webhooks === undefined)
    return query.error === null ? (
      <Skeleton label={common.loading} />
    ) : (
      <PageProblem error={query.error} onRetry={() => void query.refetch()} />
    );
  if (webhooks.length === 0)
    return (
      <EmptyState icon={<Webhook />} title={t.emptyTitle}>
        {t.empty}
      </EmptyState>
    );
  return (
    <>
      <Rows label={t.title}>
        {webhooks.map(({ id, url, events, enabled, lastStatus, lastDeliveryAt }) => (
          <li
            key={id}
            className="relative flex flex-wrap items-center gap-x-4 gap-y-2 px-4 py-3 hover:bg-hover first:rounded-t-lg last:rounded-b-lg"
          >
            <div className="min-w-48 grow basis-0">
              <Link to={paths.webhook(id)} className="font-medium wrap-anywhere after:absolute after:inset-0">
                <bdi>{url}</bdi>
              </Link>
              <p className="text-[.9333rem] text-soft">
                {events.length === 0 ? t.allEvents : events.map((event) => t.event[event]).join(", ")}
              </p>
            </div>
            <p className="text-[.9333rem] text-soft">
              {lastDeliveryAt === null ? (
                t.never
              ) : (
                <>
                  {lastStatus === null ? t.noAnswer : t.answered(String(lastStatus))} · <Time at={lastDeliveryAt} />
                </>
              )}
            </p>
            <Badge tone={enabled ? "good" : "quiet"} label={enabled ? t.on : t.off} />
          </li>
        ))}
      </Rows>
      <More query={query} />
    </>
  );
}
