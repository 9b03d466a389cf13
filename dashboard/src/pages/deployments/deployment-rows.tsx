import { Link } from "@tanstack/react-router";
import type { Schemas } from "../../../../sdk/client.ts";
import { Time } from "../../app/time.tsx";
import { useMessages } from "../../i18n/locale.tsx";
import { paths } from "../../paths.ts";
import { Badge } from "../../ui/badge.tsx";
import { Rows } from "../../ui/card.tsx";
import { DeploymentBadge } from "../services/status.tsx";
import { deploymentsMessages } from "./deployments.messages.ts";
import { RollbackButton } from "./rollback-button.tsx";

export function DeploymentRows({
  deployments,
  service,
  label,
}: {
  readonly deployments: readonly Schemas["Deployment"][];
  readonly service: Schemas["ServiceDetails"];
  readonly label: string;
}) {
  const t = useMessages(deploymentsMessages);
  return (
    <Rows label={label}>
      {deployments.map((deployment) => {
        const { id, status, commitSha, commitMessage, createdAt, errorMessage } = deployment;
        const isCurrent = id === service.currentDeploymentId;
        return (
          <li
            key={id}
            className="relative flex flex-wrap items-center gap-x-4 gap-y-2 px-4 py-3 hover:bg-hover first:rounded-t-lg last:rounded-b-lg"
          >
            <div className="min-w-48 grow basis-0">
              <Link to={paths.deployment(id)} className="block truncate font-medium after:absolute after:inset-0">
                {commitMessage?.split("\n")[0] ?? t.noCommit}
              </Link>
              <p className="truncate text-[.9333rem] text-soft">
                {commitSha !== null && <span className="code">{commitSha.slice(0, 7)}</span>}
                {commitSha !== null && " · "}
                <Time at={createdAt} />
                {errorMessage !== null && status === "FAILED" && ` · ${errorMessage}`}
              </p>
            </div>
            <div className="flex items-center gap-2">
              {status === "LIVE" && !isCurrent && <RollbackButton deploymentId={id} serviceId={service.id} />}
              {isCurrent ? <Badge tone="good" label={t.serving} /> : <DeploymentBadge status={status} />}
            </div>
          </li>
        );
      })}
    </Rows>
  );
}
