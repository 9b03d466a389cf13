import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { Database } from "lucide-react";
import { databasesQuery } from "../../api/databases.ts";
import { projectsQuery } from "../../api/projects.ts";
import { ListPage, Row } from "../../app/list.tsx";
import { useMessages } from "../../i18n/locale.tsx";
import { paths } from "../../paths.ts";
import { DatabaseBadge } from "./database-badge.tsx";
import { databasesMessages } from "./databases.messages.ts";
import { NewDatabaseDialog } from "./new-database-dialog.tsx";

export function Page() {
  const t = useMessages(databasesMessages);
  const navigate = useNavigate();
  const projects = useQuery(projectsQuery());
  return (
    <ListPage
      title={t.title}
      hint={t.hint}
      reads="databases.list"
      query={databasesQuery()}
      empty={{ icon: <Database />, title: t.emptyTitle, text: t.empty }}
      create={{
        label: t.create,
        operation: "databases.create",
        dialog: (close) => (
          <NewDatabaseDialog onClose={close} onCreated={(id) => void navigate({ to: paths.database(id) })} />
        ),
      }}
      row={({ id, name, status, version, projectId }) => (
        <Row
          key={id}
          to={paths.database(id)}
          title={name}
          text={projects.data?.data.find((project) => project.id === projectId)?.name}
        >
          <span className="text-[.9333rem] text-soft">{t.postgres(version)}</span>
          <DatabaseBadge status={status} />
        </Row>
      )}
    />
  );
}
