import { useInfiniteQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { Activity } from "lucide-react";
import { answerOf, type Schemas } from "../../../../sdk/client.ts";
import { api } from "../../api/client.ts";
import { pages } from "../../api/pages.ts";
import { List } from "../../app/list.tsx";
import { Page as Frame } from "../../app/page.tsx";
import { Time } from "../../app/time.tsx";
import { useMessages } from "../../i18n/locale.tsx";
import { paths } from "../../paths.ts";
import { activityMessages } from "./activity.messages.ts";
import { eventTexts } from "./event-texts.ts";

type Event = Schemas["ActivityEvent"];

function activityQuery() {
  return pages({
    key: ["activity"],
    read: (page, signal) => answerOf(api.GET("/activity", { params: { query: { limit: 30, ...page } }, signal })),
  });
}

export function Page() {
  const t = useMessages(activityMessages);
  const query = useInfiniteQuery(activityQuery());
  return (
    <Frame title={t.title} hint={t.hint}>
      <List
        query={query}
        label={t.title}
        empty={{ icon: <Activity />, title: t.emptyTitle, text: t.empty }}
        row={(event) => <EventRow key={event.id} event={event} />}
      />
    </Frame>
  );
}

const placeOf: Readonly<Record<string, (id: string) => string>> = {
  service: paths.service,
  deployment: paths.deployment,
  project: paths.project,
  database: paths.database,
  bucket: paths.bucket,
  cron_job: paths.cronJob,
  channel: paths.channel,
  webhook: paths.webhook,
  alert: () => paths.alerts,
  api_key: () => paths.keys,
  member: () => paths.members,
  invite: () => paths.members,
  account: () => paths.settings,
  billing: () => paths.billing,
  billing_identity: () => paths.billingIdentity,
};

/** Where what it is about can be looked at; deletions lead nowhere. */
function pathOf({ action, entityType, entityId }: Event): string | null {
  if (action.endsWith(".deleted")) return null;
  return placeOf[entityType]?.(entityId) ?? null;
}

function EventRow({ event }: { readonly event: Event }) {
  const t = useMessages(activityMessages);
  const texts: Readonly<Record<string, string>> = useMessages(eventTexts);
  const { action, actorName, metadata, createdAt } = event;
  const { name, email, names, url } = metadata;
  const subject = [name ?? email ?? names ?? url ?? ""].flat().join(", ");
  const path = pathOf(event);
  const text = texts[action] ?? action;
  return (
    <li className="flex flex-wrap items-baseline gap-x-3 gap-y-0.5 px-4 py-2.5">
      <p className="min-w-52 grow basis-0 wrap-anywhere">
        <span className="font-medium">{actorName ?? t.system}</span>{" "}
        {path !== null && subject === "" ? (
          <Link to={path} className="underline decoration-line-strong underline-offset-4">
            {text}
          </Link>
        ) : (
          text
        )}{" "}
        {subject !== "" &&
          subject !== actorName &&
          (path === null ? (
            <span className="font-medium">{subject}</span>
          ) : (
            <Link to={path} className="font-medium underline decoration-line-strong underline-offset-4">
              {subject}
            </Link>
          ))}
      </p>
      <span className="text-[.9333rem] text-soft">
        <Time at={createdAt} />
      </span>
    </li>
  );
}
