/** The answer of a query, or in its place that it is loading, or what went wrong. */
import type { ReactNode } from "react";
import { useMessages } from "../i18n/locale.tsx";
import { Skeleton } from "../ui/empty-state.tsx";
import { commonMessages } from "./common.messages.ts";
import { PageProblem } from "./problem.tsx";

export interface Query<Data> {
  readonly data: Data;
  readonly error: unknown;
  readonly refetch: () => unknown;
}

export function Loaded<Data>({
  query: { data, error, refetch },
  children,
  rows = 3,
}: {
  readonly query: Query<Data>;
  readonly children: (data: NonNullable<Data>) => ReactNode;
  /** Of the placeholder: about as high as what comes. */
  readonly rows?: number;
}) {
  const common = useMessages(commonMessages);
  if (data !== undefined && data !== null) return children(data);
  if (error === null) return <Skeleton label={common.loading} rows={rows} />;
  return <PageProblem error={error} onRetry={() => void refetch()} />;
}
