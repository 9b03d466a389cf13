import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { History } from "lucide-react";
import type { Schemas } from "../../../../sdk/client.ts";
import { cronRunsQuery } from "../../api/cron.ts";
import { commonMessages } from "../../app/common.messages.ts";
import { PageProblem } from "../../app/problem.tsx";
import { Time } from "../../app/time.tsx";
import { useFormats, useMessages } from "../../i18n/locale.tsx";
import { paths } from "../../paths.ts";
import { Rows, Section } from "../../ui/card.tsx";
import { EmptyState, Skeleton } from "../../ui/empty-state.tsx";
import { cronMessages } from "./cron.messages.ts";
import { RunBadge } from "./run-badge.tsx";

export function Runs({ jobId }: { readonly jobId: string }) {
  const t = useMessages(cronMessages);
  const common = useMessages(commonMessages);
  const { data, error, refetch } = useQuery(cronRunsQuery(jobId));
  return (
    <Section title={t.runs} hint={t.runsHint}>
      {data === undefined ? (
        error === null ? (
          <Skeleton label={common.loading} />
        ) : (
          <PageProblem error={error} onRetry={() => void refetch()} />
        )
      ) : data.length === 0 ? (
        <EmptyState icon={<History />} title={t.noRunsTitle}>
          {t.noRuns}
        </EmptyState>
      ) : (
        <Rows label={t.runs}>
          {data.map((run) => (
            <Run key={run.id} run={run} jobId={jobId} />
          ))}
        </Rows>
      )}
    </Section>
  );
}

function Run({ run, jobId }: { readonly run: Schemas["CronRun"]; readonly jobId: string }) {
  const t = useMessages(cronMessages);
  const { duration } = useFormats();
  const { id, status, trigger, scheduledFor, startedAt, finishedAt, error } = run;
  const took = startedAt !== null && finishedAt !== null ? Date.parse(finishedAt) - Date.parse(startedAt) : null;
  return (
    <li className="relative flex flex-wrap items-center gap-x-4 gap-y-2 px-4 py-3 hover:bg-hover first:rounded-t-lg last:rounded-b-lg">
      <div className="min-w-48 grow basis-0">
        {startedAt === null ? (
          <span className="font-medium">
            <Time at={scheduledFor} />
          </span>
        ) : (
          <Link to={paths.cronRun(jobId, id)} className="font-medium after:absolute after:inset-0">
            <Time at={startedAt} />
          </Link>
        )}
        <p className="text-[.9333rem] text-soft wrap-anywhere">
          {trigger === "MANUAL" ? t.manual : t.scheduled}
          {took !== null && ` · ${duration(took / 1000)}`}
          {error !== null && ` · ${error}`}
        </p>
      </div>
      <RunBadge status={status} />
    </li>
  );
}
