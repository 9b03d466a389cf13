import type { Schemas } from "../../../../sdk/client.ts";
import { Row } from "../../app/list.tsx";
import { useMessages } from "../../i18n/locale.tsx";
import { paths } from "../../paths.ts";
import { projectsMessages } from "./projects.messages.ts";

export function ProjectRow({
  project: { id, name, description, serviceCount },
}: {
  readonly project: Schemas["Project"];
}) {
  const t = useMessages(projectsMessages);
  return (
    <Row
      to={paths.project(id)}
      title={name}
      {...(description === null ? {} : { text: <span className="line-clamp-1">{description}</span> })}
    >
      <span className="text-soft">{t.services(serviceCount)}</span>
    </Row>
  );
}
