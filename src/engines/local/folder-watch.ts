/** Wakes whoever waits for a change in a folder: by the system's notice, and by a timer where that fails or is late. */
import { type FSWatcher, watch } from "node:fs";

export class FolderWatch {
  readonly #folder: string;
  readonly #pollMs: number;
  #watcher: FSWatcher | null = null;
  #changed = false;
  #wake: (() => void) | null = null;

  constructor(folder: string, pollMs: number) {
    this.#folder = folder;
    this.#pollMs = pollMs;
    this.#begin();
  }

  /** Resolves after a change since the last call, or after the poll time, or when the signal aborts. */
  async next(signal: AbortSignal): Promise<void> {
    // The folder may not have been there before.
    if (this.#watcher === null) this.#begin();
    if (!this.#changed && !signal.aborted) {
      await new Promise<void>((resolve) => {
        const wake = () => {
          clearTimeout(timer);
          signal.removeEventListener("abort", wake);
          this.#wake = null;
          resolve();
        };
        const timer = setTimeout(wake, this.#pollMs);
        signal.addEventListener("abort", wake);
        this.#wake = wake;
      });
    }
    this.#changed = false;
  }

  close(): void {
    this.#watcher?.close();
    this.#watcher = null;
  }

  #begin(): void {
    try {
      const watcher = watch(this.#folder, { persistent: false }, (event) => {
        // The folder itself may have been deleted, and another made in its place.
        if (event === "rename") this.#end(watcher);
        this.#changed = true;
        this.#wake?.();
      });
      watcher.on("error", () => this.#end(watcher));
      this.#watcher = watcher;
      this.#changed = true;
    } catch {
      // No such folder yet, or no more watches to be had: the timer does.
    }
  }

  #end(watcher: FSWatcher): void {
    watcher.close();
    if (this.#watcher === watcher) this.#watcher = null;
  }
}
