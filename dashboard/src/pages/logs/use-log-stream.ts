/** A followed log: its newest lines, then each new one; taken up again where it broke off. */
import { useEffect, useState } from "react";
import { ApiError, answerOf, type Schemas } from "../../../../sdk/client.ts";
import { readEvents } from "../../../../sdk/event-stream.ts";
import { api, apiHeaders, apiUrl } from "../../api/client.ts";
import { type LogLine, LogLines } from "../../ui/log/log-lines.ts";

export type LogSource =
  | { readonly kind: "service"; readonly id: string; readonly instance: string | null }
  | { readonly kind: "deployment"; readonly id: string }
  | { readonly kind: "run"; readonly id: string };

const places = { service: "services", deployment: "deployments", run: "cron/runs" } as const;

export type StreamState = "connecting" | "open" | "broken" | "ended";

const newest = 1000;
const longestWaitMs = 15_000;
/** A task that a person notices has 50 ms: what shows the lines needs some of them. */
const sliceMs = 8;

export interface LogStream {
  readonly lines: LogLines;
  readonly state: StreamState;
  /** What the API refused, for good. */
  readonly error: unknown;
}

export function useLogStream(source: LogSource, onEnd?: () => void): LogStream {
  const { kind, id } = source;
  const instance = source.kind === "service" ? source.instance : null;
  const [stream, setStream] = useState<LogStream>(() => ({ lines: new LogLines(), state: "connecting", error: null }));
  // biome-ignore lint/correctness/useExhaustiveDependencies: another callback is no other stream
  useEffect(() => {
    const abort = new AbortController();
    const lines = new LogLines();
    setStream({ lines, state: "connecting", error: null });
    const tell = (state: StreamState, error: unknown = null) => {
      if (!abort.signal.aborted) setStream({ lines, state, error });
    };
    void follow(kind, id, instance, lines, abort.signal, tell).then((ended) => {
      if (ended && !abort.signal.aborted) onEnd?.();
    });
    return () => abort.abort();
  }, [kind, id, instance]);
  return stream;
}

/** Whether it came to its end. */
async function follow(
  kind: LogSource["kind"],
  id: string,
  instance: string | null,
  lines: LogLines,
  signal: AbortSignal,
  tell: (state: StreamState, error?: unknown) => void,
): Promise<boolean> {
  const query = new URLSearchParams({
    follow: "true",
    limit: String(newest),
    ...(instance === null ? {} : { instance }),
  });
  const url = `${apiUrl}/${places[kind]}/${id}/logs?${query}`;
  let lastEventId: string | null = null;
  let waitMs = 500;
  let began = performance.now();
  while (!signal.aborted) {
    let pending: LogLine[] = [];
    const flush = () => {
      lines.append(pending);
      pending = [];
    };
    const timer = setInterval(flush, 50);
    try {
      tell("open");
      for await (const event of readEvents(url, { headers: apiHeaders(), signal, lastEventId })) {
        waitMs = 500;
        if (event.event === "end") {
          flush();
          tell("ended");
          return true;
        }
        lastEventId = event.id ?? lastEventId;
        const entry = event.data as Schemas["LogEntry"]; // the contract's shape of the stream's events
        pending.push({ id: event.id, at: entry.timestamp, text: entry.line, source: entry.instance });
        // However fast they come, the page is let in between.
        if (performance.now() - began > sliceMs) {
          await new Promise((resolve) => setTimeout(resolve));
          began = performance.now();
        }
      }
    } catch (error) {
      if (signal.aborted) return false;
      if (error instanceof ApiError && error.status >= 400 && error.status < 500 && error.status !== 429) {
        tell("ended", error);
        return false;
      }
    } finally {
      clearInterval(timer);
      flush();
    }
    tell("broken");
    await new Promise((resolve) => setTimeout(resolve, waitMs));
    waitMs = Math.min(waitMs * 2, longestWaitMs);
  }
  return false;
}

/** The page of lines before those that are there; whether there may be more. */
export async function loadOlder(source: LogSource, lines: LogLines): Promise<boolean> {
  const before = lines.all[0]?.id ?? null;
  if (before === null) return false;
  const page = await pageBefore(source, { limit: newest, cursor: before });
  // The next page begins before the cursor: the first of these lines is known by it.
  const older = page.data.map((entry, index) => ({
    id: index === 0 ? page.pagination.nextCursor : null,
    at: entry.timestamp,
    text: entry.line,
    source: entry.instance,
  }));
  lines.prepend(older);
  return page.pagination.hasMore;
}

function pageBefore(source: LogSource, query: { readonly limit: number; readonly cursor: string }) {
  const { id } = source;
  if (source.kind === "deployment")
    return answerOf(api.GET("/deployments/{id}/logs", { params: { path: { id }, query } }));
  if (source.kind === "run")
    return answerOf(api.GET("/cron/runs/{runId}/logs", { params: { path: { runId: id }, query } }));
  const { instance } = source;
  return answerOf(
    api.GET("/services/{id}/logs", {
      params: { path: { id }, query: { ...query, ...(instance === null ? {} : { instance }) } },
    }),
  );
}
