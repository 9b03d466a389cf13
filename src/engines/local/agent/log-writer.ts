/**
 * Writes the logs: one folder a stream, lines appended in the order in which they come, each with its time.
 *
 * A caller awaits its append, and brings no more lines before: what a disk is slow to take waits in the tenant's pipe, not
 * in memory. What a full disk can't take is lost, so that no service waits for room; the log says how much, once it
 * can. A `kill -9` cuts off at most the line that is being written; the next opening removes that piece.
 */
import { type FileHandle, mkdir, open, readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { type Clock, systemClock } from "../../../kernel/clock.ts";
import { isUuid } from "../../../kernel/ids.ts";
import type { LogPosition, LogStream } from "../../engine.ts";
import { jobLogs, streamFolder } from "../layout.ts";
import { cutLine, formatPosition, formatRecords, isOutdated, segmentBytesOf, segmentName } from "../log-format.ts";
import { completeEnd, listSegments, openSegment, recordsBackward } from "../log-segments.ts";
import { isDiskFull } from "./disk-full.ts";

/** A quiet stream's file is closed after so long. */
const idleMs = 30_000;

export class LogWriter {
  readonly #logs: string;
  readonly #clock: Clock;
  readonly #streams = new Map<string, StreamFile>();
  readonly #sweep: NodeJS.Timeout;

  constructor(logs: string, clock: Clock = systemClock) {
    this.#logs = logs;
    this.#clock = clock;
    this.#sweep = setInterval(() => this.#closeIdle(), idleMs);
  }

  /** Resolves with the place behind the lines when they are in the file. Lines hold no line ends. */
  async append(stream: LogStream, instance: string | null, lines: readonly string[]): Promise<LogPosition> {
    return this.#stream(stream).append(instance, lines);
  }

  /** Notes that so many lines never got here. */
  lose(stream: LogStream, lines: number): void {
    this.#stream(stream).lost += lines;
  }

  /** Where the next line will be. */
  async end(stream: LogStream): Promise<LogPosition> {
    return this.#stream(stream).end();
  }

  async remove(stream: LogStream): Promise<void> {
    await this.#stream(stream).remove();
  }

  /** Those of all its runs. */
  async removeJob(jobId: string): Promise<void> {
    const folder = jobLogs(this.#logs, jobId);
    const names = await readdir(folder).catch(() => []);
    for (const runId of names.filter(isUuid)) await this.remove({ kind: "run", jobId, runId });
    await rm(folder, { recursive: true, force: true });
  }

  async close(): Promise<void> {
    clearInterval(this.#sweep);
    await Promise.all([...this.#streams.values()].map((file) => file.close()));
  }

  #stream(stream: LogStream): StreamFile {
    const folder = streamFolder(this.#logs, stream);
    const known = this.#streams.get(folder) ?? new StreamFile(folder, stream.kind, this.#clock);
    this.#streams.set(folder, known);
    return known;
  }

  #closeIdle(): void {
    for (const [folder, file] of this.#streams) {
      if (!file.isIdle(idleMs)) continue;
      this.#streams.delete(folder);
      void file.close();
    }
  }
}

function middle(kind: LogStream["kind"]): string {
  const room = (2 * segmentBytesOf(kind)) / 2 ** 20;
  return `[ksar] the log of a ${kind} has room for ${room} MiB: what was said between its beginning and here was dropped`;
}

interface OpenSegment {
  readonly handle: FileHandle;
  readonly segment: number;
  size: number;
}

class StreamFile {
  /** Lines that a full disk did not take, and that the log has not told of. */
  lost = 0;
  readonly #folder: string;
  readonly #kind: LogStream["kind"];
  readonly #clock: Clock;
  #open: OpenSegment | null = null;
  /** Milliseconds: the time of the newest record; the machine's clock may be set back, a log's is not. */
  #newest = 0;
  /** One thing after the other. */
  #turn: Promise<unknown> = Promise.resolve();
  #users = 0;
  #usedAt = 0;

  constructor(folder: string, kind: LogStream["kind"], clock: Clock) {
    this.#folder = folder;
    this.#kind = kind;
    this.#clock = clock;
  }

  isIdle(ms: number): boolean {
    return this.#users === 0 && this.lost === 0 && this.#clock.now().getTime() - this.#usedAt > ms;
  }

  append(instance: string | null, lines: readonly string[]): Promise<LogPosition> {
    return this.#inTurn(async () => {
      const pieces = lines.flatMap(cutLine);
      try {
        return await this.#append(instance, pieces);
      } catch (error) {
        if (!isDiskFull(error)) throw error;
        this.lost += pieces.length;
        return formatPosition({ segment: this.#open?.segment ?? 1, offset: this.#open?.size ?? 0 });
      }
    });
  }

  async #append(instance: string | null, pieces: readonly string[]): Promise<LogPosition> {
    // Knows the newest time, which may be an earlier agent's.
    this.#open ??= await this.#openNewest();
    const time = this.#time();
    const { lost } = this;
    const gap =
      lost === 0 ? "" : formatRecords(time, null, [`[ksar] ${lost} lines are missing here: the disk was full`]);
    const bytes = Buffer.from(gap + formatRecords(time, instance, pieces));
    const file = await this.#roomFor(bytes.length);
    await write(file, bytes);
    this.lost -= lost;
    return formatPosition({ segment: file.segment, offset: file.size });
  }

  end(): Promise<LogPosition> {
    return this.#inTurn(async () => {
      const file = await this.#roomFor(0);
      return formatPosition({ segment: file.segment, offset: file.size });
    });
  }

  remove(): Promise<void> {
    return this.#inTurn(async () => {
      await this.#closeSegment();
      this.lost = 0;
      await rm(this.#folder, { recursive: true, force: true });
    });
  }

  close(): Promise<void> {
    return this.#inTurn(() => this.#closeSegment());
  }

  #inTurn<Value>(action: () => Promise<Value>): Promise<Value> {
    this.#users += 1;
    const result = this.#turn.then(action).finally(() => {
      this.#users -= 1;
      this.#usedAt = this.#clock.now().getTime();
    });
    this.#turn = result.catch(() => undefined);
    return result;
  }

  async #roomFor(bytes: number): Promise<OpenSegment> {
    const current = this.#open ?? (await this.#openNewest());
    if (current.size === 0 || current.size + bytes <= segmentBytesOf(this.#kind)) return current;
    await this.#closeSegment();
    const newest = current.segment + 1;
    const outdated = (await listSegments(this.#folder)).filter((segment) => isOutdated(this.#kind, segment, newest));
    for (const segment of outdated) await rm(join(this.#folder, segmentName(segment)));
    const file = await this.#openSegment(newest);
    if (this.#kind !== "service" && outdated.length > 0) {
      await write(file, Buffer.from(formatRecords(this.#time(), null, [middle(this.#kind)])));
    }
    return file;
  }

  #time(): string {
    this.#newest = Math.max(this.#newest, this.#clock.now().getTime());
    return new Date(this.#newest).toISOString();
  }

  async #openNewest(): Promise<OpenSegment> {
    await mkdir(this.#folder, { recursive: true, mode: 0o700 });
    const segments = await listSegments(this.#folder);
    this.#newest = Math.max(this.#newest, await newestTime(this.#folder, segments));
    return this.#openSegment(segments.at(-1) ?? 1);
  }

  async #openSegment(segment: number): Promise<OpenSegment> {
    const handle = await open(join(this.#folder, segmentName(segment)), "a+", 0o600);
    const size = await completeEnd(handle);
    await handle.truncate(size);
    this.#open = { handle, segment, size };
    return this.#open;
  }

  async #closeSegment(): Promise<void> {
    const file = this.#open;
    this.#open = null;
    await file?.handle.close();
  }
}

/** All or nothing, as far as the disk lets us: a full one may have taken a part. */
async function write(file: OpenSegment, bytes: Buffer): Promise<void> {
  try {
    await file.handle.appendFile(bytes);
  } catch (error) {
    await file.handle.truncate(file.size).catch(() => undefined);
    throw error;
  }
  file.size += bytes.length;
}

async function newestTime(folder: string, segments: readonly number[]): Promise<number> {
  for (const segment of segments.toReversed()) {
    const handle = await openSegment(folder, segment);
    if (handle === null) continue;
    try {
      for await (const [newest] of recordsBackward(handle, segment, await completeEnd(handle))) {
        if (newest !== undefined) return Date.parse(newest.timestamp);
      }
    } finally {
      await handle.close();
    }
  }
  return 0;
}
