/** Server-sent events by `fetch`, which unlike `EventSource` can name a key or an account, and be told to stop. */
import { errorOf, noAnswer } from "./client.ts";

export interface StreamedEvent {
  readonly id: string | null;
  readonly event: string;
  readonly data: unknown;
}

export interface StreamRequest {
  readonly headers: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
  /** Takes up a stream behind this event. */
  readonly lastEventId: string | null;
}

/** Ends when the stream does. Throws `ApiError` where the API refuses, and where the connection breaks. */
export async function* readEvents(url: string, request: StreamRequest): AsyncGenerator<StreamedEvent> {
  const { headers, signal, lastEventId } = request;
  const sent = new Headers({ accept: "text/event-stream", ...headers });
  if (lastEventId !== null) sent.set("last-event-id", lastEventId);
  const response = await fetch(url, { headers: sent, signal }).catch(rethrow);
  if (!response.ok) throw errorOf(await response.json().catch(() => null), response);
  if (response.body === null) return;
  // Decoded here and not by a stream in between, which would fetch ahead however slowly it is read.
  const reader = response.body.getReader();
  const decoder = new TextDecoder();
  let rest = "";
  try {
    for (;;) {
      const { done, value } = await reader.read().catch(rethrow);
      if (done) return;
      // One block at a time: a chunk may hold thousands, and whoever reads may pause between two.
      const text = rest + decoder.decode(value, { stream: true });
      let from = 0;
      for (let end = text.indexOf("\n\n"); end >= 0; end = text.indexOf("\n\n", from)) {
        const event = parse(text.slice(from, end));
        from = end + 2;
        if (event !== null) yield event;
      }
      rest = text.slice(from);
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}

function rethrow(error: unknown): never {
  throw error instanceof DOMException && error.name === "AbortError" ? error : noAnswer(error);
}

/** null for a comment. */
function parse(block: string): StreamedEvent | null {
  const fields = new Map<string, string>();
  for (const line of block.split("\n")) {
    const colon = line.indexOf(": ");
    if (colon > 0) fields.set(line.slice(0, colon), line.slice(colon + 2));
  }
  const data = fields.get("data");
  if (data === undefined) return null;
  return { id: fields.get("id") ?? null, event: fields.get("event") ?? "message", data: JSON.parse(data) };
}
