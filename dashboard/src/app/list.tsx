/** Lists: rows that come page by page, what stands in their place while there are none, and a page that is a list. */
import { type UseInfiniteQueryOptions, type UseInfiniteQueryResult, useInfiniteQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { Plus } from "lucide-react";
import { type ReactNode, useState } from "react";
import type { operations } from "../../../sdk/schema.ts";
import { Button } from "../ui/button.tsx";
import { Rows } from "../ui/card.tsx";
import { EmptyState } from "../ui/empty-state.tsx";
import { Needs } from "./guard.tsx";
import { Loaded } from "./loaded.tsx";
import { More } from "./more.tsx";
import { Page } from "./page.tsx";
import { useRights } from "./session.ts";

type Operation = keyof typeof operations;

interface Empty {
  readonly icon: ReactNode;
  readonly title: string;
  readonly text: string;
}

interface ListProps<Item> {
  readonly query: UseInfiniteQueryResult<readonly Item[]>;
  readonly label: string;
  /** What stands in its place; a line of text where that is enough. */
  readonly empty: Empty | string;
  /** What leads on from an empty list. */
  readonly action?: ReactNode;
  readonly row: (item: Item) => ReactNode;
}

export function List<Item>({ query, label, empty, action, row }: ListProps<Item>) {
  return (
    <Loaded query={query}>
      {(items) => {
        if (items.length > 0)
          return (
            <>
              <Rows label={label}>{items.map(row)}</Rows>
              <More query={query} />
            </>
          );
        if (typeof empty === "string") return <p className="text-soft">{empty}</p>;
        return (
          <EmptyState icon={empty.icon} title={empty.title} action={action}>
            {empty.text}
          </EmptyState>
        );
      }}
    </Loaded>
  );
}

/**
 * A page that is a list: what it is, the one thing to do here, the rows. The thing to do stands in the empty list while
 * there are none, so that there is always one of it.
 */
export function ListPage<Item, Key extends readonly unknown[], Answer, Param>({
  title,
  hint,
  reads,
  query: options,
  empty,
  create,
  row,
  children,
}: {
  readonly title: string;
  readonly hint: string;
  /** Without the right to it the page says which role it takes. */
  readonly reads: Operation;
  readonly query: UseInfiniteQueryOptions<Answer, Error, readonly Item[], Key, Param>;
  readonly empty: Empty;
  readonly create: {
    readonly label: string;
    readonly operation: Operation;
    readonly icon?: ReactNode;
    readonly dialog: (close: () => void) => ReactNode;
  };
  readonly row: (item: Item) => ReactNode;
  /** Below the list. */
  readonly children?: ReactNode;
}) {
  const { may, refused } = useRights();
  const [creating, setCreating] = useState(false);
  const query = useInfiniteQuery({ ...options, enabled: may(reads) });
  const button = (
    <Button
      variant="primary"
      icon={create.icon ?? <Plus className="size-4" aria-hidden />}
      refused={refused(create.operation)}
      onClick={() => setCreating(true)}
    >
      {create.label}
    </Button>
  );
  return (
    <Page title={title} hint={hint} actions={query.data?.length === 0 ? undefined : button}>
      <Needs operation={reads}>
        <List query={query} label={title} empty={empty} action={button} row={row} />
        {children}
      </Needs>
      {creating && create.dialog(() => setCreating(false))}
    </Page>
  );
}

/** One of a list. With a path all of it leads there, except for what can be pressed in it. */
export function Row({
  title,
  text,
  to,
  children,
  below,
}: {
  readonly title: ReactNode;
  readonly text?: ReactNode;
  readonly to?: string;
  /** At its end: a state, what can be done. */
  readonly children?: ReactNode;
  /** Under all of it, over its whole width. */
  readonly below?: ReactNode;
}) {
  const link = to !== undefined;
  return (
    <li
      className={`relative grid grid-cols-[minmax(0,1fr)] gap-2 px-4 py-3 first:rounded-t-lg last:rounded-b-lg ${link ? "hover:bg-hover" : ""}`}
    >
      <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
        <div className="min-w-44 grow basis-0">
          <div className="font-medium wrap-anywhere">
            {link ? (
              <Link to={to} className="after:absolute after:inset-0">
                {title}
              </Link>
            ) : (
              title
            )}
          </div>
          {text !== undefined && <div className="text-[.9333rem] wrap-anywhere text-soft">{text}</div>}
        </div>
        {children !== undefined && (
          <div className="flex flex-wrap items-center gap-x-4 gap-y-2 [&_:is(a,button,select)]:relative">
            {children}
          </div>
        )}
      </div>
      {below}
    </li>
  );
}
