import { useInfiniteQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { Rocket } from "lucide-react";
import type { Schemas } from "../../../../sdk/client.ts";
import { deploymentsQuery, isUnderWay } from "../../api/deployments.ts";
import { Loaded } from "../../app/loaded.tsx";
import { Time } from "../../app/time.tsx";
import { useFormats, useMessages } from "../../i18n/locale.tsx";
import { paths } from "../../paths.ts";
import { buttonClass } from "../../ui/button.tsx";
import { Card, Fact, Facts, Rows, Section } from "../../ui/card.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { DeploymentRow } from "../deployments/deployment-row.tsx";
import { servicesMessages } from "./services.messages.ts";
import { statusMessages } from "./status.messages.ts";
import { useService } from "./use-service.ts";

const shown = 5;

export function Page() {
  const t = useMessages(servicesMessages);
  const status = useMessages(statusMessages);
  const formats = useFormats();
  const service = useService();
  const query = useInfiniteQuery(deploymentsQuery(service.id));
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
      <Loaded query={query}>{(deployments) => <Latest deployments={deployments} service={service} />}</Loaded>
    </>
  );
}

function Latest({
  deployments,
  service,
}: {
  readonly deployments: readonly Schemas["Deployment"][];
  readonly service: Schemas["ServiceDetails"];
}) {
  const t = useMessages(servicesMessages);
  const underWay = deployments.filter(isUnderWay);
  const ended = deployments.filter((one) => !isUnderWay(one)).slice(0, shown);
  if (deployments.length === 0)
    return (
      <EmptyState icon={<Rocket />} title={t.nothingServes}>
        {t.nothingServesText}
      </EmptyState>
    );
  const rows = (label: string, some: readonly Schemas["Deployment"][]) => (
    <Rows label={label}>
      {some.map((deployment) => (
        <DeploymentRow key={deployment.id} deployment={deployment} service={service} />
      ))}
    </Rows>
  );
  return (
    <>
      {underWay.length > 0 && <Section title={t.underWay}>{rows(t.underWay, underWay)}</Section>}
      {ended.length > 0 && (
        <Section
          title={t.latest}
          actions={
            <Link to={paths.serviceDeployments(service.id)} className={buttonClass("ghost", "small")}>
              {t.all}
            </Link>
          }
        >
          {rows(t.latest, ended)}
        </Section>
      )}
    </>
  );
}
