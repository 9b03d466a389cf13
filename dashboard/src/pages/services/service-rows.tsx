import { Link } from "@tanstack/react-router";
import { ExternalLink } from "lucide-react";
import type { Schemas } from "../../../../sdk/client.ts";
import { commonMessages } from "../../app/common.messages.ts";
import { useMessages } from "../../i18n/locale.tsx";
import { paths } from "../../paths.ts";
import { Rows } from "../../ui/card.tsx";
import { statusMessages } from "./status.messages.ts";
import { ServiceBadge } from "./status.tsx";

export function ServiceRows({
  services,
  label,
}: {
  readonly services: readonly Schemas["Service"][];
  readonly label: string;
}) {
  const t = useMessages(statusMessages);
  const common = useMessages(commonMessages);
  return (
    <Rows label={label}>
      {services.map(({ id, name, type, status, url }) => (
        <li
          key={id}
          className="relative flex flex-wrap items-center gap-x-4 gap-y-1 px-4 py-3 hover:bg-hover first:rounded-t-lg last:rounded-b-lg"
        >
          <div className="min-w-40 grow basis-0">
            <Link to={paths.service(id)} className="font-medium after:absolute after:inset-0">
              {name}
            </Link>
            <p className="text-[.9333rem] text-soft">{t.type[type]}</p>
          </div>
          {url !== "" && type !== "WORKER" && (
            <a
              href={url}
              target="_blank"
              rel="noreferrer"
              title={common.open}
              className="code relative inline-flex min-w-0 items-center gap-1 text-soft hover:text-ink hover:underline"
            >
              <span className="truncate">{url.replace(/^https?:\/\//, "")}</span>
              <ExternalLink className="size-3.5 shrink-0" aria-hidden />
            </a>
          )}
          <ServiceBadge status={status} />
        </li>
      ))}
    </Rows>
  );
}
