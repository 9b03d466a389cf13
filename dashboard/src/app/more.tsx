/** To the next page of a list, where there is one. */
import type { UseInfiniteQueryResult } from "@tanstack/react-query";
import { useMessages } from "../i18n/locale.tsx";
import { Button } from "../ui/button.tsx";
import { commonMessages } from "./common.messages.ts";
import { Problem } from "./problem.tsx";

export function More({ query }: { readonly query: UseInfiniteQueryResult<unknown> }) {
  const t = useMessages(commonMessages);
  const { hasNextPage, isFetchingNextPage, isFetchNextPageError, fetchNextPage, error } = query;
  if (!hasNextPage) return null;
  return (
    <>
      {isFetchNextPageError && <Problem error={error} />}
      <Button className="justify-self-center" busy={isFetchingNextPage} onClick={() => void fetchNextPage()}>
        {t.more}
      </Button>
    </>
  );
}
