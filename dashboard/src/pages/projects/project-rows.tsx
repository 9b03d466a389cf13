import { Link } from "@tanstack/react-router";
import type { Schemas } from "../../../../sdk/client.ts";
import { useMessages } from "../../i18n/locale.tsx";
import { paths } from "../../paths.ts";
import { Rows } from "../../ui/card.tsx";
import { projectsMessages } from "./projects.messages.ts";

export function ProjectRows({ projects }: { readonly projects: readonly Schemas["Project"][] }) {
  const t = useMessages(projectsMessages);
  return (
    <Rows label={t.title}>
      {projects.map(({ id, name, description, serviceCount }) => (
        <li
          key={id}
          className="relative flex flex-wrap items-center gap-x-4 gap-y-1 px-4 py-3 hover:bg-hover first:rounded-t-lg last:rounded-b-lg"
        >
          <div className="min-w-40 grow basis-0">
            <Link to={paths.project(id)} className="font-medium after:absolute after:inset-0">
              {name}
            </Link>
            {description !== null && <p className="truncate text-[.9333rem] text-soft">{description}</p>}
          </div>
          <span className="text-soft">{t.services(serviceCount)}</span>
        </li>
      ))}
    </Rows>
  );
}
