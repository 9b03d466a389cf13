import { useQuery } from "@tanstack/react-query";
import { Link, useParams } from "@tanstack/react-router";
import { MoreHorizontal, RefreshCw, Trash2 } from "lucide-react";
import { useState } from "react";
import { answerOf, type Schemas } from "../../../../sdk/client.ts";
import { api } from "../../api/client.ts";
import { databaseQuery } from "../../api/databases.ts";
import { projectQuery } from "../../api/projects.ts";
import { commonMessages } from "../../app/common.messages.ts";
import { Confirm } from "../../app/confirm.tsx";
import { Detail, useRemoval } from "../../app/detail.tsx";
import { useChange } from "../../app/mutation.ts";
import { Page as Frame } from "../../app/page.tsx";
import { useRights } from "../../app/session.ts";
import { Time } from "../../app/time.tsx";
import { useMessages } from "../../i18n/locale.tsx";
import { paths } from "../../paths.ts";
import { Button } from "../../ui/button.tsx";
import { Card, Fact, Facts } from "../../ui/card.tsx";
import { Menu } from "../../ui/menu.tsx";
import { Notice } from "../../ui/notice.tsx";
import { Connection } from "./connection.tsx";
import { DatabaseBadge } from "./database-badge.tsx";
import { databasesMessages } from "./databases.messages.ts";

export function Page() {
  const t = useMessages(databasesMessages);
  const { id = "" } = useParams({ strict: false });
  return (
    <Detail of={{ title: t.title, path: paths.databases }} query={useQuery(databaseQuery(id))}>
      {(database, above) => (
        <Frame
          title={database.name}
          above={above}
          badge={<DatabaseBadge status={database.status} />}
          actions={<Actions database={database} />}
        >
          {database.failure !== null && <Notice tone="bad">{database.failure}</Notice>}
          <About database={database} />
          {isThere(database) && <Connection id={id} />}
        </Frame>
      )}
    </Detail>
  );
}

function isThere({ status }: Schemas["Database"]): boolean {
  return status === "AVAILABLE" || status === "STOPPED";
}

function About({ database }: { readonly database: Schemas["Database"] }) {
  const t = useMessages(databasesMessages);
  const { projectId, version, sizeMb, createdAt } = database;
  const project = useQuery({ ...projectQuery(projectId ?? ""), enabled: projectId !== null });
  return (
    <Card className="p-4 sm:p-5">
      <Facts>
        <Fact name={t.type}>{t.postgres(version)}</Fact>
        <Fact name={t.project}>
          {projectId !== null && (
            <Link to={paths.project(projectId)} className="underline underline-offset-4">
              {project.data?.name ?? "…"}
            </Link>
          )}
        </Fact>
        <Fact name={t.size}>{sizeMb === null ? t.notMeasured : t.megabytes(sizeMb)}</Fact>
        <Fact name={t.created}>
          <Time at={createdAt} />
        </Fact>
      </Facts>
    </Card>
  );
}

function Actions({ database }: { readonly database: Schemas["Database"] }) {
  const { id, name } = database;
  const t = useMessages(databasesMessages);
  const common = useMessages(commonMessages);
  const { refused } = useRights();
  const [open, setOpen] = useState<"rotate" | "delete" | null>(null);
  const rotate = useChange({
    run: () => answerOf(api.POST("/databases/{id}/rotate-password", { params: { path: { id } } })),
    touches: ["database-connection"],
    done: t.rotated,
    after: () => setOpen(null),
    showsError: true,
  });
  const remove = useRemoval({
    run: () => answerOf(api.DELETE("/databases/{id}", { params: { path: { id } } })),
    done: t.deleted,
    list: paths.databases,
    touches: "databases",
  });
  return (
    <>
      <Menu
        label={common.actions}
        trigger={<Button size="icon" icon={<MoreHorizontal className="size-4.5" aria-hidden />} />}
        groups={[
          isThere(database)
            ? [
                {
                  label: t.rotate,
                  icon: <RefreshCw />,
                  refused: refused("databases.rotatePassword"),
                  onSelect: () => setOpen("rotate"),
                },
              ]
            : [],
          [
            {
              label: common.delete,
              icon: <Trash2 />,
              tone: "bad",
              refused: refused("databases.delete"),
              onSelect: () => setOpen("delete"),
            },
          ],
        ]}
      />
      {open === "rotate" && (
        <Confirm
          title={t.rotateTitle(name)}
          action={t.rotate}
          busy={rotate.isPending}
          error={rotate.error}
          onConfirm={() => rotate.mutate()}
          onClose={() => setOpen(null)}
        >
          {t.rotateText}
        </Confirm>
      )}
      {open === "delete" && (
        <Confirm
          title={t.deleteTitle(name)}
          typed={name}
          action={common.delete}
          busy={remove.isPending}
          error={remove.error}
          onConfirm={() => remove.mutate()}
          onClose={() => setOpen(null)}
        >
          {t.deleteText}
        </Confirm>
      )}
    </>
  );
}
