/** The one way from the dashboard to the API: the SDK, in the name of the account that is looked at. */
import { QueryClient } from "@tanstack/react-query";
import { ApiError, createClient } from "../../../sdk/client.ts";
import { SessionClient } from "../../../sdk/session.ts";
import { currentAccountId } from "./current-account.ts";

export const apiUrl = "/api/v1";

export function apiHeaders(): Readonly<Record<string, string>> {
  const accountId = currentAccountId();
  return accountId === null ? {} : { "x-ksar-account": accountId };
}

export const api = createClient({ baseUrl: apiUrl, headers: apiHeaders });
export const sessions = new SessionClient("/api/auth");

export const sessionKey = ["session"] as const;

/** What was refused stays refused; what did not come through is tried again, twice. */
function shouldRetry(failures: number, error: Error): boolean {
  if (!(error instanceof ApiError)) return false;
  return failures < 2 && (error.status === 0 || error.status === 503 || error.status === 429);
}

export const queries: QueryClient = new QueryClient({
  defaultOptions: {
    // Offline is said in words, by what could not be loaded; nothing waits for a network in silence.
    queries: {
      networkMode: "always",
      staleTime: 2000,
      retry: shouldRetry,
      retryDelay: (failures, error) => {
        const asked = error instanceof ApiError ? error.retryAfter : null;
        return asked === null ? 500 * 2 ** failures : Math.min(asked, 30) * 1000;
      },
      throwOnError: false,
    },
    mutations: { retry: false, networkMode: "always" },
  },
});

// A session that has ended shows wherever it is noticed first.
queries.getQueryCache().subscribe(({ type, query }) => {
  if (type !== "updated" || query.queryKey[0] === sessionKey[0]) return;
  const { error } = query.state;
  if (error instanceof ApiError && error.status === 401) void queries.invalidateQueries({ queryKey: sessionKey });
});
