import { useInfiniteQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { Rocket } from "lucide-react";
import { deploymentsQuery, isUnderWay } from "../../api/deployments.ts";
import { commonMessages } from "../../app/common.messages.ts";
import { PageProblem } from "../../app/problem.tsx";
import { Time } from "../../app/time.tsx";
import { useFormats, useMessages } from "../../i18n/locale.tsx";
import { paths } from "../../paths.ts";
import { buttonClass } from "../../ui/button.tsx";
import { Card, Fact, Facts, Section } from "../../ui/card.tsx";
import { EmptyState, Skeleton } from "../../ui/empty-state.tsx";
import { DeploymentRows } from "../deployments/deployment-rows.tsx";
import { servicesMessages } from "./services.messages.ts";
import { statusMessages } from "./status.messages.ts";
import { useService } from "./use-service.ts";

const shown = 5;

export function Page() {
  const t = useMessages(servicesMessages);
  const common = useMessages(commonMessages);
  const status = useMessages(statusMessages);
  const formats = useFormats();
  const service = useService();
  const { data, error, refetch } = useInfiniteQuery(deploymentsQuery(service.id));
  const deployments = data?.pages.flatMap((page) => page.data);
  const [underWay, ended] = [
    deployments?.filter(isUnderWay) ?? [],
    deployments?.filter((one) => !isUnderWay(one)) ?? [],
  ];
  return (
    <>
      <Card className="p-4 sm:p-5">
        <Facts>
          <Fact name={t.address}>
            {service.url === "" ? (
              t.noAddress
            ) : (
              <a href={service.url} target="_blank" rel="noreferrer" className="code underline underline-offset-4">
                {service.url}
              </a>
            )}
          </Fact>
          <Fact name={t.repository}>
            <span className="code">{service.repoUrl}</span>
          </Fact>
          <Fact name={t.branch}>
            <span className="code">{service.branch}</span>
          </Fact>
          <Fact name={t.type}>{status.type[service.type]}</Fact>
          {service.type !== "STATIC" && (
            <Fact name={t.instances}>
              {formats.number(service.instances)} ×{" "}
              {t.sizeOf(formats.number(service.cpuCores), formats.number(service.memoryMb))}
            </Fact>
          )}
          <Fact name={t.created}>
            <Time at={service.createdAt} />
          </Fact>
        </Facts>
      </Card>
      {deployments === undefined ? (
        error === null ? (
          <Skeleton label={common.loading} />
        ) : (
          <PageProblem error={error} onRetry={() => void refetch()} />
        )
      ) : deployments.length === 0 ? (
        <EmptyState icon={<Rocket />} title={t.nothingServes}>
          {t.nothingServesText}
        </EmptyState>
      ) : (
        <>
          {underWay.length > 0 && (
            <Section title={t.underWay}>
              <DeploymentRows deployments={underWay} service={service} label={t.underWay} />
            </Section>
          )}
          {ended.length > 0 && (
            <Section
              title={t.latest}
              actions={
                <Link to={paths.serviceDeployments(service.id)} className={buttonClass("ghost", "small")}>
                  {t.all}
                </Link>
              }
            >
              <DeploymentRows deployments={ended.slice(0, shown)} service={service} label={t.latest} />
            </Section>
          )}
        </>
      )}
    </>
  );
}
