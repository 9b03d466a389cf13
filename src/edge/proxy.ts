/**
 * One request, proxied: choose an instance, pass the request on, pass its answer back, piece by piece in both
 * directions, never faster than the slower side takes it, nothing kept.
 *
 * An attempt that failed before any byte of the request was written is made again with another instance, whatever the
 * method. One that broke afterwards, before any byte of the answer, is made again once if the method is idempotent and
 * there is no body (RFC 9110, 9.2.2): a connection that the instance closed at the moment it was used again.
 * Everything else is not ours to repeat. An answer that breaks in its middle breaks the visitor's connection too, so
 * that nobody takes a part for the whole; a visitor who leaves ends the instance's work.
 *
 * What a hostile tenant or visitor would try: an answer with a length and chunks (the length is dropped), headers that
 * belong to one connection, an endless head (32 KiB), no answer at all (60 s), a visitor that reads one byte a minute
 * (the instance is read no faster, and the connection ends after 120 s in silence).
 */
import { type Dispatcher, errors } from "undici";
import { requestHeaders, responseHeaders } from "./forwarded-headers.ts";
import { noInstancePage, type Page, sendPage, timeoutPage, unreachablePage } from "./pages.ts";
import { hasBody, RequestBody } from "./request-body.ts";
import type { Router } from "./router.ts";
import type { InstanceGroup, Upstream } from "./upstreams.ts";
import type { Visit } from "./visit.ts";

const idempotentMethods: ReadonlySet<string> = new Set(["GET", "HEAD", "OPTIONS", "TRACE", "PUT", "DELETE"]);

export function proxy(visit: Visit, group: InstanceGroup, router: Router): void {
  new Exchange(visit, group, router).begin();
}

class Exchange implements Dispatcher.DispatchHandler {
  readonly #visit: Visit;
  readonly #group: InstanceGroup;
  readonly #router: Router;
  readonly #headers: string[];
  readonly #method: string;
  readonly #hasBody: boolean;
  /** Those that could not be connected to. */
  #refused: readonly Upstream[] = [];
  #sentAgain = false;
  #continued = false;
  #visitorLeft = false;
  #answering = false;
  #awaitsDrain = false;
  #bodyBegan = false;

  // Of the attempt under way:
  #upstream: Upstream | null = null;
  #controller: Dispatcher.DispatchController | null = null;
  #body: RequestBody | null = null;

  constructor(visit: Visit, group: InstanceGroup, router: Router) {
    this.#visit = visit;
    this.#group = group;
    this.#router = router;
    this.#headers = requestHeaders(visit);
    this.#method = visit.request.method ?? "GET";
    this.#hasBody = hasBody(visit.request);
  }

  begin(): void {
    const { response } = this.#visit;
    response.on("close", () => {
      if (response.writableFinished) return;
      this.#visitorLeft = true;
      this.#controller?.abort(new Error("the visitor left"));
    });
    this.#attempt(this.#group);
  }

  #attempt(group: InstanceGroup): void {
    const upstream = group.choose(this.#refused);
    if (upstream === null) {
      this.#send(group.isEmpty ? noInstancePage : unreachablePage);
      return;
    }
    this.#upstream = upstream;
    this.#controller = null;
    this.#body = this.#hasBody ? new RequestBody(this.#visit.request, () => this.#wantBody()) : null;
    this.#router.upstreams.begin(upstream);
    upstream.pool.dispatch(
      { path: this.#visit.target, method: this.#method, headers: this.#headers, body: this.#body },
      this,
    );
  }

  /** With the table in force now: the instances may have been replaced meanwhile. */
  #attemptAgain(): void {
    const destination = this.#router.find(this.#visit.host);
    if (destination?.kind === "instances") this.#attempt(destination.group);
    else this.#send(unreachablePage);
  }

  #wantBody(): void {
    if (this.#continued || this.#visit.request.headers.expect === undefined) return;
    this.#continued = true;
    this.#visit.response.writeContinue();
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#visitorLeft) controller.abort(new Error("the visitor left"));
  }

  onResponseStart(controller: Dispatcher.DispatchController, status: number): void {
    if (status < 200) return; // early hints and kin: the answer follows
    // Always a list here; the type allows for HTTP/2 as well.
    const raw = Array.isArray(controller.rawHeaders) ? controller.rawHeaders : [];
    const headers = responseHeaders(raw, this.#visit.requestId);
    if (headers === null) throw new Error("a transfer coding other than chunked");
    const { response } = this.#visit;
    response.writeHead(status, headers);
    this.#answering = true;
    // A body that came along is written together with the head; a head that came alone must not wait for it.
    process.nextTick(() => {
      if (!this.#bodyBegan) response.flushHeaders();
    });
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#bodyBegan = true;
    const { response } = this.#visit;
    if (response.write(chunk)) return;
    controller.pause();
    if (this.#awaitsDrain) return;
    this.#awaitsDrain = true;
    response.on("drain", () => controller.resume());
  }

  onResponseEnd(): void {
    this.#bodyBegan = true;
    this.#release();
    this.#visit.response.end();
  }

  onResponseError(_controller: Dispatcher.DispatchController | null, error: Error): void {
    const upstream = this.#upstream;
    this.#release();
    if (this.#visitorLeft) return;
    if (this.#answering) {
      this.#breakOff();
    } else if (this.#controller === null) {
      if (upstream !== null) {
        this.#refused = [...this.#refused, upstream];
        this.#group.passOver(upstream);
      }
      this.#attemptAgain();
    } else if (error instanceof errors.HeadersTimeoutError) {
      this.#send(timeoutPage);
    } else if (!this.#sentAgain && this.#mayBeSentAgain()) {
      this.#sentAgain = true;
      this.#attemptAgain();
    } else {
      this.#send(unreachablePage);
    }
  }

  #mayBeSentAgain(): boolean {
    // The head of a request with a body is written with the body's first piece: none taken, nothing written.
    return this.#body === null ? idempotentMethods.has(this.#method) : !this.#body.touched;
  }

  #release(): void {
    if (this.#upstream === null) return;
    this.#router.upstreams.end(this.#upstream);
    this.#upstream = null;
  }

  #send(page: Page): void {
    sendPage(this.#visit.request, this.#visit.response, page, this.#visit.requestId);
  }

  #breakOff(): void {
    const { request, response, peer } = this.#visit;
    // To HTTP/1.0 the end of the connection is the end of the body; only a reset says that it is not. Unix sockets have none.
    if (request.httpVersionMinor === 0 && peer.address !== null) request.socket.resetAndDestroy();
    else response.destroy();
  }
}
