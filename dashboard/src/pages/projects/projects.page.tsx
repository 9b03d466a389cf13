/** The home page: every project with its services; or, where there are none, the way to the first. */
import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate } from "@tanstack/react-router";
import { Boxes, Plus, Rocket } from "lucide-react";
import { useState } from "react";
import { projectsQuery } from "../../api/projects.ts";
import { servicesQuery } from "../../api/services.ts";
import { commonMessages } from "../../app/common.messages.ts";
import { Page as Frame } from "../../app/page.tsx";
import { PageProblem } from "../../app/problem.tsx";
import { useRights } from "../../app/session.ts";
import { useMessages } from "../../i18n/locale.tsx";
import { paths } from "../../paths.ts";
import { Button, buttonClass } from "../../ui/button.tsx";
import { Section } from "../../ui/card.tsx";
import { EmptyState, Skeleton } from "../../ui/empty-state.tsx";
import { ServiceRows } from "../services/service-rows.tsx";
import { ProjectDialog } from "./project-dialog.tsx";
import { ProjectRows } from "./project-rows.tsx";
import { projectsMessages } from "./projects.messages.ts";

export function Page() {
  const t = useMessages(projectsMessages);
  const common = useMessages(commonMessages);
  const navigate = useNavigate();
  const { refused, may } = useRights();
  const projects = useQuery(projectsQuery());
  const services = useQuery(servicesQuery());
  const [creating, setCreating] = useState(false);
  const error = projects.error ?? services.error;
  const isLoaded = projects.data !== undefined && services.data !== undefined;
  return (
    <Frame
      title={t.title}
      actions={
        <>
          <Button refused={refused("projects.create")} onClick={() => setCreating(true)}>
            {t.newProject}
          </Button>
          {may("services.create") && (
            <Link to={paths.newService()} className={buttonClass("primary")}>
              <Plus className="size-4" aria-hidden />
              {common.nav.newService}
            </Link>
          )}
        </>
      }
    >
      {isLoaded ? (
        projects.data.data.length === 0 ? (
          <First />
        ) : (
          <>
            {services.data.data.length > 0 && (
              <Section title={t.allServices}>
                <ServiceRows services={services.data.data} label={t.allServices} />
              </Section>
            )}
            <Section title={services.data.data.length > 0 ? t.title : undefined}>
              <ProjectRows projects={projects.data.data} />
            </Section>
          </>
        )
      ) : error !== null ? (
        <PageProblem error={error} onRetry={() => void Promise.all([projects.refetch(), services.refetch()])} />
      ) : (
        <Skeleton label={common.loading} />
      )}
      {creating && (
        <ProjectDialog
          onClose={() => setCreating(false)}
          onDone={({ id }) => void navigate({ to: paths.project(id) })}
        />
      )}
    </Frame>
  );
}

function First() {
  const t = useMessages(projectsMessages);
  const { may } = useRights();
  if (!may("services.create"))
    return (
      <EmptyState icon={<Boxes />} title={t.noServicesTitle}>
        {t.emptyForViewer}
      </EmptyState>
    );
  return (
    <EmptyState
      icon={<Rocket />}
      title={t.emptyTitle}
      action={
        <Link to={paths.newService()} className={buttonClass("primary")}>
          {t.deployFirst}
        </Link>
      }
    >
      {t.empty}
    </EmptyState>
  );
}
