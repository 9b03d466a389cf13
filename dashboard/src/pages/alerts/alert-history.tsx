import { useQuery } from "@tanstack/react-query";
import { answerOf, type Schemas } from "../../../../sdk/client.ts";
import { api } from "../../api/client.ts";
import { commonMessages } from "../../app/common.messages.ts";
import { Loaded } from "../../app/loaded.tsx";
import { Time } from "../../app/time.tsx";
import { useFormats, useMessages } from "../../i18n/locale.tsx";
import { Rows } from "../../ui/card.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { AlertBadge } from "./alert-state.tsx";
import { alertsMessages } from "./alerts.messages.ts";

export function AlertHistory({
  rule: { id, name },
  onClose,
}: {
  readonly rule: Schemas["AlertRule"];
  readonly onClose: () => void;
}) {
  const t = useMessages(alertsMessages);
  const common = useMessages(commonMessages);
  const { figure } = useFormats();
  const query = useQuery({
    queryKey: ["alerts", id, "events"],
    queryFn: async ({ signal }) =>
      (await answerOf(api.GET("/alerts/{id}/events", { params: { path: { id } }, signal }))).data,
  });
  return (
    <Dialog open onClose={onClose} title={`${t.history}: ${name}`} closeLabel={common.close}>
      <Loaded query={query}>
        {(events) =>
          events.length === 0 ? (
            <p className="text-soft">{t.noHistory}</p>
          ) : (
            <Rows label={t.history}>
              {events.map(({ id: eventId, state, value, createdAt }) => (
                <li key={eventId} className="flex flex-wrap items-center gap-x-4 gap-y-1 px-4 py-2.5">
                  <AlertBadge state={state} />
                  <span className="grow text-soft">{value !== null && figure(value)}</span>
                  <Time at={createdAt} />
                </li>
              ))}
            </Rows>
          )
        }
      </Loaded>
    </Dialog>
  );
}
