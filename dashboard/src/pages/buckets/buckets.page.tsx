import { useInfiniteQuery } from "@tanstack/react-query";
import { Link, useNavigate } from "@tanstack/react-router";
import { Archive, Plus } from "lucide-react";
import { useState } from "react";
import { answerOf } from "../../../../sdk/client.ts";
import { api } from "../../api/client.ts";
import { commonMessages } from "../../app/common.messages.ts";
import { Needs } from "../../app/guard.tsx";
import { More } from "../../app/more.tsx";
import { Page as Frame } from "../../app/page.tsx";
import { PageProblem } from "../../app/problem.tsx";
import { useRights } from "../../app/session.ts";
import { useFormats, useMessages } from "../../i18n/locale.tsx";
import { paths } from "../../paths.ts";
import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { Rows } from "../../ui/card.tsx";
import { EmptyState, Skeleton } from "../../ui/empty-state.tsx";
import { bucketsMessages } from "./buckets.messages.ts";
import { NewBucketDialog } from "./new-bucket-dialog.tsx";
import { sizeOf } from "./size.ts";

export function Page() {
  const t = useMessages(bucketsMessages);
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
          refused={refused("buckets.create")}
          onClick={() => setCreating(true)}
        >
          {t.create}
        </Button>
      }
    >
      <Needs operation="buckets.list">
        <Buckets />
      </Needs>
      {creating && (
        <NewBucketDialog onClose={() => setCreating(false)} onDone={(id) => void navigate({ to: paths.bucket(id) })} />
      )}
    </Frame>
  );
}

function Buckets() {
  const t = useMessages(bucketsMessages);
  const common = useMessages(commonMessages);
  const { number } = useFormats();
  const query = useInfiniteQuery({
    queryKey: ["buckets"],
    initialPageParam: null as string | null,
    queryFn: ({ signal, pageParam }) =>
      answerOf(
        api.GET("/buckets", {
          params: { query: { limit: 50, ...(pageParam === null ? {} : { cursor: pageParam }) } },
          signal,
        }),
      ),
    getNextPageParam: ({ pagination }) => pagination.nextCursor,
    refetchInterval: 15_000,
  });
  const buckets = query.data?.pages.flatMap((page) => page.data);
  if (buckets === undefined)
    return query.error === null ? (
      <Skeleton label={common.loading} />
    ) : (
      <PageProblem error={query.error} onRetry={() => void query.refetch()} />
    );
  if (buckets.length === 0)
    return (
      <EmptyState icon={<Archive />} title={t.emptyTitle}>
        {t.empty}
      </EmptyState>
    );
  return (
    <>
      <Rows label={t.title}>
        {buckets.map(({ id, name, status, objects, sizeBytes }) => {
          const size = sizeOf(sizeBytes);
          return (
            <li
              key={id}
              className="relative flex flex-wrap items-center gap-x-4 gap-y-2 px-4 py-3 hover:bg-hover first:rounded-t-lg last:rounded-b-lg"
            >
              <Link
                to={paths.bucket(id)}
                className="min-w-48 grow basis-0 font-medium wrap-anywhere after:absolute after:inset-0"
              >
                <bdi>{name}</bdi>
              </Link>
              <p className="text-[.9333rem] text-soft">
                {t.objects}: {number(objects)} · {t.size}: {number(size.value)} {t.unit[size.unit]}
              </p>
              {status === "DELETING" && <Badge tone="quiet" label={t.deleting} />}
            </li>
          );
        })}
      </Rows>
      <More query={query} />
    </>
  );
}
