import { ExternalLink } from "lucide-react";
import type { Schemas } from "../../../../sdk/client.ts";
import { commonMessages } from "../../app/common.messages.ts";
import { Row } from "../../app/list.tsx";
import { useMessages } from "../../i18n/locale.tsx";
import { paths } from "../../paths.ts";
import { statusMessages } from "./status.messages.ts";
import { ServiceBadge } from "./status.tsx";

export function ServiceRow({ service: { id, name, type, status, url } }: { readonly service: Schemas["Service"] }) {
  const t = useMessages(statusMessages);
  const common = useMessages(commonMessages);
  return (
    <Row to={paths.service(id)} title={name} text={t.type[type]}>
      {url !== "" && type !== "WORKER" && (
        <a
          href={url}
          target="_blank"
          rel="noreferrer"
          title={common.open}
          className="code inline-flex max-w-72 min-w-0 items-center gap-1 text-soft hover:text-ink hover:underline"
        >
          <span className="truncate">{url.replace(/^https?:\/\//, "")}</span>
          <ExternalLink className="size-3.5 shrink-0" aria-hidden />
        </a>
      )}
      <ServiceBadge status={status} />
    </Row>
  );
}
