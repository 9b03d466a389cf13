/**
 * Takes the outputs of all processes in turn, one chunk each: one that shouts gets no more turns than one that whispers,
 * and one buffer is enough for all of them.
 */
import { type FSWatcher, watch } from "node:fs";
import type { Logger } from "../../../platform/log.ts";
import { chunkBytes } from "./output-lines.ts";

export interface OutputSource {
  /** Takes one chunk; true when there may be more at once. */
  step(buffer: Buffer): Promise<boolean>;
  /** Whether there is something to take; cheap. */
  hasMore(): boolean;
}

/** Where the system's notices are lost or late. */
const sweepMs = 1000;
/** After a failure to write, most likely a full disk. */
const retryMs = 1000;

export class OutputPump {
  readonly #logger: Logger;
  readonly #sources = new Map<string, OutputSource>();
  readonly #waiting = new Set<string>();
  readonly #buffer = Buffer.allocUnsafeSlow(chunkBytes);
  readonly #watcher: FSWatcher;
  readonly #sweep: NodeJS.Timeout;
  #busy = false;
  #closed = false;

  /** Files in `folder` are named `<source>.<number>`. */
  constructor(folder: string, logger: Logger) {
    this.#logger = logger;
    this.#watcher = watch(folder, (_, file) => {
      if (file !== null) this.request(file.slice(0, file.lastIndexOf(".")));
    });
    this.#watcher.on("error", (error) =>
      logger.warn({ err: error }, "no notice of output any more; looking now and then"),
    );
    this.#sweep = setInterval(() => {
      for (const [name, source] of this.#sources) if (source.hasMore()) this.request(name);
    }, sweepMs);
  }

  add(name: string, source: OutputSource): void {
    this.#sources.set(name, source);
    this.request(name);
  }

  remove(name: string): void {
    this.#sources.delete(name);
  }

  request(name: string): void {
    if (!this.#sources.has(name)) return;
    this.#waiting.add(name);
    if (!this.#busy) void this.#run();
  }

  close(): void {
    this.#closed = true;
    this.#watcher.close();
    clearInterval(this.#sweep);
  }

  async #run(): Promise<void> {
    this.#busy = true;
    for (;;) {
      // The set keeps the order of arrival.
      const [name] = this.#waiting;
      if (name === undefined || this.#closed) break;
      this.#waiting.delete(name);
      try {
        if (await this.#sources.get(name)?.step(this.#buffer)) this.#waiting.add(name);
      } catch (error) {
        this.#logger.error({ err: error, source: name }, "output could not be kept; trying again");
        setTimeout(() => this.request(name), retryMs);
      }
    }
    this.#busy = false;
  }
}
