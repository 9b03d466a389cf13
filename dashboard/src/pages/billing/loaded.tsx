/** The answer of a query, or in its place that it is loading, or what went wrong. */
import type { UseQueryResult } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { commonMessages } from "../../app/common.messages.ts";
import { PageProblem } from "../../app/problem.tsx";
import { useMessages } from "../../i18n/locale.tsx";
import { Skeleton } from "../../ui/empty-state.tsx";

export function Loaded<Data>({
  query: { data, error, refetch },
  children,
  rows = 2,
}: {
  readonly query: Pick<UseQueryResult<Data>, "data" | "error" | "refetch">;
  readonly children: (data: NonNullable<Data>) => ReactNode;
  readonly rows?: number;
}) {
  const common = useMessages(commonMessages);
  if (data !== undefined && data !== null) return children(data);
  if (error === null) return <Skeleton label={common.loading} rows={rows} />;
  return <PageProblem error={error} onRetry={() => void refetch()} />;
}
