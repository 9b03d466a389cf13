import { useNavigate } from "@tanstack/react-router";
import { Megaphone } from "lucide-react";
import { channelsQuery } from "../../api/channels.ts";
import { ListPage, Row } from "../../app/list.tsx";
import { useMessages } from "../../i18n/locale.tsx";
import { paths } from "../../paths.ts";
import { Badge } from "../../ui/badge.tsx";
import { ChannelDialog } from "./channel-dialog.tsx";
import { channelsMessages } from "./channels.messages.ts";

export function Page() {
  const t = useMessages(channelsMessages);
  const navigate = useNavigate();
  return (
    <ListPage
      title={t.title}
      hint={t.hint}
      reads="channels.list"
      query={channelsQuery()}
      empty={{ icon: <Megaphone />, title: t.emptyTitle, text: t.empty }}
      create={{
        label: t.create,
        operation: "channels.create",
        dialog: (close) => (
          <ChannelDialog onClose={close} onCreated={(id) => void navigate({ to: paths.channel(id) })} />
        ),
      }}
      row={({ id, type, target, events, enabled, hasSecret }) => (
        <Row
          key={id}
          to={paths.channel(id)}
          title={<bdi>{target}</bdi>}
          text={
            <>
              {t.types[type]}
              {hasSecret && ` · ${t.signed}`} ·{" "}
              {events.length === 0 ? t.alertsOnly : events.map((event) => t.event[event]).join(", ")}
            </>
          }
        >
          <Badge tone={enabled ? "good" : "quiet"} label={enabled ? t.on : t.off} />
        </Row>
      )}
    />
  );
}
