import { useInfiniteQuery } from "@tanstack/react-query";
import { Link, useNavigate } from "@tanstack/react-router";
import { CalendarClock, Plus } from "lucide-react";
import { useState } from "react";
import { cronJobsQuery } from "../../api/cron.ts";
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
import { cronMessages } from "./cron.messages.ts";
import { JobDialog } from "./job-dialog.tsx";
import { RunBadge } from "./run-badge.tsx";

export function Page() {
  const t = useMessages(cronMessages);
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
          refused={refused("cron.create")}
          onClick={() => setCreating(true)}
        >
          {t.create}
        </Button>
      }
    >
      <Needs operation="cron.list">
        <Jobs />
      </Needs>
      {creating && (
        <JobDialog onClose={() => setCreating(false)} onCreated={(id) => void navigate({ to: paths.cronJob(id) })} />
      )}
    </Frame>
  );
}

function Jobs() {
  const t = useMessages(cronMessages);
  const common = useMessages(commonMessages);
  const query = useInfiniteQuery(cronJobsQuery());
  const jobs = query.data?.pages.flatMap((page) => page.data);
  if (jobs === undefined)
    return query.error === null ? (
      <Skeleton label={common.loading} />
    ) : (
      <PageProblem error={query.error} onRetry={() => void query.refetch()} />
    );
  if (jobs.length === 0)
    return (
      <EmptyState icon={<CalendarClock />} title={t.emptyTitle}>
        {t.empty}
      </EmptyState>
    );
  return (
    <>
      <Rows label={t.title}>
        {jobs.map(({ id, name, schedule, timezone, enabled, nextRunAt, lastStatus }) => (
          <li
            key={id}
            className="relative flex flex-wrap items-center gap-x-4 gap-y-2 px-4 py-3 hover:bg-hover first:rounded-t-lg last:rounded-b-lg"
          >
            <div className="min-w-48 grow basis-0">
              <Link to={paths.cronJob(id)} className="font-medium wrap-anywhere after:absolute after:inset-0">
                {name}
              </Link>
              <p className="text-[.9333rem] text-soft">
                <span className="code">{schedule}</span> · {timezone}
              </p>
            </div>
            {nextRunAt !== null && (
              <p className="text-[.9333rem] text-soft">
                {t.next}: <Time at={nextRunAt} />
              </p>
            )}
            <div className="flex gap-2">
              {!enabled && <Badge tone="quiet" label={t.paused} />}
              {lastStatus !== null && <RunBadge status={lastStatus} />}
            </div>
          </li>
        ))}
      </Rows>
      <More query={query} />
    </>
  );
}
