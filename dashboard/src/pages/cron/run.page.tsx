import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { Link, useParams } from "@tanstack/react-router";
import { queries } from "../../api/client.ts";
import { cronJobQuery, cronRunsQuery } from "../../api/cron.ts";
import { Page as Frame } from "../../app/page.tsx";
import { PageProblem } from "../../app/problem.tsx";
import { useFormats, useMessages } from "../../i18n/locale.tsx";
import { paths } from "../../paths.ts";
import { Log } from "../logs/log.tsx";
import { useLogStream } from "../logs/use-log-stream.ts";
import { cronMessages } from "./cron.messages.ts";
import { RunBadge } from "./run-badge.tsx";

export function Page() {
  const t = useMessages(cronMessages);
  const { dateTime } = useFormats();
  const { id = "", runId = "" } = useParams({ strict: false });
  const job = useQuery(cronJobQuery(id));
  const runs = useInfiniteQuery(cronRunsQuery(id));
  const source = { kind: "run", id: runId } as const;
  const stream = useLogStream(source, () => void queries.invalidateQueries({ queryKey: ["cron", id] }));
  const run = runs.data?.find((one) => one.id === runId);
  const said = run === undefined ? [] : [dateTime(run.startedAt ?? run.scheduledFor), run.error];
  if (run !== undefined && run.exitCode !== null) said.push(t.exitCode(String(run.exitCode)));
  return (
    <Frame
      title={t.log}
      above={
        <>
          <Link to={paths.cron} className="hover:underline">
            {t.title}
          </Link>
          <span aria-hidden> / </span>
          <Link to={paths.cronJob(id)} className="hover:underline">
            {job.data?.name ?? "…"}
          </Link>
        </>
      }
      badge={run !== undefined && <RunBadge status={run.status} />}
      hint={said.filter((one) => one !== null).join(" · ")}
    >
      {job.error === null ? <Log source={source} stream={stream} /> : <PageProblem error={job.error} />}
    </Frame>
  );
}
