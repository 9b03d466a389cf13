/** From the bytes that a process wrote to the lines of its log. */
import type { Mask } from "./mask.ts";

/** As much of an output as is looked at in one go: twice the longest secret (64 KiB), so that one is always seen whole. */
export const chunkBytes = 128 * 1024;

const newline = 0x0a;

export interface TakenLines {
  readonly lines: readonly string[];
  /** Bytes of the chunk that the lines are; what is behind them will come again. */
  readonly taken: number;
}

/** `flush`: a last line without an end is a line too. */
export function takeLines(chunk: Buffer, mask: Mask, flush: boolean): TakenLines {
  const last = chunk.lastIndexOf(newline);
  if (last !== -1) return { lines: decode(chunk, last, mask), taken: last + 1 };
  if (flush && chunk.length > 0) return { lines: decode(chunk, chunk.length, mask), taken: chunk.length };
  if (chunk.length < chunkBytes) return { lines: [], taken: 0 };
  // One endless line: as much of it as cuts neither a secret nor a character.
  const taken = Math.max(1, mask.safeCut(chunk));
  return { lines: decode(chunk, taken, mask), taken };
}

/** Invalid UTF-8 becomes U+FFFD. */
function decode(chunk: Buffer, end: number, mask: Mask): readonly string[] {
  const text = chunk.toString("utf8", 0, end);
  const lines = (text.includes("\r") ? text.replaceAll("\r\n", "\n").replace(/\r$/, "") : text).split("\n");
  return mask.apply(lines);
}
