import { useQuery } from "@tanstack/react-query";
import { Link, useParams } from "@tanstack/react-router";
import { MoreHorizontal, Pause, Pencil, Play, Trash2 } from "lucide-react";
import { useState } from "react";
import { answerOf, type Schemas } from "../../../../sdk/client.ts";
import { api } from "../../api/client.ts";
import { cronJobQuery } from "../../api/cron.ts";
import { serviceQuery } from "../../api/services.ts";
import { commonMessages } from "../../app/common.messages.ts";
import { Confirm } from "../../app/confirm.tsx";
import { Detail, useRemoval } from "../../app/detail.tsx";
import { useChange } from "../../app/mutation.ts";
import { Page as Frame } from "../../app/page.tsx";
import { useRights } from "../../app/session.ts";
import { useFormats, useMessages } from "../../i18n/locale.tsx";
import { paths } from "../../paths.ts";
import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { Card, Fact, Facts } from "../../ui/card.tsx";
import { Menu } from "../../ui/menu.tsx";
import { cronMessages } from "./cron.messages.ts";
import { DueTimes } from "./due-times.tsx";
import { JobDialog } from "./job-dialog.tsx";
import { Runs } from "./runs.tsx";

export function Page() {
  const t = useMessages(cronMessages);
  const { id = "" } = useParams({ strict: false });
  return (
    <Detail of={{ title: t.title, path: paths.cron }} query={useQuery(cronJobQuery(id))}>
      {(job, above) => (
        <Frame
          title={job.name}
          above={above}
          badge={!job.enabled && <Badge tone="quiet" label={t.paused} />}
          actions={<Actions job={job} />}
        >
          <About job={job} />
          {job.enabled && <DueTimes schedule={job.schedule} timezone={job.timezone} />}
          <Runs jobId={id} />
        </Frame>
      )}
    </Detail>
  );
}

function About({ job }: { readonly job: Schemas["CronJobDetails"] }) {
  const t = useMessages(cronMessages);
  const { duration } = useFormats();
  const { serviceId } = job;
  const service = useQuery({ ...serviceQuery(serviceId ?? ""), enabled: serviceId !== null, refetchInterval: false });
  return (
    <Card className="p-4 sm:p-5">
      <Facts>
        <Fact name={t.command}>
          <span className="code whitespace-pre-wrap">{job.command}</span>
        </Fact>
        <Fact name={t.schedule}>
          <span className="code">{job.schedule}</span> · {job.timezone}
        </Fact>
        <Fact name={t.service}>
          {serviceId === null ? (
            t.bare
          ) : (
            <Link to={paths.service(serviceId)} className="underline underline-offset-4">
              {service.data?.name ?? "…"}
            </Link>
          )}
        </Fact>
        <Fact name={t.timeout}>{duration(job.timeoutSeconds)}</Fact>
      </Facts>
    </Card>
  );
}

function Actions({ job }: { readonly job: Schemas["CronJobDetails"] }) {
  const { id, name, enabled } = job;
  const t = useMessages(cronMessages);
  const common = useMessages(commonMessages);
  const { refused } = useRights();
  const [open, setOpen] = useState<"edit" | "delete" | null>(null);
  const run = useChange({
    run: () => answerOf(api.POST("/cron/{id}/run", { params: { path: { id } } })),
    touches: ["cron"],
    done: t.runDone,
  });
  const enable = useChange({
    run: (next: boolean) => answerOf(api.PATCH("/cron/{id}", { params: { path: { id } }, body: { enabled: next } })),
    touches: ["cron"],
    done: enabled ? t.pausedDone : t.resumedDone,
  });
  const remove = useRemoval({
    run: () => answerOf(api.DELETE("/cron/{id}", { params: { path: { id } } })),
    done: t.deleted,
    list: paths.cron,
    touches: "cron",
  });
  return (
    <>
      <Button
        variant="primary"
        icon={<Play className="size-4" aria-hidden />}
        refused={refused("cron.run")}
        busy={run.isPending}
        onClick={() => run.mutate()}
      >
        {t.run}
      </Button>
      <Menu
        label={common.actions}
        trigger={<Button size="icon" icon={<MoreHorizontal className="size-4.5" aria-hidden />} />}
        groups={[
          [
            { label: t.edit, icon: <Pencil />, refused: refused("cron.update"), onSelect: () => setOpen("edit") },
            {
              label: enabled ? t.pause : t.resume,
              icon: enabled ? <Pause /> : <Play />,
              refused: refused("cron.update"),
              onSelect: () => enable.mutate(!enabled),
            },
          ],
          [
            {
              label: common.delete,
              icon: <Trash2 />,
              tone: "bad",
              refused: refused("cron.delete"),
              onSelect: () => setOpen("delete"),
            },
          ],
        ]}
      />
      {open === "edit" && <JobDialog job={job} onClose={() => setOpen(null)} />}
      {open === "delete" && (
        <Confirm
          title={t.deleteTitle(name)}
          typed={name}
          action={common.delete}
          busy={remove.isPending}
          error={remove.error}
          onConfirm={() => remove.mutate()}
          onClose={() => setOpen(null)}
        >
          {t.deleteText}
        </Confirm>
      )}
    </>
  );
}
