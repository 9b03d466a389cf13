/** To the next page of a list, where there is one. */
import { useMessages } from "../i18n/locale.tsx";
import { Button } from "../ui/button.tsx";
import { commonMessages } from "./common.messages.ts";

interface Paged {
  readonly hasNextPage: boolean;
  readonly isFetchingNextPage: boolean;
  readonly fetchNextPage: () => Promise<unknown>;
}

export function More({ query }: { readonly query: Paged }) {
  const t = useMessages(commonMessages);
  if (!query.hasNextPage) return null;
  return (
    <Button className="justify-self-center" busy={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()}>
      {t.more}
    </Button>
  );
}
