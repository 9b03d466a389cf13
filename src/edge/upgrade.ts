/**
 * WebSockets and whatever else begins with `Upgrade`: the handshake is an ordinary request with ordinary forwarded
 * headers; once the instance agrees, the two sockets are joined and the edge no longer looks at what passes.
 * An instance that answers with something else than 101 has that answer passed on.
 *
 * Only a GET without a body may upgrade, and nothing behind its head is passed on before the instance agreed: what an
 * instance takes for the next request would otherwise be whatever the visitor wrote there. `h2c` is never passed on:
 * requests within that tunnel would carry forwarded headers of the visitor's own making.
 */
import { type ClientRequest, request as httpRequest, type IncomingMessage } from "node:http";
import { connect, type Socket } from "node:net";
import type { Duplex } from "node:stream";
import { pipeline } from "node:stream";
import { requestHeaders, responseHeaders } from "./forwarded-headers.ts";
import { MeteredResponse } from "./metering/metered-response.ts";
import { noInstancePage, type Page, sendPage, timeoutPage, unreachablePage } from "./pages.ts";
import { hasBody } from "./request-body.ts";
import type { Router } from "./router.ts";
import type { Upstream } from "./upstreams.ts";
import type { Visit } from "./visit.ts";

/** A joined connection may be silent for as long as both sides like; TCP finds out whether they are still there. */
const keepAliveProbeMs = 60_000;
/** Once one side has ended, the other is given this long in silence. */
const halfClosedTimeoutMs = 60_000;

export function mayUpgrade(request: IncomingMessage): boolean {
  return request.method === "GET" && !hasBody(request) && !request.headers.upgrade?.toLowerCase().includes("h2c");
}

/** The response to a request whose socket the HTTP server has let go of. */
export function responseOn(socket: Socket, request: IncomingMessage): MeteredResponse {
  const response = new MeteredResponse(request);
  response.shouldKeepAlive = false;
  response.assignSocket(socket);
  response.on("finish", () => socket.destroySoon());
  return response;
}

export class Upgrades {
  readonly #router: Router;
  readonly #answerTimeoutMs: number;
  readonly #open = new Set<Socket>();

  constructor(router: Router, answerTimeoutMs: number) {
    this.#router = router;
    this.#answerTimeoutMs = answerTimeoutMs;
  }

  destroyAll(): void {
    for (const socket of this.#open) socket.destroy();
  }

  /** `head` is what came behind the request's head. */
  begin(visit: Visit, socket: Socket, head: Buffer): void {
    this.#open.add(socket);
    socket.on("error", () => {}); // "close" follows, and that is what counts
    socket.on("close", () => this.#open.delete(socket));
    socket.setTimeout(0);
    this.#attempt(visit, socket, head, []);
  }

  #attempt(visit: Visit, socket: Socket, head: Buffer, refused: readonly Upstream[]): void {
    const destination = this.#router.find(visit.host);
    const group = destination?.kind === "instances" ? destination.group : null;
    const upstream = group?.choose(refused) ?? null;
    if (group === null || upstream === null) {
      refuse(visit, group?.isEmpty ? noInstancePage : unreachablePage);
      return;
    }
    let stage: "connecting" | "asked" | "answered" = "connecting";
    const handshake = open(visit, upstream, () => {
      stage = "asked";
    });
    this.#router.upstreams.begin(upstream);
    const release = () => this.#router.upstreams.end(upstream);
    const leave = () => handshake.destroy();
    // Nobody reads the visitor's socket yet, and who does not read is not told that the other side has gone.
    const watch = () => socket.read(0);
    socket.on("readable", watch).once("end", leave).once("close", leave);
    const deadline = setTimeout(() => {
      settle();
      release();
      handshake.destroy();
      refuse(visit, timeoutPage);
    }, this.#answerTimeoutMs);
    const settle = () => {
      stage = "answered";
      clearTimeout(deadline);
      socket.off("readable", watch).off("end", leave).off("close", leave);
    };
    handshake.on("error", () => {
      if (stage === "answered") return; // whoever reads the answer sees it too
      const wasAsked = stage === "asked";
      settle();
      release();
      if (socket.destroyed) return;
      if (wasAsked) {
        refuse(visit, unreachablePage);
      } else {
        group.passOver(upstream);
        this.#attempt(visit, socket, head, [...refused, upstream]);
      }
    });
    handshake.on("response", (answer) => {
      settle();
      relay(visit, answer, release);
    });
    handshake.on("upgrade", (answer, other: Socket, otherHead) => {
      settle();
      const agreement = agreementOf(answer, visit.requestId);
      if (agreement === null) {
        other.destroy();
        release();
        refuse(visit, unreachablePage);
        return;
      }
      visit.response.answered(101);
      visit.response.detachSocket(socket);
      socket.write(agreement, "latin1");
      if (otherHead.length > 0) socket.write(otherHead);
      if (head.length > 0) other.write(head);
      join(socket, other, release);
    });
  }
}

function open(visit: Visit, upstream: Upstream, onConnect: () => void): ClientRequest {
  const upgrade = visit.request.headers.upgrade ?? "";
  const handshake = httpRequest({
    method: "GET",
    path: visit.target,
    headers: [...requestHeaders(visit), "Connection", "Upgrade", "Upgrade", upgrade],
    // Half-open: one side may end while the other still sends.
    createConnection: () =>
      connect({ host: upstream.host, port: upstream.port, allowHalfOpen: true, noDelay: true }, onConnect),
  });
  handshake.end();
  return handshake;
}

/** The head of the 101; null when the instance's can't be passed on. */
function agreementOf(answer: IncomingMessage, requestId: string): string | null {
  const headers = responseHeaders(answer.rawHeaders, requestId);
  const protocol = answer.headers.upgrade;
  if (headers === null || protocol === undefined) return null;
  let text = `HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: ${protocol}\r\n`;
  for (let index = 0; index < headers.length; index += 2) text += `${headers[index]}: ${headers[index + 1]}\r\n`;
  return `${text}\r\n`;
}

function join(one: Socket, other: Socket, onEnd: () => void): void {
  let open = 2;
  for (const [from, to] of [
    [one, other],
    [other, one],
  ] as const) {
    from.setKeepAlive(true, keepAliveProbeMs);
    from.setNoDelay(true);
    from.on("error", () => to.destroy());
    from.on("timeout", () => from.destroy());
    from.on("end", () => to.setTimeout(halfClosedTimeoutMs));
    from.on("close", () => {
      to.destroySoon(); // lets what was received before go out
      open -= 1;
      if (open === 0) onEnd();
    });
    from.pipe(to);
  }
}

function relay(visit: Visit, answer: IncomingMessage, onEnd: () => void): void {
  const headers = responseHeaders(answer.rawHeaders, visit.requestId);
  if (headers === null) {
    answer.destroy();
    onEnd();
    refuse(visit, unreachablePage);
    return;
  }
  visit.response.writeHead(answer.statusCode ?? 502, headers);
  pipeline(answer, visit.response, onEnd);
}

function refuse({ request, response, requestId }: Visit, page: Page): void {
  sendPage(request, response, page, requestId);
}

/** Node's servers speak TCP here; the type of their event allows for any stream. */
export function isSocket(stream: Duplex): stream is Socket {
  return "setNoDelay" in stream;
}
