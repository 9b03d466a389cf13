import { answerOf } from "../../../sdk/client.ts";
import { api } from "./client.ts";
import { pages } from "./pages.ts";

/** Rules are checked every 30 s. */
const checkedMs = 15_000;

export function alertsQuery() {
  return pages({
    key: ["alerts"],
    read: (_, signal) => answerOf(api.GET("/alerts", { signal })),
    againMs: () => checkedMs,
  });
}
