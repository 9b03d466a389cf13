/**
 * The lines of a log, outside of React: a hundred thousand of them cost nothing but memory, and new ones are shown once a
 * frame however many came. A search looks at a slice at a time, so that typing never waits for it.
 */
import { plainText } from "./ansi.ts";

export interface LogLine {
  /** Where it is in the log, for whoever takes up the log there. */
  readonly id: string | null;
  readonly at: string;
  readonly text: string;
  readonly source: string | null;
}

const sliceSize = 5000;

export class LogLines {
  #lines: LogLine[] = [];
  #version = 0;
  #listeners = new Set<() => void>();
  #waiting = false;
  #needle = "";
  #matches: number[] = [];
  #searched = 0;

  get all(): readonly LogLine[] {
    return this.#lines;
  }
  get version(): number {
    return this.#version;
  }
  /** Of the search, in order. */
  get matches(): readonly number[] {
    return this.#matches;
  }
  get needle(): string {
    return this.#needle;
  }

  append(lines: readonly LogLine[]): void {
    if (lines.length === 0) return;
    for (const line of lines) this.#lines.push(line);
    this.#scan();
    this.#changed();
  }

  prepend(lines: readonly LogLine[]): void {
    this.#lines = [...lines, ...this.#lines];
    this.search(this.#needle);
    this.#changed();
  }

  search(text: string): void {
    this.#needle = text.toLowerCase();
    this.#matches = [];
    this.#searched = 0;
    this.#scan();
    this.#changed();
  }

  text(): string {
    return this.#lines.map(({ text }) => plainText(text)).join("\n");
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  #scan(): void {
    if (this.#needle === "") return;
    const needle = this.#needle;
    const end = Math.min(this.#searched + sliceSize, this.#lines.length);
    const found: number[] = [];
    for (let index = this.#searched; index < end; index += 1) {
      if (
        plainText(this.#lines[index]?.text ?? "")
          .toLowerCase()
          .includes(needle)
      )
        found.push(index);
    }
    this.#searched = end;
    if (found.length > 0) this.#matches = [...this.#matches, ...found];
    if (end === this.#lines.length) return;
    setTimeout(() => {
      if (this.#needle !== needle || this.#searched !== end) return;
      this.#scan();
      this.#changed();
    });
  }

  #changed(): void {
    if (this.#waiting) return;
    this.#waiting = true;
    const tell = () => {
      this.#waiting = false;
      this.#version += 1;
      for (const listener of this.#listeners) listener();
    };
    // A page that nobody looks at gets no frames.
    if (document.hidden) setTimeout(tell, 200);
    else requestAnimationFrame(tell);
  }
}
