import { useInfiniteQuery } from "@tanstack/react-query";
import { Rocket } from "lucide-react";
import { deploymentsQuery } from "../../api/deployments.ts";
import { commonMessages } from "../../app/common.messages.ts";
import { More } from "../../app/more.tsx";
import { PageProblem } from "../../app/problem.tsx";
import { useMessages } from "../../i18n/locale.tsx";
import { EmptyState, Skeleton } from "../../ui/empty-state.tsx";
import { servicesMessages } from "../services/services.messages.ts";
import { useService } from "../services/use-service.ts";
import { DeploymentRows } from "./deployment-rows.tsx";
import { deploymentsMessages } from "./deployments.messages.ts";

export function Page() {
  const t = useMessages(deploymentsMessages);
  const services = useMessages(servicesMessages);
  const common = useMessages(commonMessages);
  const service = useService();
  const query = useInfiniteQuery(deploymentsQuery(service.id));
  const deployments = query.data?.pages.flatMap((page) => page.data);
  if (deployments === undefined)
    return query.error === null ? (
      <Skeleton label={common.loading} />
    ) : (
      <PageProblem error={query.error} onRetry={() => void query.refetch()} />
    );
  if (deployments.length === 0)
    return (
      <EmptyState icon={<Rocket />} title={t.emptyTitle}>
        {t.empty}
      </EmptyState>
    );
  return (
    <>
      <DeploymentRows deployments={deployments} service={service} label={services.tabs.deployments} />
      <More query={query} />
    </>
  );
}
