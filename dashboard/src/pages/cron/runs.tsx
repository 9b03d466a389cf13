import { useInfiniteQuery } from "@tanstack/react-query";
import { History } from "lucide-react";
import type { Schemas } from "../../../../sdk/client.ts";
import { cronRunsQuery } from "../../api/cron.ts";
import { List, Row } from "../../app/list.tsx";
import { Time } from "../../app/time.tsx";
import { useFormats, useMessages } from "../../i18n/locale.tsx";
import { paths } from "../../paths.ts";
import { Section } from "../../ui/card.tsx";
import { cronMessages } from "./cron.messages.ts";
import { RunBadge } from "./run-badge.tsx";

export function Runs({ jobId }: { readonly jobId: string }) {
  const t = useMessages(cronMessages);
  const query = useInfiniteQuery(cronRunsQuery(jobId));
  return (
    <Section title={t.runs} hint={t.runsHint}>
      <List
        query={query}
        label={t.runs}
        empty={{ icon: <History />, title: t.noRunsTitle, text: t.noRuns }}
        row={(run) => <Run key={run.id} run={run} jobId={jobId} />}
      />
    </Section>
  );
}

function Run({ run, jobId }: { readonly run: Schemas["CronRun"]; readonly jobId: string }) {
  const t = useMessages(cronMessages);
  const { duration } = useFormats();
  const { id, status, trigger, scheduledFor, startedAt, finishedAt, error } = run;
  const took = startedAt !== null && finishedAt !== null ? Date.parse(finishedAt) - Date.parse(startedAt) : null;
  return (
    <Row
      {...(startedAt === null ? {} : { to: paths.cronRun(jobId, id) })}
      title={<Time at={startedAt ?? scheduledFor} />}
      text={
        <>
          {trigger === "MANUAL" ? t.manual : t.scheduled}
          {took !== null && ` · ${duration(took / 1000)}`}
          {error !== null && ` · ${error}`}
        </>
      }
    >
      <RunBadge status={status} />
    </Row>
  );
}
