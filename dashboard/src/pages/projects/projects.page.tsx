/** The home page: every project with its services; or, where there are none, the way to the first. */
import { useInfiniteQuery } from "@tanstack/react-query";
import { Link, useNavigate } from "@tanstack/react-router";
import { Boxes, Rocket } from "lucide-react";
import { useState } from "react";
import { projectListQuery } from "../../api/projects.ts";
import { serviceListQuery } from "../../api/services.ts";
import { List } from "../../app/list.tsx";
import { Page as Frame } from "../../app/page.tsx";
import { useRights } from "../../app/session.ts";
import { useMessages } from "../../i18n/locale.tsx";
import { paths } from "../../paths.ts";
import { Button, buttonClass } from "../../ui/button.tsx";
import { Section } from "../../ui/card.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { ServiceRow } from "../services/service-row.tsx";
import { NewServiceLink } from "./new-service-link.tsx";
import { ProjectDialog } from "./project-dialog.tsx";
import { ProjectRow } from "./project-row.tsx";
import { projectsMessages } from "./projects.messages.ts";

export function Page() {
  const t = useMessages(projectsMessages);
  const navigate = useNavigate();
  const { refused } = useRights();
  const projects = useInfiniteQuery(projectListQuery());
  const services = useInfiniteQuery(serviceListQuery());
  const [creating, setCreating] = useState(false);
  const isEmpty = projects.data?.length === 0;
  return (
    <Frame
      title={t.title}
      actions={
        <>
          <Button refused={refused("projects.create")} onClick={() => setCreating(true)}>
            {t.newProject}
          </Button>
          {!isEmpty && <NewServiceLink />}
        </>
      }
    >
      {isEmpty ? (
        <First />
      ) : (
        <>
          {services.data?.length !== 0 && (
            <Section title={t.allServices}>
              <List
                query={services}
                label={t.allServices}
                empty=""
                row={(service) => <ServiceRow key={service.id} service={service} />}
              />
            </Section>
          )}
          <Section title={services.data?.length !== 0 ? t.title : undefined}>
            <List
              query={projects}
              label={t.title}
              empty=""
              row={(project) => <ProjectRow key={project.id} project={project} />}
            />
          </Section>
        </>
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
