/** Whether Ksar answers. While it does not, what is shown stays, is said to be old, and is asked for again. */
import { useEffect, useSyncExternalStore } from "react";
import { ApiError } from "../../../sdk/client.ts";
import { queries } from "../api/client.ts";
import { useMessages } from "../i18n/locale.tsx";
import { Notice } from "../ui/notice.tsx";
import { commonMessages } from "./common.messages.ts";

const againMs = 4000;
let isAway = false;

/** 502 to 504 are a proxy's words for it, and the API's own while its database is away. */
function meansAway(error: unknown): boolean {
  return error instanceof ApiError && (error.status === 0 || (error.status >= 502 && error.status <= 504));
}

function subscribe(listener: () => void): () => void {
  return queries.getQueryCache().subscribe((event) => {
    if (event.type !== "updated") return;
    const { action } = event;
    if (action.type === "success") isAway = false;
    else if (action.type === "error" || action.type === "failed") isAway = meansAway(action.error) || isAway;
    listener();
  });
}

export function Connection() {
  const t = useMessages(commonMessages);
  const away = useSyncExternalStore(subscribe, () => isAway);
  useEffect(() => {
    if (!away) return;
    const timer = setInterval(() => void queries.refetchQueries({ type: "active" }), againMs);
    return () => clearInterval(timer);
  }, [away]);
  return (
    <div role="status" className="sticky top-0 z-20 max-lg:top-14">
      {away && <Notice tone="warn">{t.away}</Notice>}
    </div>
  );
}
