import { useInfiniteQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { Activity } from "lucide-react";
import { answerOf, type Schemas } from "../../../../sdk/client.ts";
import { api } from "../../api/client.ts";
import { commonMessages } from "../../app/common.messages.ts";
import { More } from "../../app/more.tsx";
import { Page as Frame } from "../../app/page.tsx";
import { PageProblem } from "../../app/problem.tsx";
import { Time } from "../../app/time.tsx";
import { useMessages } from "../../i18n/locale.tsx";
import { paths } from "../../paths.ts";
import { Rows } from "../../ui/card.tsx";
import { EmptyState, Skeleton } from "../../ui/empty-state.tsx";
import { activityMessages } from "./activity.messages.ts";
import { eventTexts } from "./event-texts.ts";

type Event = Schemas["ActivityEvent"];

export function Page() {
  const t = useMessages(activityMessages);
  const common = useMessages(commonMessages);
  const query = useInfiniteQuery({
    queryKey: ["activity"],
    initialPageParam: null as string | null,
    queryFn: ({ signal, pageParam }) => {
      const page = { limit: 30, ...(pageParam === null ? {} : { cursor: pageParam }) };
      return answerOf(api.GET("/activity", { params: { query: page }, signal }));
    },
    getNextPageParam: ({ pagination }) => pagination.nextCursor,
  });
  const events = query.data?.pages.flatMap(({ data }) => data);
  return (
    <Frame title={t.title} hint={t.hint}>
      {events === undefined ? (
        query.error === null ? (
          <Skeleton label={common.loading} />
        ) : (
          <PageProblem error={query.error} onRetry={() => void query.refetch()} />
        )
      ) : events.length === 0 ? (
        <EmptyState icon={<Activity />} title={t.emptyTitle}>
          {t.empty}
        </EmptyState>
      ) : (
        <>
          <Rows label={t.title}>
            {events.map((event) => (
              <EventRow key={event.id} event={event} />
            ))}
          </Rows>
          <More query={query} />
        </>
      )}
    </Frame>
  );
}

/** Where what it is about can be looked at; deletions lead nowhere. */
function pathOf({ action, entityType, entityId }: Event): string | null {
  if (action.endsWith(".deleted")) return null;
  if (entityType === "service") return paths.service(entityId);
  if (entityType === "database") return paths.database(entityId);
  if (entityType === "deployment") return paths.deployment(entityId);
  if (entityType === "project") return paths.project(entityId);
  return null;
}

function EventRow({ event }: { readonly event: Event }) {
  const t = useMessages(activityMessages);
  const texts: Readonly<Record<string, string>> = useMessages(eventTexts);
  const { action, actorName, metadata, createdAt } = event;
  const { name, email, names } = metadata;
  const subject = [name ?? email ?? names ?? ""].flat().join(", ");
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
