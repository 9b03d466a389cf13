/** What the pages of a service share: its name and state, what can be done with it, the way between them. */
import { useQuery } from "@tanstack/react-query";
import { Link, Outlet, useParams } from "@tanstack/react-router";
import { ExternalLink } from "lucide-react";
import { projectQuery } from "../../api/projects.ts";
import { serviceQuery } from "../../api/services.ts";
import { commonMessages } from "../../app/common.messages.ts";
import { Page as Frame } from "../../app/page.tsx";
import { PageProblem } from "../../app/problem.tsx";
import { serviceTabs } from "../../app/tab-places.ts";
import { Tabs } from "../../app/tabs.tsx";
import { useMessages } from "../../i18n/locale.tsx";
import { paths } from "../../paths.ts";
import { buttonClass } from "../../ui/button.tsx";
import { Skeleton } from "../../ui/empty-state.tsx";
import { projectsMessages } from "../projects/projects.messages.ts";
import { ServiceActions } from "./service-actions.tsx";
import { servicesMessages } from "./services.messages.ts";
import { ServiceBadge } from "./status.tsx";

export function Layout() {
  const t = useMessages(servicesMessages);
  const common = useMessages(commonMessages);
  const projectTexts = useMessages(projectsMessages);
  const { id = "" } = useParams({ strict: false });
  const { data: service, error, refetch } = useQuery(serviceQuery(id));
  const { data: project } = useQuery({ ...projectQuery(service?.projectId ?? ""), enabled: service !== undefined });
  if (service === undefined)
    return (
      <Frame title={t.tabs.label}>
        {error === null ? (
          <Skeleton label={common.loading} />
        ) : (
          <PageProblem error={error} onRetry={() => void refetch()} />
        )}
      </Frame>
    );
  return (
    <Frame
      title={service.name}
      badge={<ServiceBadge status={service.status} />}
      above={
        <>
          <Link to={paths.home} className="hover:underline">
            {projectTexts.title}
          </Link>
          <span aria-hidden> / </span>
          <Link to={paths.project(service.projectId)} className="hover:underline">
            {project?.name ?? "…"}
          </Link>
        </>
      }
      actions={
        <>
          {service.url !== "" && service.currentDeploymentId !== null && (
            <a href={service.url} target="_blank" rel="noreferrer" className={buttonClass("ghost")}>
              {t.openService}
              <ExternalLink className="size-4" aria-hidden />
            </a>
          )}
          <ServiceActions service={service} />
        </>
      }
    >
      <Tabs
        label={t.tabs.label}
        tabs={serviceTabs.map(({ label, path }) => ({ label: t.tabs[label], path: path(id) }))}
      />
      <Outlet />
    </Frame>
  );
}
