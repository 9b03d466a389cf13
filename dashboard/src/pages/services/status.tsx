import type { DeploymentStatus } from "../../api/deployments.ts";
import type { ServiceStatus } from "../../api/services.ts";
import { useMessages } from "../../i18n/locale.tsx";
import { Badge } from "../../ui/badge.tsx";
import type { Tone } from "../../ui/notice.tsx";
import { statusMessages } from "./status.messages.ts";

const serviceTones: Readonly<Record<ServiceStatus, Tone>> = {
  PENDING: "quiet",
  DEPLOYING: "info",
  RUNNING: "good",
  DEGRADED: "warn",
  CRASHED: "bad",
  STOPPED: "quiet",
  SUSPENDED: "warn",
};
const deploymentTones: Readonly<Record<DeploymentStatus, Tone>> = {
  AWAITING_CHECKS: "quiet",
  QUEUED: "quiet",
  BUILDING: "info",
  PUSHING: "info",
  DEPLOYING: "info",
  LIVE: "good",
  FAILED: "bad",
  CANCELLED: "quiet",
  SKIPPED: "quiet",
};

export function ServiceBadge({ status }: { readonly status: ServiceStatus }) {
  const t = useMessages(statusMessages);
  return <Badge tone={serviceTones[status]} label={t.service[status]} active={status === "DEPLOYING"} />;
}

export function DeploymentBadge({ status }: { readonly status: DeploymentStatus }) {
  const t = useMessages(statusMessages);
  return (
    <Badge tone={deploymentTones[status]} label={t.deployment[status]} active={deploymentTones[status] === "info"} />
  );
}
