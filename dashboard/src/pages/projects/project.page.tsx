import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { Link, useNavigate, useParams } from "@tanstack/react-router";
import { Boxes, MoreHorizontal, Pencil, Trash2 } from "lucide-react";
import { useState } from "react";
import { answerOf } from "../../../../sdk/client.ts";
import { api } from "../../api/client.ts";
import { projectQuery } from "../../api/projects.ts";
import { serviceListQuery } from "../../api/services.ts";
import { commonMessages } from "../../app/common.messages.ts";
import { Confirm } from "../../app/confirm.tsx";
import { List } from "../../app/list.tsx";
import { Loaded } from "../../app/loaded.tsx";
import { useChange } from "../../app/mutation.ts";
import { Page as Frame } from "../../app/page.tsx";
import { useRights } from "../../app/session.ts";
import { useMessages } from "../../i18n/locale.tsx";
import { paths } from "../../paths.ts";
import { Button } from "../../ui/button.tsx";
import { Menu } from "../../ui/menu.tsx";
import { ServiceRow } from "../services/service-row.tsx";
import { NewServiceLink } from "./new-service-link.tsx";
import { ProjectDialog } from "./project-dialog.tsx";
import { projectsMessages } from "./projects.messages.ts";

export function Page() {
  const t = useMessages(projectsMessages);
  const common = useMessages(commonMessages);
  const navigate = useNavigate();
  const { id = "" } = useParams({ strict: false });
  const { refused } = useRights();
  const project = useQuery(projectQuery(id));
  const services = useInfiniteQuery(serviceListQuery(id));
  const [open, setOpen] = useState<"edit" | "delete" | null>(null);
  const remove = useChange({
    run: () => answerOf(api.DELETE("/projects/{id}", { params: { path: { id } } })),
    touches: [],
    done: t.deleted,
    after: () => navigate({ to: paths.home }),
    showsError: true,
  });
  const above = (
    <Link to={paths.home} className="hover:underline">
      {t.title}
    </Link>
  );
  if (project.data === undefined)
    return (
      <Frame title={t.title} above={above}>
        <Loaded query={project}>{() => null}</Loaded>
      </Frame>
    );
  const { name, description } = project.data;
  const newService = <NewServiceLink projectId={id} />;
  return (
    <Frame
      title={name}
      above={above}
      hint={description ?? undefined}
      actions={
        <>
          {services.data?.length !== 0 && newService}
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
      <List
        query={services}
        label={t.allServices}
        empty={{ icon: <Boxes />, title: t.noServicesTitle, text: t.noServices }}
        action={newService}
        row={(service) => <ServiceRow key={service.id} service={service} />}
      />
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
