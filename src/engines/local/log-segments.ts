/** Reads the segments of one stream: backwards a block at a time, or forwards from a place. */
import { type FileHandle, open, readdir } from "node:fs/promises";
import { join } from "node:path";
import type { LogRecord } from "../engine.ts";
import { formatPosition, type Place, parseRecord, segmentName, segmentOf } from "./log-format.ts";

const blockBytes = 64 * 1024;
const newline = 0x0a;

/** Ascending; empty when there is no such stream. */
export async function listSegments(folder: string): Promise<readonly number[]> {
  const names = await readdir(folder).catch(orElse([]));
  return names.flatMap((name) => segmentOf(name) ?? []).sort((a, b) => a - b);
}

/** null when it is not there (any more). */
export async function openSegment(folder: string, segment: number): Promise<FileHandle | null> {
  return open(join(folder, segmentName(segment)), "r").catch(orElse(null));
}

export async function readAt(handle: FileHandle, start: number, end: number): Promise<Buffer> {
  const buffer = Buffer.allocUnsafe(end - start);
  let filled = 0;
  while (filled < buffer.length) {
    const { bytesRead } = await handle.read(buffer, filled, buffer.length - filled, start + filled);
    if (bytesRead === 0) break;
    filled += bytesRead;
  }
  return buffer.subarray(0, filled);
}

/** Where the complete records end: behind the last line end. */
export async function completeEnd(handle: FileHandle): Promise<number> {
  let end = (await handle.stat()).size;
  while (end > 0) {
    const start = Math.max(0, end - blockBytes);
    const last = (await readAt(handle, start, end)).lastIndexOf(newline);
    if (last !== -1) return start + last + 1;
    end = start;
  }
  return 0;
}

/** The records of one segment that end at or before `end`, newest first, a block at a time. */
export async function* recordsBackward(
  handle: FileHandle,
  segment: number,
  end: number,
): AsyncGenerator<readonly LogRecord[]> {
  // The beginning of a block is mostly the end of a line that begins in the block before.
  let rest: Uint8Array = Buffer.alloc(0);
  for (let position = end; position > 0; ) {
    const start = Math.max(0, position - blockBytes);
    const block = Buffer.concat([await readAt(handle, start, position), rest]);
    const records: LogRecord[] = [];
    let lineEnd = block.length;
    while (lineEnd > 0) {
      const before = lineEnd < 2 ? -1 : block.lastIndexOf(newline, lineEnd - 2);
      if (before === -1 && start > 0) break;
      const record = toRecord(block, before + 1, lineEnd, { segment, offset: start + lineEnd });
      if (record !== null) records.push(record);
      lineEnd = before + 1;
    }
    rest = block.subarray(0, lineEnd);
    position = start;
    yield records;
  }
}

/** The complete records behind `place` in its segment, oldest first: one block of them. */
export async function readForward(
  handle: FileHandle,
  place: Place,
): Promise<{ readonly records: readonly LogRecord[]; readonly next: Place }> {
  const block = await readAt(handle, place.offset, place.offset + 4 * blockBytes);
  const records: LogRecord[] = [];
  let lineStart = 0;
  for (;;) {
    const lineEnd = block.indexOf(newline, lineStart) + 1;
    if (lineEnd === 0) break;
    const next = { segment: place.segment, offset: place.offset + lineEnd };
    const record = toRecord(block, lineStart, lineEnd, next);
    if (record !== null) records.push(record);
    lineStart = lineEnd;
  }
  return { records, next: { segment: place.segment, offset: place.offset + lineStart } };
}

/** The time of a segment's first record; null when it has none. */
export async function firstTimestamp(handle: FileHandle): Promise<string | null> {
  const head = await readAt(handle, 0, blockBytes);
  const end = head.indexOf(newline);
  return end === -1 ? null : (parseRecord(head.toString("utf8", 0, end))?.timestamp ?? null);
}

/** `end` is behind the line end. */
function toRecord(block: Buffer, start: number, end: number, place: Place): LogRecord | null {
  const record = parseRecord(block.toString("utf8", start, end - 1));
  return record === null ? null : { ...record, position: formatPosition(place) };
}

function orElse<Value>(value: Value): (error: NodeJS.ErrnoException) => Value {
  return (error) => {
    if (error.code === "ENOENT") return value;
    throw error;
  };
}
