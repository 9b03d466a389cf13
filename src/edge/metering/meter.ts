/**
 * What the built-in edge counts of each service: requests, bytes, status classes, latencies; per window of 10 s.
 *
 *   request routed ──► requests      answer's head ──► status, latency      sockets ──► bytes
 *
 * Bytes are those of the visitors' connections as the sockets count them: heads, bodies, framing and pages, without what
 * TCP and IP add. A connection belongs to the service that it was last used for; its socket is read when the window
 * closes, when it ends, and when it is used for another service. So long downloads, uploads and upgraded connections are
 * counted while they go on, and a request costs two look-ups in a map and no allocation.
 * Visits to unknown hosts and refused requests count for nobody.
 *
 * On a connection that is used for several services (a proxy's before this edge, HAProxy's) the socket is also read at the
 * end of each answer, and what has come by the next request is divided by an estimate of that one's head.
 */
import type { IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import type { Clock } from "../../kernel/clock.ts";
import type { MeteredResponse } from "./metered-response.ts";
import { TrafficWindow, windowStartAt } from "./traffic.ts";

/** An open connection of a visitor's. */
interface Connection {
  /** Whom it is used for; null: nobody, so far. */
  serviceId: string | null;
  used: boolean;
  /** Used for several: a proxy's that shares it out, mostly. */
  shared: boolean;
  /** Of the socket's counts: what has been counted here. */
  read: number;
  written: number;
}

export class TrafficMeter {
  readonly #clock: Clock;
  readonly #connections = new Map<Socket, Connection>();
  #start: Date;
  #window = new TrafficWindow();

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#start = windowStartAt(clock);
  }

  /** The window that is open now. */
  get window(): TrafficWindow {
    return this.#window;
  }

  /** Closes the window and opens the next one. */
  take(): { readonly start: Date; readonly window: TrafficWindow } {
    for (const [socket, connection] of this.#connections) this.#settle(socket, connection);
    const taken = { start: this.#start, window: this.#window };
    this.#start = windowStartAt(this.#clock);
    this.#window = new TrafficWindow();
    return taken;
  }

  connected(socket: Socket): void {
    const connection: Connection = { serviceId: null, used: false, shared: false, read: 0, written: 0 };
    this.#connections.set(socket, connection);
    socket.once("close", () => {
      this.#settle(socket, connection);
      this.#connections.delete(socket);
    });
  }

  /** A request for that service begins on the connection; null: for nobody's. */
  request(request: IncomingMessage, response: MeteredResponse, serviceId: string | null): void {
    const { socket } = request;
    const connection = this.#connections.get(socket);
    if (connection !== undefined) {
      if (connection.serviceId !== serviceId) this.#change(socket, connection, serviceId, request);
      if (connection.shared) response.once("close", () => this.#settle(socket, connection));
      connection.used = true;
    }
    if (serviceId === null) return;
    this.#window.of(serviceId).requests += 1;
    response.countFor(this, serviceId);
  }

  #change(socket: Socket, connection: Connection, serviceId: string | null, request: IncomingMessage): void {
    if (connection.used) {
      const arrived = socket.bytesRead - connection.read;
      const own = Math.min(arrived, sizeOf(request));
      this.#settle(socket, connection);
      // The new request has arrived already.
      this.#giveBack(connection, own);
      connection.shared = true;
    }
    connection.serviceId = serviceId;
  }

  #settle(socket: Socket, connection: Connection): void {
    const { bytesRead, bytesWritten } = socket;
    if (connection.serviceId !== null && (bytesRead !== connection.read || bytesWritten !== connection.written)) {
      const counts = this.#window.of(connection.serviceId);
      counts.bytesIn += bytesRead - connection.read;
      counts.bytesOut += bytesWritten - connection.written;
    }
    connection.read = bytesRead;
    connection.written = bytesWritten;
  }

  #giveBack(connection: Connection, bytes: number): void {
    connection.read -= bytes;
    if (connection.serviceId !== null) this.#window.of(connection.serviceId).bytesIn -= bytes;
  }
}

/** Of the head, as it is written usually, and of the body; one of unknown length is long. */
function sizeOf({ method, url, rawHeaders, headers }: IncomingMessage): number {
  if (headers["transfer-encoding"] !== undefined) return Number.POSITIVE_INFINITY;
  const requestLine = (method?.length ?? 0) + (url?.length ?? 0) + " HTTP/1.1\r\n ".length;
  const fields = rawHeaders.reduce((sum, text) => sum + text.length + 2, 0);
  return requestLine + fields + 2 + (Number(headers["content-length"]) || 0);
}
