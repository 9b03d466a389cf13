/**
 * Server-sent events (WHATWG HTML, 9.2): what a handler returns instead of a value to stream.
 * `id` comes back as `Last-Event-ID` when a client reconnects, so that it misses nothing.
 */
export interface StreamEvent {
  readonly id?: string;
  readonly event?: string;
  readonly data: unknown;
}

export class EventStream {
  readonly events: AsyncIterable<StreamEvent>;
  constructor(events: AsyncIterable<StreamEvent>) {
    this.events = events;
  }
}

/** One event as its lines; the data is JSON, which never holds a line break. */
export function renderEvent(event: StreamEvent): string {
  const id = event.id === undefined ? "" : `id: ${event.id}\n`;
  const name = event.event === undefined ? "" : `event: ${event.event}\n`;
  return `${id}${name}data: ${JSON.stringify(event.data)}\n\n`;
}
