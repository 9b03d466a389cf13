import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate, useParams } from "@tanstack/react-router";
import { Boxes, MoreHorizontal, Pencil, Plus, Trash2 } from "lucide-react";
import { useState } from "react";
import { answerOf } from "../../../../sdk/client.ts";
import { api } from "../../api/client.ts";
import { projectQuery } from "../../api/projects.ts";
import { servicesQuery } from "../../api/services.ts";
import { commonMessages } from "../../app/common.messages.ts";
import { Confirm } from "../../app/confirm.tsx";
import { useChange } from "../../app/mutation.ts";
import { Page as Frame } from "../../app/page.tsx";
import { PageProblem } from "../../app/problem.tsx";
import { useRights } from "../../app/session.ts";
import { useMessages } from "../../i18n/locale.tsx";
import { paths } from "../../paths.ts";
import { Button, buttonClass } from "../../ui/button.tsx";
import { EmptyState, Skeleton } from "../../ui/empty-state.tsx";
import { Menu } from "../../ui/menu.tsx";
import { ServiceRows } from "../services/service-rows.tsx";
import { ProjectDialog } from "./project-dialog.tsx";
import { projectsMessages } from "./projects.messages.ts";

export function Page() {
  const t = useMessages(projectsMessages);
  const common = useMessages(commonMessages);
  const navigate = useNavigate();
  const { id = "" } = useParams({ strict: false });
  const { refused, may } = useRights();
  const project = useQuery(projectQuery(id));
  const services = useQuery(servicesQuery(id));
  const [open, setOpen] = useState<"edit" | "delete" | null>(null);
  const remove = useChange({
    run: () => answerOf(api.DELETE("/projects/{id}", { params: { path: { id } } })),
    touches: [],
    done: t.deleted,
    after: () => navigate({ to: paths.home }),
    showsError: true,
  });
  const error = project.error ?? services.error;
  if (project.data === undefined || services.data === undefined)
    return (
      <Frame title={t.title}>
        {error === null ? (
          <Skeleton label={common.loading} />
        ) : (
          <PageProblem error={error} onRetry={() => void Promise.all([project.refetch(), services.refetch()])} />
        )}
      </Frame>
    );
  const { name, description } = project.data;
  const newService = may("services.create") && (
    <Link to={paths.newService(id)} className={buttonClass("primary")}>
      <Plus className="size-4" aria-hidden />
      {common.nav.newService}
    </Link>
  );
  return (
    <Frame
      title={name}
      above={
        <Link to={paths.home} className="hover:underline">
          {t.title}
        </Link>
      }
      hint={description ?? undefined}
      actions={
        <>
          {services.data.data.length > 0 && newService}
          <Menu
            label={common.actions}
            trigger={<Button size="icon" icon={<MoreHorizontal className="size-4.5" aria-hidden />} />}
            groups={[
              [
                {
                  label: t.edit,
                  icon: <Pencil />,
                  refused: refused("projects.update"),
                  onSelect: () => setOpen("edit"),
                },
              ],
              [
                {
                  label: t.delete,
                  icon: <Trash2 />,
                  tone: "bad",
                  refused: refused("projects.delete"),
                  onSelect: () => setOpen("delete"),
                },
              ],
            ]}
          />
        </>
      }
    >
      {services.data.data.length === 0 ? (
        <EmptyState icon={<Boxes />} title={t.noServicesTitle} action={newService}>
          {t.noServices}
        </EmptyState>
      ) : (
        <ServiceRows services={services.data.data} label={t.allServices} />
      )}
      {open === "edit" && (
        <ProjectDialog project={project.data} onClose={() => setOpen(null)} onDone={() => setOpen(null)} />
      )}
      {open === "delete" && (
        <Confirm
          title={t.deleteTitle(name)}
          typed={project.data.slug}
          action={t.delete}
          busy={remove.isPending}
          error={remove.error}
          onConfirm={() => remove.mutate()}
          onClose={() => setOpen(null)}
        >
          {t.deleteText}
        </Confirm>
      )}
    </Frame>
  );
}
