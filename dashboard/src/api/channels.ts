import { answerOf } from "../../../sdk/client.ts";
import { api } from "./client.ts";
import { pages } from "./pages.ts";

export function channelsQuery() {
  return pages({ key: ["channels"], read: (_, signal) => answerOf(api.GET("/channels", { signal })) });
}
