import { useInfiniteQuery } from "@tanstack/react-query";
import { Link, useParams } from "@tanstack/react-router";
import { MoreHorizontal, Send, Trash2 } from "lucide-react";
import { useState } from "react";
import { answerOf, type Schemas } from "../../../../sdk/client.ts";
import { channelsQuery } from "../../api/channels.ts";
import { api } from "../../api/client.ts";
import { commonMessages } from "../../app/common.messages.ts";
import { Confirm } from "../../app/confirm.tsx";
import { useRemoval } from "../../app/detail.tsx";
import { Needs } from "../../app/guard.tsx";
import { useChange } from "../../app/mutation.ts";
import { Page as Frame } from "../../app/page.tsx";
import { NotHere, PageProblem } from "../../app/problem.tsx";
import { useRights } from "../../app/session.ts";
import { Unsaved } from "../../app/unsaved.tsx";
import { useMessages } from "../../i18n/locale.tsx";
import { paths } from "../../paths.ts";
import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { CheckList } from "../../ui/check-list.tsx";
import { Skeleton } from "../../ui/empty-state.tsx";
import { Menu } from "../../ui/menu.tsx";
import { SwitchField } from "../../ui/switch.tsx";
import { type ChannelEvent, channelEvents } from "./channel-events.ts";
import { channelsMessages } from "./channels.messages.ts";
import { Deliveries } from "./deliveries.tsx";

type Channel = Schemas["NotificationChannel"];

export function Page() {
  const t = useMessages(channelsMessages);
  const common = useMessages(commonMessages);
  const { id = "" } = useParams({ strict: false });
  const { data, error, refetch } = useInfiniteQuery(channelsQuery());
  const channel = data?.find((one) => one.id === id);
  const [testedAt, setTestedAt] = useState<string | null>(null);
  const above = (
    <Link to={paths.channels} className="hover:underline">
      {t.title}
    </Link>
  );
  if (channel === undefined)
    return (
      <Frame title={t.title} above={above}>
        <Needs operation="channels.list">
          {data !== undefined ? (
            <NotHere title={common.notFoundTitle} />
          ) : error === null ? (
            <Skeleton label={common.loading} />
          ) : (
            <PageProblem error={error} onRetry={() => void refetch()} />
          )}
        </Needs>
      </Frame>
    );
  return (
    <Frame
      title={channel.target}
      above={above}
      badge={<Badge tone={channel.enabled ? "good" : "quiet"} label={channel.enabled ? t.on : t.off} />}
      hint={`${t.types[channel.type]}${channel.hasSecret ? ` · ${t.signed}` : ""}`}
      actions={<Actions channel={channel} onTested={setTestedAt} />}
    >
      <Settings key={channel.id} channel={channel} />
      <Deliveries channelId={id} testedAt={testedAt} />
    </Frame>
  );
}

function Settings({ channel }: { readonly channel: Channel }) {
  const { id, enabled } = channel;
  const t = useMessages(channelsMessages);
  const common = useMessages(commonMessages);
  const { refused } = useRights();
  const [events, setEvents] = useState<readonly ChannelEvent[]>(channel.events);
  const update = useChange({
    run: (body: { enabled?: boolean; events?: ChannelEvent[] }) =>
      answerOf(api.PATCH("/channels/{id}", { params: { path: { id } }, body })),
    touches: ["channels"],
    done: common.saved,
  });
  const isChanged = [...events].sort().join() !== [...channel.events].sort().join();
  return (
    <Card className="grid gap-5 p-4 sm:p-5">
      <Unsaved when={isChanged} />
      <SwitchField
        label={t.enabled}
        hint={t.enabledHint}
        checked={enabled}
        busy={update.isPending}
        refused={refused("channels.update")}
        onChange={(next) => update.mutate({ enabled: next })}
      />
      <CheckList
        label={t.events}
        hint={t.eventsHint}
        choices={channelEvents.map((value) => ({ value, label: t.event[value] }))}
        chosen={events}
        disabled={refused("channels.update") !== null}
        onChange={setEvents}
      />
      {isChanged && (
        <Button
          variant="primary"
          className="justify-self-start"
          busy={update.isPending}
          onClick={() => update.mutate({ events: [...events] })}
        >
          {common.save}
        </Button>
      )}
    </Card>
  );
}

function Actions({
  channel: { id, target },
  onTested,
}: {
  readonly channel: Channel;
  readonly onTested: (at: string) => void;
}) {
  const t = useMessages(channelsMessages);
  const common = useMessages(commonMessages);
  const { refused } = useRights();
  const [isAsked, setIsAsked] = useState(false);
  const test = useChange({
    run: async () => {
      // By the newest delivery that there was, and not by the clock of this machine, is the test's told from others.
      const { data } = await answerOf(
        api.GET("/channels/{id}/deliveries", { params: { path: { id }, query: { limit: 1 } } }),
      );
      await answerOf(api.POST("/channels/{id}/test", { params: { path: { id } } }));
      return data[0]?.createdAt ?? "";
    },
    touches: ["channel-deliveries"],
    after: onTested,
  });
  const remove = useRemoval({
    run: () => answerOf(api.DELETE("/channels/{id}", { params: { path: { id } } })),
    done: t.deleted,
    list: paths.channels,
    touches: "channels",
  });
  return (
    <>
      <Button
        variant="primary"
        icon={<Send className="size-4" aria-hidden />}
        refused={refused("channels.test")}
        busy={test.isPending}
        onClick={() => test.mutate()}
      >
        {t.test}
      </Button>
      <Menu
        label={common.actions}
        trigger={<Button size="icon" icon={<MoreHorizontal className="size-4.5" aria-hidden />} />}
        groups={[
          [
            {
              label: common.delete,
              icon: <Trash2 />,
              tone: "bad",
              refused: refused("channels.delete"),
              onSelect: () => setIsAsked(true),
            },
          ],
        ]}
      />
      {isAsked && (
        <Confirm
          title={t.deleteTitle(target)}
          action={common.delete}
          busy={remove.isPending}
          error={remove.error}
          onConfirm={() => remove.mutate()}
          onClose={() => setIsAsked(false)}
        >
          {t.deleteText}
        </Confirm>
      )}
    </>
  );
}
