/** Replaces secrets in what is about to be logged. */
import { characterBoundary } from "../log-format.ts";

const shown = "[masked]";
/** A secret of several lines (a private key) is masked line by line, except for lines like `}`. */
const shortestLine = 4;

export class Mask {
  /** null: not known. Longest first, so that a secret inside another one doesn't leave the other's ends. */
  readonly #values: readonly string[] | null;

  constructor(values: readonly string[] | null) {
    this.#values = values === null ? null : maskedTexts(values);
  }

  apply(lines: readonly string[]): readonly string[] {
    // Secrets that nobody knows any more may be anywhere.
    if (this.#values === null) return lines.map((line) => (line === "" ? line : shown));
    if (this.#values.length === 0) return lines;
    let text = lines.join("\n");
    for (const value of this.#values) text = text.replaceAll(value, () => shown);
    return text.split("\n");
  }

  /** The last place of the chunk at which neither a secret nor a character is cut, were it to go on behind the chunk. */
  safeCut(chunk: Buffer): number {
    const values = (this.#values ?? []).map((value) => Buffer.from(value));
    // 4: the longest character.
    let cut = chunk.length + 1 - Math.max(4, ...values.map((value) => value.length));
    for (;;) {
      const across = values
        .map((value) => chunk.indexOf(value, Math.max(0, cut - value.length + 1)))
        .filter((start) => start !== -1 && start < cut);
      if (across.length === 0) return characterBoundary(chunk, cut);
      cut = Math.min(...across);
    }
  }
}

function maskedTexts(values: readonly string[]): readonly string[] {
  const texts = values.flatMap((value) => {
    const lines = value.split(/\r?\n/);
    return lines.length === 1 ? lines : lines.filter((line) => line.trim().length >= shortestLine);
  });
  return [...new Set(texts)].filter((text) => text !== "").sort((a, b) => b.length - a.length);
}
