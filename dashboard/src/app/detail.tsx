/** The page of one thing out of a list: a link back to it, and what stands there until the thing is loaded, or if it is not. */
import { Link, useNavigate } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { queries } from "../api/client.ts";
import { Loaded, type Query } from "./loaded.tsx";
import { useChange } from "./mutation.ts";
import { Page as Frame } from "./page.tsx";

interface List {
  readonly title: string;
  readonly path: string;
}

export function Detail<Data>({
  of,
  query,
  children,
}: {
  readonly of: List;
  readonly query: Query<Data>;
  /** `above` is the page's link to the list. */
  readonly children: (data: NonNullable<Data>, above: ReactNode) => ReactNode;
}) {
  const above = (
    <Link to={of.path} className="hover:underline">
      {of.title}
    </Link>
  );
  const { data } = query;
  if (data !== undefined && data !== null) return children(data, above);
  return (
    <Frame title={of.title} above={above}>
      <Loaded query={query}>{() => null}</Loaded>
    </Frame>
  );
}

/** Deletes what a page shows, and leads back to the list, which is read again then: the page itself would ask for what is gone. */
export function useRemoval(options: {
  readonly run: () => Promise<unknown>;
  readonly done: string;
  readonly list: string;
  /** The first word of the list's queries. */
  readonly touches: string;
}) {
  const { run, done, list, touches } = options;
  const navigate = useNavigate();
  return useChange({
    run,
    done,
    touches: [],
    after: async () => {
      await navigate({ to: list, ignoreBlocker: true });
      await queries.invalidateQueries({ queryKey: [touches] });
    },
    showsError: true,
  });
}
