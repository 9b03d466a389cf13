/**
 * Lists that come page by page, shown as one that grows. What was fetched is kept for half an hour, so whoever comes back
 * finds the list as long as it was, and the router its place in it.
 */
import { type InfiniteData, infiniteQueryOptions, type QueryKey } from "@tanstack/react-query";

/** The API's ways to answer with a list: three of paging, and the whole at once. */
export type Listed<Item> =
  | { readonly data: readonly Item[]; readonly pagination?: { readonly nextCursor: string | null } }
  | { readonly rows: readonly Item[]; readonly nextCursor?: string | null }
  | { readonly items: readonly Item[]; readonly nextCursor?: string | null };

interface PageQuery {
  readonly cursor?: string;
}

const keptMs = 30 * 60_000;

export function pages<Item>(list: {
  readonly key: QueryKey;
  readonly read: (page: PageQuery, signal: AbortSignal) => Promise<Listed<Item>>;
  /** After how long it is asked again, by what is in it. */
  readonly againMs?: (items: readonly Item[]) => number;
}) {
  const { key, read, againMs } = list;
  return infiniteQueryOptions({
    queryKey: key,
    initialPageParam: {} as PageQuery,
    queryFn: ({ signal, pageParam }) => read(pageParam, signal),
    getNextPageParam: (page) => {
      const cursor = nextCursorOf(page);
      return cursor === null ? null : { cursor };
    },
    select: joined<Item>,
    gcTime: keptMs,
    // Each page is a request: a list that was unrolled is asked less often, whatever its length the same number of them.
    refetchInterval: ({ state: { data } }) =>
      againMs === undefined ? false : againMs(data === undefined ? [] : joined(data)) * (data?.pages.length ?? 1),
  });
}

function joined<Item>({ pages }: InfiniteData<Listed<Item>>): readonly Item[] {
  return pages.flatMap(itemsOf);
}

function itemsOf<Item>(page: Listed<Item>): readonly Item[] {
  if ("rows" in page) return page.rows;
  return "items" in page ? page.items : page.data;
}

function nextCursorOf(page: Listed<unknown>): string | null {
  return ("data" in page ? page.pagination?.nextCursor : page.nextCursor) ?? null;
}

/** Every item, for what chooses among all of them. */
export async function all<Item>(read: (page: PageQuery) => Promise<Listed<Item>>): Promise<readonly Item[]> {
  const items: Item[] = [];
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const page: Listed<Item> = await read(cursor === undefined ? {} : { cursor });
    items.push(...itemsOf(page));
    cursor = nextCursorOf(page);
  }
  return items;
}
