/**
 * The way of a process's output into its log, such that no line is lost whenever an agent is killed:
 *
 *   process ──► pipe (a FIFO, the process's fds 1 and 2) ──► copier (`dd`) ──► spool file ──► agent ──► log
 *
 * The copier lives on without the agent. What is in the spool is taken out of it only by moving the cursor, and the cursor
 * is moved after the lines are in the log. An agent that was killed between the two finds lines in the log behind its
 * cursor, and leaves out just those when it takes them again. A spool ends with its copier; the next copier begins
 * a new one with the unfinished line that the old one ended in.
 *
 * While the disk is full there is nothing to copy to: what is said is counted and lost, so that no service waits for room.
 *
 * The process holds the pipe's both ends, so that it never sees a broken one. What a hostile tenant could do: write without
 * end (it waits: for the copier's limit, for its turn at the agent, for the disk), read its own output back, keep the pipe
 * open beyond its end (`settle` waits 1 s). Spools lie in a folder that is Ksar's alone, and hold lines as they were
 * said, secrets included, until the log has them.
 */
import {
  chownSync,
  closeSync,
  constants,
  existsSync,
  fstatSync,
  openSync,
  readFileSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { join } from "node:path";
import type { LogPosition, LogStream } from "../../engine.ts";
import { streamFolder } from "../layout.ts";
import { cutLine, parsePosition } from "../log-format.ts";
import { listSegments, openSegment, readForward } from "../log-segments.ts";
import { Copier, copierBlocks } from "./copier.ts";
import { isDiskFull } from "./disk-full.ts";
import type { LogWriter } from "./log-writer.ts";
import type { Mask } from "./mask.ts";
import { takeLines } from "./output-lines.ts";
import type { OutputPump, OutputSource } from "./output-pump.ts";
import type { Pipes } from "./pipes.ts";

/** An unfinished line is kept as a line after so long. */
const partialMs = 1000;
/** How long the end of an output is waited for once its process is gone: escaped children may hold the pipe open. */
const settleMs = 1000;
const longestSettleMs = 10_000;
/** A copier that could not write is replaced after so long. */
const retryMs = 1000;
/** A disk that has no room for so much is full: after a copier that could not write. */
const roomBytes = 64 * 1024;
const drainMs = 50;
const newline = 0x0a;
/** The cursor is always written whole, over the one before. */
const cursorBytes = 160;

interface Cursor {
  readonly generation: number;
  readonly offset: number;
  /** Behind the last line that was kept. */
  readonly position: LogPosition;
}

export interface SpoolOptions {
  readonly name: string;
  /** Of the run: holds pipe and cursor. */
  readonly folder: string;
  /** Of all runs: holds the spools. */
  readonly outputFolder: string;
  readonly logs: string;
  readonly stream: LogStream;
  readonly instance: string | null;
  readonly owner: { readonly uid: number; readonly gid: number } | null;
  readonly writer: LogWriter;
  readonly pump: OutputPump;
  readonly pipes: Pipes;
}

export class OutputSpool implements OutputSource {
  readonly #options: SpoolOptions;
  #mask: Mask;
  #cursor: Cursor;
  readonly #cursorFile: number;
  /** The pipe's reading end: what is in the pipe stays there while no copier is. */
  readonly #pipe: number;
  #spool: FileHandle | null = null;
  #copier: Copier | null = null;
  /** There is, or may be, more to copy, and no copier. */
  #more = false;
  /** The last copier ended early: the disk may be full. */
  #doubtful = false;
  /** While the disk is full: the pipe, read without waiting, and when it was last seen to be full. */
  #drain: { readonly pipe: number; readonly since: number } | null = null;
  /** A process writes, or may write. */
  #inUse = false;
  #seeded = 0;
  /** Lines that an earlier agent kept behind its last cursor. */
  readonly #kept: readonly string[];
  #keptFrom = 0;
  #timer: NodeJS.Timeout | null = null;
  #flushPartial = false;
  #settling: (() => void) | null = null;
  /** Milliseconds of `performance.now()`: when something last came, and when waiting for the end began. */
  #lastHeard = 0;
  #settlingSince = 0;

  private constructor(options: SpoolOptions, mask: Mask, cursor: Cursor, kept: readonly string[]) {
    this.#options = options;
    this.#mask = mask;
    this.#cursor = cursor;
    this.#kept = kept;
    this.#cursorFile = openSync(join(options.folder, "cursor"), constants.O_RDWR | constants.O_CREAT, 0o600);
    const held = openSync(join(options.folder, "pipe"), constants.O_RDWR);
    // Opening the reading end alone waits for somebody who writes.
    this.#pipe = openSync(join(options.folder, "pipe"), constants.O_RDONLY);
    closeSync(held);
  }

  static async create(options: SpoolOptions, mask: Mask): Promise<OutputSpool> {
    const pipe = join(options.folder, "pipe");
    await options.pipes.make(pipe);
    // Its owner may open it again, as programs do that write to /dev/stdout.
    if (options.owner !== null) chownSync(pipe, options.owner.uid, options.owner.gid);
    const spool = new OutputSpool(
      options,
      mask,
      { generation: 0, offset: 0, position: await options.writer.end(options.stream) },
      [],
    );
    spool.#writeCursor();
    options.pump.add(options.name, spool);
    return spool;
  }

  /** Goes on where an earlier agent was; null when it had not come so far as to begin. */
  static async adopt(
    options: SpoolOptions,
    mask: Mask,
    copiers: ReadonlyMap<string, Copier>,
  ): Promise<OutputSpool | null> {
    const cursor = readCursor(options.folder);
    if (cursor === null) return null;
    // The next spool is made in one piece when the old one is used up: the agent was killed before it noted that.
    const begun = existsSync(spoolFile(options, cursor.generation + 1));
    const current = begun ? { ...cursor, generation: cursor.generation + 1, offset: 0 } : cursor;
    const spool = new OutputSpool(options, mask, current, await linesBehind(options, cursor.position));
    const copier = copiers.get(`${options.name}.${current.generation}`);
    spool.#inUse = true;
    if (copier === undefined) spool.#more = true;
    else spool.#watch(copier);
    options.pump.add(options.name, spool);
    return spool;
  }

  set mask(mask: Mask) {
    this.#mask = mask;
  }

  /** Opens the pipe for a process that is about to start; the caller closes its end once that has started. */
  begin(): number {
    const inlet = openSync(join(this.#options.folder, "pipe"), constants.O_RDWR);
    this.#inUse = true;
    if (this.#copier === null) this.#copyOn();
    return inlet;
  }

  /** Resolves when all that an ended process said is in the log. */
  async settle(): Promise<void> {
    this.#lastHeard = performance.now();
    this.#settlingSince = this.#lastHeard;
    this.#inUse = false;
    await new Promise<void>((resolve) => {
      this.#settling = resolve;
      this.#request();
    });
    this.#settling = null;
  }

  /** Lets go of everything; what was settled is in the log. */
  discard(): void {
    this.#options.pump.remove(this.#options.name);
    this.#copier?.kill();
    if (this.#timer !== null) clearTimeout(this.#timer);
    closeSync(this.#cursorFile);
    closeSync(this.#pipe);
    if (this.#drain !== null) closeSync(this.#drain.pipe);
    this.#drain = null;
    void this.#spool?.close();
    rmSync(this.#file(), { force: true });
  }

  hasMore(): boolean {
    return this.#spool === null || fstatSync(this.#spool.fd).size > this.#cursor.offset;
  }

  async step(buffer: Buffer): Promise<boolean> {
    // Asked before reading: what a copier wrote before its end is there then.
    const copying = this.#copier !== null;
    const chunk = await this.#read(buffer);
    const settled = this.#settling;
    const atEnd = settled !== null && (copying ? this.#isOverdue() : !this.#more);
    const { lines, taken } = takeLines(chunk, this.#mask, this.#flushPartial || atEnd);
    if (taken > 0) {
      await this.#keep(lines, taken);
      return true;
    }
    if (!copying && this.#more) return this.#tryCopier(chunk) || this.#letGo(buffer);
    if (atEnd) settled();
    else if (chunk.length > 0 || settled !== null) this.#lookAgain();
    return false;
  }

  #isOverdue(): boolean {
    const now = performance.now();
    return now - this.#lastHeard >= settleMs || now - this.#settlingSince >= longestSettleMs;
  }

  async #read(buffer: Buffer): Promise<Buffer> {
    if (this.#cursor.generation === 0) return buffer.subarray(0, 0);
    this.#spool ??= await open(this.#file(), constants.O_RDONLY);
    const { bytesRead } = await this.#spool.read(buffer, 0, buffer.length, this.#cursor.offset);
    return buffer.subarray(0, bytesRead);
  }

  async #keep(lines: readonly string[], taken: number): Promise<void> {
    const { writer, stream, instance } = this.#options;
    const fresh = this.#withoutKept(lines);
    const position = fresh.length === 0 ? this.#cursor.position : await writer.append(stream, instance, fresh);
    this.#cursor = { ...this.#cursor, offset: this.#cursor.offset + taken, position };
    this.#writeCursor();
    this.#flushPartial = false;
    this.#lastHeard = performance.now();
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
  }

  /** They were kept in this order, maybe with others of the same stream between them, and not all of them. */
  #withoutKept(lines: readonly string[]): readonly string[] {
    if (this.#keptFrom === this.#kept.length) return lines;
    const pieces = lines.flatMap(cutLine);
    for (const [index, piece] of pieces.entries()) {
      const found = this.#kept.indexOf(piece, this.#keptFrom);
      this.#keptFrom = found === -1 ? this.#kept.length : found + 1;
      if (found === -1) return pieces.slice(index);
    }
    return [];
  }

  #lookAgain(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = null;
      this.#flushPartial = this.#settling === null;
      this.#request();
    }, partialMs);
  }

  /** false while the disk is full. */
  #tryCopier(rest: Buffer): boolean {
    if (this.#drain !== null && performance.now() - this.#drain.since < retryMs) return false;
    const before = this.#drain;
    this.#drain = null;
    if (before !== null) closeSync(before.pipe);
    try {
      this.#startCopier(rest);
      return true;
    } catch (error) {
      rmSync(join(this.#options.folder, "rest"), { force: true });
      if (!isDiskFull(error)) throw error;
      const pipe = openSync(join(this.#options.folder, "pipe"), constants.O_RDONLY | constants.O_NONBLOCK);
      this.#drain = { pipe, since: performance.now() };
      return false;
    }
  }

  /** Takes out of the pipe what there is no room for. */
  #letGo(buffer: Buffer): boolean {
    const bytes = this.#drain === null ? null : readNow(this.#drain.pipe, buffer);
    if (bytes !== null && bytes > 0) {
      const lines = buffer.subarray(0, bytes).reduce((count, byte) => (byte === newline ? count + 1 : count), 0);
      this.#options.writer.lose(this.#options.stream, lines);
      this.#lastHeard = performance.now();
      return true;
    }
    // Its process has ended: nothing more will come.
    if (this.#settling !== null && (bytes === 0 || this.#isOverdue())) {
      this.#more = false;
      return true;
    }
    setTimeout(() => this.#request(), drainMs);
    return false;
  }

  /** Begins a new spool with what is left of the old one. */
  #startCopier(rest: Buffer): void {
    const { name } = this.#options;
    const old = this.#file();
    const generation = this.#cursor.generation + 1;
    const beginning = join(this.#options.folder, "rest");
    if (this.#doubtful) writeFileSync(beginning, Buffer.alloc(roomBytes), { mode: 0o600 });
    writeFileSync(beginning, rest, { mode: 0o600 });
    renameSync(beginning, spoolFile(this.#options, generation));
    this.#doubtful = false;
    void this.#spool?.close();
    this.#spool = null;
    this.#cursor = { ...this.#cursor, generation, offset: 0 };
    this.#writeCursor();
    rmSync(old, { force: true });
    this.#seeded = rest.length;
    this.#more = false;
    this.#lastHeard = performance.now();
    this.#watch(Copier.start(`${name}.${generation}`, this.#pipe, this.#file()));
  }

  #watch(copier: Copier): void {
    this.#copier = copier;
    void copier.ended.then(() => {
      this.#copier = null;
      const copied = (statSync(this.#file(), { throwIfNoEntry: false })?.size ?? 0) - this.#seeded;
      if (copied >= copierBlocks) return this.#copyOn();
      // Fewer bytes than blocks: not its limit, but the pipe's end, or a full disk.
      this.#doubtful = true;
      if (this.#inUse) setTimeout(() => this.#inUse && this.#copier === null && this.#copyOn(), retryMs);
      this.#request();
    });
  }

  #copyOn(): void {
    this.#more = true;
    this.#request();
  }

  #request(): void {
    this.#options.pump.request(this.#options.name);
  }

  #writeCursor(): void {
    writeSync(this.#cursorFile, JSON.stringify(this.#cursor).padEnd(cursorBytes), 0);
  }

  #file(): string {
    return spoolFile(this.#options, this.#cursor.generation);
  }
}

/** null when nothing is there yet; 0 when nobody writes any more. */
function readNow(pipe: number, buffer: Buffer): number | null {
  try {
    return readSync(pipe, buffer);
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "EAGAIN") return null;
    throw error;
  }
}

function spoolFile(options: SpoolOptions, generation: number): string {
  return join(options.outputFolder, `${options.name}.${generation}`);
}

/** null when there is none. */
function readCursor(folder: string): Cursor | null {
  try {
    return JSON.parse(readFileSync(join(folder, "cursor"), "utf8"));
  } catch {
    return null;
  }
}

async function linesBehind(options: SpoolOptions, position: LogPosition): Promise<readonly string[]> {
  const folder = streamFolder(options.logs, options.stream);
  const start = parsePosition(position);
  const lines: string[] = [];
  for (const segment of await listSegments(folder)) {
    if (segment < start.segment) continue;
    const handle = await openSegment(folder, segment);
    if (handle === null) continue;
    try {
      let place = { segment, offset: segment === start.segment ? start.offset : 0 };
      for (;;) {
        const { records, next } = await readForward(handle, place);
        if (records.length === 0) break;
        for (const record of records) if (record.instance === options.instance) lines.push(record.line);
        place = next;
      }
    } finally {
      await handle.close();
    }
  }
  return lines;
}
