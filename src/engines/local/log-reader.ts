/** Reads the logs that the agent keeps from disk, without asking it: they are there while it is not. */
import {
  InvalidLogPositionError,
  type LogFilter,
  type LogPosition,
  type LogReader,
  type LogRecord,
  type LogStream,
} from "../engine.ts";
import { FolderWatch } from "./folder-watch.ts";
import { streamFolder } from "./layout.ts";
import { type Place, parsePosition } from "./log-format.ts";
import {
  completeEnd,
  firstTimestamp,
  listSegments,
  openSegment,
  readAt,
  readForward,
  recordsBackward,
} from "./log-segments.ts";

/** How late a new record may be seen where the system gives no notice of changes; 200 ms are promised. */
const pollMs = 150;
const newline = 0x0a;

export class DiskLogReader implements LogReader {
  readonly #logs: string;

  constructor(logs: string) {
    this.#logs = logs;
  }

  async read(
    stream: LogStream,
    query: LogFilter & { readonly limit: number; readonly before?: LogPosition },
  ): Promise<{ readonly records: readonly LogRecord[]; readonly older: LogPosition | null }> {
    const folder = streamFolder(this.#logs, stream);
    const filter = new RecordFilter(query);
    const before = query.before === undefined ? null : await this.#locate(folder, query.before);
    const newestFirst: LogRecord[] = [];
    for await (const record of matchesBackward(folder, before, filter)) {
      // One more than asked for: there is an older page, and it ends behind this record.
      if (newestFirst.length === query.limit) return { records: newestFirst.reverse(), older: record.position };
      newestFirst.push(record);
    }
    return { records: newestFirst.reverse(), older: null };
  }

  async *follow(
    stream: LogStream,
    query: LogFilter & { readonly after: LogPosition | "start" },
    signal: AbortSignal,
  ): AsyncGenerator<readonly LogRecord[]> {
    const folder = streamFolder(this.#logs, stream);
    const filter = new RecordFilter(query);
    let place = query.after === "start" ? { segment: 0, offset: 0 } : await this.#locate(folder, query.after);
    const watch = new FolderWatch(folder, pollMs);
    try {
      while (!signal.aborted) {
        const batch = await nextBatch(folder, place);
        if (batch === null) {
          await watch.next(signal);
          continue;
        }
        place = batch.next;
        const records = batch.records.filter((record) => filter.matches(record));
        if (records.length > 0 && !signal.aborted) yield records;
      }
    } finally {
      watch.close();
    }
  }

  /** The place of a position that this reader may have given out. */
  async #locate(folder: string, position: LogPosition): Promise<Place> {
    const place = parsePosition(position);
    const segments = await listSegments(folder);
    // Its segment may have been rotated away since.
    if (!segments.includes(place.segment) && place.segment < (segments.at(-1) ?? 0)) return place;
    const handle = await openSegment(folder, place.segment);
    try {
      if (handle !== null && (await isBoundary(handle, place.offset))) return place;
    } finally {
      await handle?.close();
    }
    throw new InvalidLogPositionError(`"${position}" is not a position in this log`);
  }
}

class RecordFilter {
  readonly since: string | null;
  readonly until: string | null;
  readonly #search: string | null;
  readonly #instance: string | null;

  constructor(filter: LogFilter) {
    // In the one form that records have: then times compare as text.
    this.since = filter.since === undefined ? null : new Date(filter.since).toISOString();
    this.until = filter.until === undefined ? null : new Date(filter.until).toISOString();
    this.#search = filter.search?.toLowerCase() ?? null;
    this.#instance = filter.instance ?? null;
  }

  matches(record: LogRecord): boolean {
    return (
      (this.since === null || record.timestamp >= this.since) &&
      (this.until === null || record.timestamp < this.until) &&
      (this.#instance === null || record.instance === this.#instance) &&
      (this.#search === null || record.line.toLowerCase().includes(this.#search))
    );
  }
}

async function isBoundary(handle: Parameters<typeof readAt>[0], offset: number): Promise<boolean> {
  if (offset === 0) return true;
  return (await readAt(handle, offset - 1, offset))[0] === newline;
}

async function* matchesBackward(folder: string, before: Place | null, filter: RecordFilter): AsyncGenerator<LogRecord> {
  const segments = (await listSegments(folder)).filter((segment) => before === null || segment <= before.segment);
  for (const segment of segments.toReversed()) {
    const handle = await openSegment(folder, segment);
    if (handle === null) return;
    try {
      const first = await firstTimestamp(handle);
      if (filter.until !== null && first !== null && first >= filter.until) continue;
      const end = segment === before?.segment ? before.offset : await completeEnd(handle);
      for await (const records of recordsBackward(handle, segment, end)) {
        for (const record of records) if (filter.matches(record)) yield record;
        const oldest = records.at(-1);
        if (filter.since !== null && oldest !== undefined && oldest.timestamp < filter.since) return;
      }
    } finally {
      await handle.close();
    }
  }
}

/** null when there is nothing behind `place` yet. */
async function nextBatch(
  folder: string,
  place: Place,
): Promise<{ readonly records: readonly LogRecord[]; readonly next: Place } | null> {
  const segments = await listSegments(folder);
  const newest = segments.at(-1);
  if (newest === undefined) return null;
  // Its segment was rotated away: from the next. Or the whole stream was removed and begun anew: from the oldest there is.
  const gone = !segments.includes(place.segment);
  const next = segments.find((segment) => segment > place.segment) ?? segments[0] ?? newest;
  const from = gone ? { segment: next, offset: 0 } : place;
  const handle = await openSegment(folder, from.segment);
  if (handle === null) return null;
  try {
    // A shorter file than before is another one: the stream was removed and begun anew.
    const begun = (await handle.stat()).size < from.offset;
    const batch = await readForward(handle, begun ? { segment: from.segment, offset: 0 } : from);
    if (batch.records.length > 0) return batch;
  } finally {
    await handle.close();
  }
  // A segment that has a follower was complete before that one was made, which was before it was read.
  const follower = segments.find((segment) => segment > from.segment);
  return follower === undefined ? null : { records: [], next: { segment: follower, offset: 0 } };
}
