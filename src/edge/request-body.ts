import type { IncomingMessage } from "node:http";
import { Readable } from "node:stream";

/**
 * The body of a visitor's request on its way to one instance. It stands between the two because undici destroys the
 * stream it was given when an attempt fails, and the visitor's connection must survive that to get an answer.
 * Nothing is read before the instance's connection is there to take it, and nothing faster than it takes it.
 */
export class RequestBody extends Readable {
  readonly #request: IncomingMessage;
  readonly #onFirstRead: () => void;
  #attached = false;
  /** true: some of it was read, so that it can't be sent to anyone else. */
  touched = false;

  constructor(request: IncomingMessage, onFirstRead: () => void) {
    super({ highWaterMark: 64 * 1024 });
    this.#request = request;
    this.#onFirstRead = onFirstRead;
    this.on("error", () => {}); // the failure itself arrives through the attempt's handler
  }

  override _read(): void {
    if (!this.#attached) {
      this.#attached = true;
      this.#request.on("data", this.#take).on("end", this.#finish);
      this.#onFirstRead();
    }
    this.#request.resume();
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    if (this.#attached) this.#request.off("data", this.#take).off("end", this.#finish).pause();
    done(error);
  }

  readonly #take = (chunk: Buffer): void => {
    this.touched = true;
    if (!this.push(chunk)) this.#request.pause();
  };

  readonly #finish = (): void => {
    this.touched = true;
    this.push(null);
  };
}

/** A request without either header has no body (RFC 9112, 6.3). */
export function hasBody({ headers }: IncomingMessage): boolean {
  return headers["transfer-encoding"] !== undefined || (headers["content-length"] ?? "0") !== "0";
}
