/**
 * How lines lie on disk: one text line a record, `<ISO time> <instance or -> <line>`, in numbered segments. An operator
 * greps them; a reader finds a record by segment and offset. A last line without its end is one that a crash cut off:
 * readers leave it out, the writer removes it.
 */
import { InvalidLogPositionError, type LogPosition, type LogStream } from "../engine.ts";

/** A service's share of the disk: 8 segments of 8 MiB. A build's or a run's: its first segment and its newest. */
export const segmentBytes = 8 * 1024 * 1024;
/** A job has many runs. */
const runSegmentBytes = 1024 * 1024;
export const segmentsKept = 8;

export function segmentBytesOf(kind: LogStream["kind"]): number {
  return kind === "run" ? runSegmentBytes : segmentBytes;
}

/** Whether a segment goes when `newest` is begun. Of what ends both ends matter: what it was, and how it ended. */
export function isOutdated(kind: LogStream["kind"], segment: number, newest: number): boolean {
  return kind === "service" ? segment <= newest - segmentsKept : segment !== 1 && segment < newest;
}

export const longestLineBytes = 16 * 1024;

const timestampLength = "2026-01-01T00:00:00.000Z".length;

export interface StoredRecord {
  readonly timestamp: string;
  readonly instance: string | null;
  readonly line: string;
}

/** Lines hold no line ends. */
export function formatRecords(timestamp: string, instance: string | null, lines: readonly string[]): string {
  const prefix = `${timestamp} ${instance ?? "-"} `;
  return `${prefix}${lines.join(`\n${prefix}`)}\n`;
}

/** null for what no writer wrote. */
export function parseRecord(text: string): StoredRecord | null {
  const space = text.indexOf(" ", timestampLength + 1);
  if (text[timestampLength - 1] !== "Z" || text[timestampLength] !== " " || space === -1) return null;
  const instance = text.slice(timestampLength + 1, space);
  return {
    timestamp: text.slice(0, timestampLength),
    instance: instance === "-" ? null : instance,
    line: text.slice(space + 1),
  };
}

/** Pieces of at most 16 KiB of UTF-8; a character is never cut. */
export function cutLine(line: string): readonly string[] {
  // No UTF-16 unit needs more than 3 bytes of UTF-8.
  if (line.length * 3 <= longestLineBytes || Buffer.byteLength(line) <= longestLineBytes) return [line];
  const bytes = Buffer.from(line);
  const pieces: string[] = [];
  for (let start = 0; start < bytes.length; ) {
    const end = characterBoundary(bytes, Math.min(start + longestLineBytes, bytes.length));
    pieces.push(bytes.toString("utf8", start, end));
    start = end;
  }
  return pieces;
}

/** The nearest place at or before `end` that is not inside a character. */
export function characterBoundary(bytes: Uint8Array, end: number): number {
  let boundary = end;
  // A character has at most 3 continuation bytes (10xxxxxx); more of them in a row are no UTF-8 anyway.
  while (boundary > 0 && end - boundary < 3 && ((bytes[boundary] ?? 0) & 0xc0) === 0x80) boundary -= 1;
  return boundary;
}

/** A place between two records of a stream. */
export interface Place {
  readonly segment: number;
  readonly offset: number;
}

export function formatPosition(place: Place): LogPosition {
  return `${place.segment}:${place.offset}`;
}

export function parsePosition(position: LogPosition): Place {
  const [, segment, offset] = /^([1-9]\d{0,8}):(0|[1-9]\d{0,9})$/.exec(position) ?? [];
  if (segment === undefined || offset === undefined) {
    throw new InvalidLogPositionError(`"${position}" is not a position in a log`);
  }
  return { segment: Number(segment), offset: Number(offset) };
}

export function segmentName(segment: number): string {
  return `${String(segment).padStart(6, "0")}.log`;
}

/** null when the file is no segment. */
export function segmentOf(fileName: string): number | null {
  const [, digits] = /^(\d{6,9})\.log$/.exec(fileName) ?? [];
  return digits === undefined ? null : Number(digits);
}
