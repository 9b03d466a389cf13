/** One deployment: where it stands, what was found in the source, its log as it is written, and what to do next. */
import { useQuery } from "@tanstack/react-query";
import { Link, useParams } from "@tanstack/react-router";
import { ExternalLink } from "lucide-react";
import { answerOf, type Schemas } from "../../../../sdk/client.ts";
import { api, queries } from "../../api/client.ts";
import { deploymentQuery, isUnderWay } from "../../api/deployments.ts";
import { serviceQuery } from "../../api/services.ts";
import { Loaded } from "../../app/loaded.tsx";
import { useChange } from "../../app/mutation.ts";
import { Page as Frame } from "../../app/page.tsx";
import { useRights } from "../../app/session.ts";
import { Time } from "../../app/time.tsx";
import { useFormats, useMessages } from "../../i18n/locale.tsx";
import { paths } from "../../paths.ts";
import { Badge } from "../../ui/badge.tsx";
import { Button, buttonClass } from "../../ui/button.tsx";
import { Card, Fact, Facts, Section } from "../../ui/card.tsx";
import { Notice } from "../../ui/notice.tsx";
import { Log } from "../logs/log.tsx";
import { useLogStream } from "../logs/use-log-stream.ts";
import { useDeploy } from "../services/service-actions.tsx";
import { DeploymentBadge } from "../services/status.tsx";
import { BuildPlan } from "./build-plan.tsx";
import { deploymentsMessages } from "./deployments.messages.ts";
import { Progress } from "./progress.tsx";
import { RollbackButton } from "./rollback-button.tsx";

export function Page() {
  const t = useMessages(deploymentsMessages);
  const { id = "" } = useParams({ strict: false });
  const query = useQuery(deploymentQuery(id));
  const deployment = query.data;
  const service = useQuery({ ...serviceQuery(deployment?.serviceId ?? ""), enabled: deployment !== undefined });
  if (deployment === undefined || service.data === undefined)
    return (
      <Frame title={t.title}>
        <Loaded query={query.data === undefined ? query : service}>{() => null}</Loaded>
      </Frame>
    );
  return <Deployment key={id} deployment={deployment} service={service.data} />;
}

interface Shown {
  readonly deployment: Schemas["DeploymentDetails"];
  readonly service: Schemas["ServiceDetails"];
}

function Deployment({ deployment, service }: Shown) {
  const t = useMessages(deploymentsMessages);
  const formats = useFormats();
  const { id, status, commitSha, commitMessage, errorMessage, diagnosis, buildPlan } = deployment;
  const source = { kind: "deployment", id } as const;
  const stream = useLogStream(source, () => void queries.invalidateQueries({ predicate: concerns(id, service.id) }));
  return (
    <Frame
      title={commitMessage?.split("\n")[0] ?? t.title}
      badge={deployment.isCurrent ? <Badge tone="good" label={t.serving} /> : <DeploymentBadge status={status} />}
      above={
        <Link to={paths.service(service.id)} className="hover:underline">
          {service.name}
        </Link>
      }
      actions={<Actions deployment={deployment} service={service} />}
    >
      <Progress status={status} />
      {status === "FAILED" && (
        <Notice tone="bad" title={t.failedTitle}>
          <p>{errorMessage}</p>
          {service.currentDeploymentId !== null && <p className="mt-1">{t.failedNote}</p>}
        </Notice>
      )}
      {deployment.isCurrent && service.url !== "" && (
        <Notice tone="good" title={t.liveTitle}>
          <a href={service.url} target="_blank" rel="noreferrer" className="underline underline-offset-4">
            {service.url}
          </a>
        </Notice>
      )}
      {diagnosis !== null && (
        <Notice tone="info" title={t.diagnosis}>
          {diagnosis}
        </Notice>
      )}
      <Card className="p-4 sm:p-5">
        <Facts>
          <Fact name={t.commit}>
            {commitSha === null ? t.noCommit : <span className="code">{commitSha.slice(0, 12)}</span>}
          </Fact>
          <Fact name={t.trigger}>{t.triggers[deployment.trigger]}</Fact>
          <Fact name={t.created}>
            <Time at={deployment.createdAt} />
          </Fact>
          {deployment.finishedAt !== null && (
            <Fact name={t.finished}>
              <Time at={deployment.finishedAt} />
            </Fact>
          )}
          {deployment.buildSeconds !== null && <Fact name={t.took}>{formats.duration(deployment.buildSeconds)}</Fact>}
        </Facts>
      </Card>
      {buildPlan !== null && <BuildPlan plan={buildPlan} />}
      <Section title={t.log}>
        <Log source={source} stream={stream} />
      </Section>
    </Frame>
  );
}

function Actions({ deployment, service }: Shown) {
  const t = useMessages(deploymentsMessages);
  const { refused } = useRights();
  const deploy = useDeploy(service.id);
  const cancel = useChange({
    run: () => answerOf(api.POST("/deployments/{id}/cancel", { params: { path: { id: deployment.id } } })),
    touches: ["deployments", "services"],
    done: t.cancelling,
  });
  if (isUnderWay(deployment))
    return (
      <Button
        variant="danger"
        refused={refused("deployments.cancel")}
        busy={cancel.isPending}
        onClick={() => cancel.mutate()}
      >
        {t.cancel}
      </Button>
    );
  return (
    <>
      {deployment.status === "LIVE" && !deployment.isCurrent && (
        <RollbackButton deploymentId={deployment.id} serviceId={service.id} />
      )}
      {!deployment.isCurrent && (
        <Button refused={refused("services.deploy")} busy={deploy.isPending} onClick={() => deploy.mutate({})}>
          {t.again}
        </Button>
      )}
      {deployment.isCurrent && service.url !== "" && (
        <a href={service.url} target="_blank" rel="noreferrer" className={buttonClass("primary")}>
          {t.openAddress}
          <ExternalLink className="size-4" aria-hidden />
        </a>
      )}
    </>
  );
}

function concerns(deploymentId: string, serviceId: string) {
  return ({ queryKey }: { readonly queryKey: readonly unknown[] }) =>
    queryKey.includes(deploymentId) || queryKey.includes(serviceId);
}
