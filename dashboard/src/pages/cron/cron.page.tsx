import { useNavigate } from "@tanstack/react-router";
import { CalendarClock } from "lucide-react";
import { cronJobsQuery } from "../../api/cron.ts";
import { ListPage, Row } from "../../app/list.tsx";
import { Time } from "../../app/time.tsx";
import { useMessages } from "../../i18n/locale.tsx";
import { paths } from "../../paths.ts";
import { Badge } from "../../ui/badge.tsx";
import { cronMessages } from "./cron.messages.ts";
import { JobDialog } from "./job-dialog.tsx";
import { RunBadge } from "./run-badge.tsx";

export function Page() {
  const t = useMessages(cronMessages);
  const navigate = useNavigate();
  return (
    <ListPage
      title={t.title}
      hint={t.hint}
      reads="cron.list"
      query={cronJobsQuery()}
      empty={{ icon: <CalendarClock />, title: t.emptyTitle, text: t.empty }}
      create={{
        label: t.create,
        operation: "cron.create",
        dialog: (close) => <JobDialog onClose={close} onCreated={(id) => void navigate({ to: paths.cronJob(id) })} />,
      }}
      row={({ id, name, schedule, timezone, enabled, nextRunAt, lastStatus }) => (
        <Row
          key={id}
          to={paths.cronJob(id)}
          title={name}
          text={
            <>
              <span className="code">{schedule}</span> · {timezone}
            </>
          }
        >
          {nextRunAt !== null && (
            <span className="text-[.9333rem] text-soft">
              {t.next}: <Time at={nextRunAt} />
            </span>
          )}
          {!enabled && <Badge tone="quiet" label={t.paused} />}
          {lastStatus !== null && <RunBadge status={lastStatus} />}
        </Row>
      )}
    />
  );
}
