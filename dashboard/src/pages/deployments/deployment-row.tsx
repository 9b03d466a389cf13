import type { Schemas } from "../../../../sdk/client.ts";
import { Row } from "../../app/list.tsx";
import { Time } from "../../app/time.tsx";
import { useMessages } from "../../i18n/locale.tsx";
import { paths } from "../../paths.ts";
import { Badge } from "../../ui/badge.tsx";
import { DeploymentBadge } from "../services/status.tsx";
import { deploymentsMessages } from "./deployments.messages.ts";
import { RollbackButton } from "./rollback-button.tsx";

export function DeploymentRow({
  deployment,
  service,
}: {
  readonly deployment: Schemas["Deployment"];
  readonly service: Schemas["ServiceDetails"];
}) {
  const t = useMessages(deploymentsMessages);
  const { id, status, commitSha, commitMessage, createdAt, errorMessage } = deployment;
  const isCurrent = id === service.currentDeploymentId;
  return (
    <Row
      to={paths.deployment(id)}
      title={<span className="line-clamp-2">{commitMessage?.split("\n")[0] ?? t.noCommit}</span>}
      text={
        <span className="line-clamp-2">
          {commitSha !== null && <span className="code">{commitSha.slice(0, 7)}</span>}
          {commitSha !== null && " · "}
          <Time at={createdAt} />
          {errorMessage !== null && status === "FAILED" && ` · ${errorMessage}`}
        </span>
      }
    >
      {status === "LIVE" && !isCurrent && <RollbackButton deploymentId={id} serviceId={service.id} />}
      {isCurrent ? <Badge tone="good" label={t.serving} /> : <DeploymentBadge status={status} />}
    </Row>
  );
}
