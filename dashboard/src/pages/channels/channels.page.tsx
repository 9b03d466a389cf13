import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate } from "@tanstack/react-router";
import { Megaphone, Plus } from "lucide-react";
import { useState } from "react";
import { channelsQuery } from "../../api/channels.ts";
import { commonMessages } from "../../app/common.messages.ts";
import { Needs } from "../../app/guard.tsx";
import { Page as Frame } from "../../app/page.tsx";
import { PageProblem } from "../../app/problem.tsx";
import { useRights } from "../../app/session.ts";
import { useMessages } from "../../i18n/locale.tsx";
import { paths } from "../../paths.ts";
import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { Rows } from "../../ui/card.tsx";
import { EmptyState, Skeleton } from "../../ui/empty-state.tsx";
import { ChannelDialog } from "./channel-dialog.tsx";
import { channelsMessages } from "./channels.messages.ts";

export function Page() {
  const t = useMessages(channelsMessages);
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
          refused={refused("channels.create")}
          onClick={() => setCreating(true)}
        >
          {t.create}
        </Button>
      }
    >
      <Needs operation="channels.list">
        <Channels />
      </Needs>
      {creating && (
        <ChannelDialog
          onClose={() => setCreating(false)}
          onCreated={(id) => void navigate({ to: paths.channel(id) })}
        />
      )}
    </Frame>
  );
}

function Channels() {
  const t = useMessages(channelsMessages);
  const common = useMessages(commonMessages);
  const { data, error, refetch } = useQuery(channelsQuery());
  if (data === undefined)
    return error === null ? (
      <Skeleton label={common.loading} />
    ) : (
      <PageProblem error={error} onRetry={() => void refetch()} />
    );
  if (data.length === 0)
    return (
      <EmptyState icon={<Megaphone />} title={t.emptyTitle}>
        {t.empty}
      </EmptyState>
    );
  return (
    <Rows label={t.title}>
      {data.map(({ id, type, target, events, enabled, hasSecret }) => (
        <li
          key={id}
          className="relative flex flex-wrap items-center gap-x-4 gap-y-2 px-4 py-3 hover:bg-hover first:rounded-t-lg last:rounded-b-lg"
        >
          <div className="min-w-48 grow basis-0">
            <Link to={paths.channel(id)} className="font-medium wrap-anywhere after:absolute after:inset-0">
              <bdi>{target}</bdi>
            </Link>
            <p className="text-[.9333rem] text-soft">
              {t.types[type]}
              {hasSecret && ` · ${t.signed}`} ·{" "}
              {events.length === 0 ? t.alertsOnly : events.map((event) => t.event[event]).join(", ")}
            </p>
          </div>
          <Badge tone={enabled ? "good" : "quiet"} label={enabled ? t.on : t.off} />
        </li>
      ))}
    </Rows>
  );
}
