import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { Link, useNavigate } from "@tanstack/react-router";
import { Database, Plus } from "lucide-react";
import { useState } from "react";
import { databasesQuery } from "../../api/databases.ts";
import { projectsQuery } from "../../api/projects.ts";
import { commonMessages } from "../../app/common.messages.ts";
import { Needs } from "../../app/guard.tsx";
import { More } from "../../app/more.tsx";
import { Page as Frame } from "../../app/page.tsx";
import { PageProblem } from "../../app/problem.tsx";
import { useRights } from "../../app/session.ts";
import { useMessages } from "../../i18n/locale.tsx";
import { paths } from "../../paths.ts";
import { Button } from "../../ui/button.tsx";
import { Rows } from "../../ui/card.tsx";
import { EmptyState, Skeleton } from "../../ui/empty-state.tsx";
import { DatabaseBadge } from "./database-badge.tsx";
import { databasesMessages } from "./databases.messages.ts";
import { NewDatabaseDialog } from "./new-database-dialog.tsx";

export function Page() {
  const t = useMessages(databasesMessages);
  const navigate = useNavigate();
  const { refused } = useRights();
  const [creating, setCreating] = useState(false);
  return (
    <Frame
      title={t.title}
      hint={t.hint}
      actions={
        <Button
          variant="primary"
          icon={<Plus className="size-4" aria-hidden />}
          refused={refused("databases.create")}
          onClick={() => setCreating(true)}
        >
          {t.create}
        </Button>
      }
    >
      <Needs operation="databases.list">
        <Databases />
      </Needs>
      {creating && (
        <NewDatabaseDialog
          onClose={() => setCreating(false)}
          onCreated={(id) => void navigate({ to: paths.database(id) })}
        />
      )}
    </Frame>
  );
}

function Databases() {
  const t = useMessages(databasesMessages);
  const common = useMessages(commonMessages);
  const query = useInfiniteQuery(databasesQuery());
  const projects = useQuery(projectsQuery());
  const databases = query.data?.pages.flatMap((page) => page.data);
  if (databases === undefined)
    return query.error === null ? (
      <Skeleton label={common.loading} />
    ) : (
      <PageProblem error={query.error} onRetry={() => void query.refetch()} />
    );
  if (databases.length === 0)
    return (
      <EmptyState icon={<Database />} title={t.emptyTitle}>
        {t.empty}
      </EmptyState>
    );
  return (
    <>
      <Rows label={t.title}>
        {databases.map(({ id, name, status, version, projectId }) => (
          <li
            key={id}
            className="relative flex flex-wrap items-center gap-x-4 gap-y-2 px-4 py-3 hover:bg-hover first:rounded-t-lg last:rounded-b-lg"
          >
            <div className="min-w-48 grow basis-0">
              <Link to={paths.database(id)} className="font-medium wrap-anywhere after:absolute after:inset-0">
                {name}
              </Link>
              <p className="text-[.9333rem] text-soft">
                {projects.data?.data.find((project) => project.id === projectId)?.name}
              </p>
            </div>
            <p className="text-[.9333rem] text-soft">{t.postgres(version)}</p>
            <DatabaseBadge status={status} />
          </li>
        ))}
      </Rows>
      <More query={query} />
    </>
  );
}
