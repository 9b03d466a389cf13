/**
 * The edge: a process of its own that carries all traffic of tenants, and needs nothing but the routing table on disk.
 *
 *   visitor ──► refusals (visit.ts) ──► router ──► instances (proxy.ts, upgrade.ts)
 *                                            ├──► static files (static-files.ts)
 *                                            └──► a page (pages.ts): notices, unknown hosts, failures
 *
 * Where HAProxy is installed, it has the port and this stands behind it, on a unix socket: see haproxy/haproxy-edge.ts.
 * Elsewhere there is one of these in each of two threads: see edge-threads.ts.
 *
 * States: loading ──► serving ──► draining (accepts nothing new, ends what it carries) ──► ended.
 * The table changes while serving, between two requests: those under way end with the instances they have.
 *
 * kill -9: the connections under way break; the supervisor starts it again and it serves what the table on disk says.
 * Nothing else is kept, so nothing else is lost. A broken table leaves the one in force; a missing one means 404 pages.
 *
 * What a hostile tenant would try: see proxy.ts and static-paths.ts. What a hostile visitor would try: smuggling
 * (Node's strict parser, then `refusalOf`), forged forwarded headers (forwarded-headers.ts), slow heads (15 s), silent
 * connections (120 s), heads without end (32 KiB).
 */
import { chmodSync, chownSync, renameSync, rmSync } from "node:fs";
import { createServer, type IncomingMessage, type Server } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import type { Clock } from "../kernel/clock.ts";
import type { Logger } from "../platform/log.ts";
import type { TrafficMeter } from "./metering/meter.ts";
import { MeteredResponse } from "./metering/metered-response.ts";
import type { CarriedTraffic } from "./metering/metering.ts";
import { badRequestPage, faultPage, noticePages, sendPage, unknownHostPage } from "./pages.ts";
import { Peers } from "./peers.ts";
import { proxy } from "./proxy.ts";
import { Router } from "./router.ts";
import { type RoutingTable, readRoutingTable } from "./snapshot.ts";
import { StaticFiles } from "./static-files.ts";
import { isSocket, mayUpgrade, responseOn, Upgrades } from "./upgrade.ts";
import { refusalOf, requestIdOf, targetOf, type Visit } from "./visit.ts";

/** The edge, whatever it is made of. */
export interface Edge {
  readonly port: number;
  /** Of the table in force; 0 when there is none. */
  readonly tableVersion: number;
  connections(): Promise<number>;
  /** Reads the table and puts it in force unless it is older; tells which one is. Throws when it is broken or missing. */
  reload(): Promise<number>;
  /** How many requests and upgraded connections each of these instances carries. */
  inFlight(ids: readonly string[]): Promise<Record<string, number>>;
  /** What was carried past the meter, by HAProxy or other threads; null when there are none. */
  carriedTraffic(): Promise<CarriedTraffic | null>;
  /** Accepts nothing new, lets what is under way end, and breaks what has not ended after `drainMs`. */
  drain(drainMs: number): Promise<void>;
}

export interface EdgeOptions {
  readonly tableFile: string;
  readonly staticRoot: string;
  /** Networks such as `10.0.0.0/8`. */
  readonly trustedProxies: readonly string[];
  /** How long an instance has to begin its answer; then the visitor gets a 504. */
  readonly answerTimeoutMs: number;
  readonly log: Logger;
  readonly clock: Clock;
  readonly meter: TrafficMeter;
  /** true: everything comes from HAProxy, which has written down who the visitor is. */
  readonly behindHaproxy?: boolean;
  /** Told of each table that has come into force; `reload` waits for it. */
  readonly onTable?: (table: RoutingTable) => Promise<void>;
}

const serverOptions = {
  insecureHTTPParser: false,
  maxHeaderSize: 32 * 1024,
  /** For a request's whole head. */
  headersTimeout: 15_000,
  /** Bodies may take as long as they move. */
  requestTimeout: 0,
  connectionsCheckingInterval: 5_000,
  /** Longer than the 60 s after which usual load balancers give up an idle connection of theirs. */
  keepAliveTimeout: 75_000,
  noDelay: true,
  /** A request without a body is no stream that must be brought to its end. */
  optimizeEmptyRequests: true,
};

/** A connection on which nothing moves in either direction. */
const silenceMs = 120_000;

/** While draining: how often connections that have become idle are closed. */
const idleSweepMs = 100;

/** What HAProxy writes into a head that it has taken as short enough. */
const headerRoomBehindHaproxy = 2 * 1024;

export class EdgeServer implements Edge {
  readonly #options: EdgeOptions;
  readonly #peers: Peers;
  readonly #router: Router;
  readonly #statics: StaticFiles;
  readonly #upgrades: Upgrades;
  readonly #server: Server<typeof IncomingMessage, typeof MeteredResponse>;
  #draining: Promise<void> | null = null;
  #reloading: Promise<unknown> = Promise.resolve();

  constructor(options: EdgeOptions) {
    this.#options = options;
    this.#peers = new Peers(options.trustedProxies, options.behindHaproxy ?? false);
    this.#router = new Router(options.clock, options.answerTimeoutMs);
    this.#statics = new StaticFiles(options.staticRoot);
    this.#upgrades = new Upgrades(this.#router, options.answerTimeoutMs);
    this.#server = createServer({
      ...serverOptions,
      ServerResponse: MeteredResponse,
      maxHeaderSize: serverOptions.maxHeaderSize + (options.behindHaproxy ? headerRoomBehindHaproxy : 0),
      // What may not upgrade is answered as if it had not asked to (RFC 9110, 7.8).
      shouldUpgradeCallback: (request) => mayUpgrade(request) && this.#isProxied(request),
    });
    this.#server.timeout = silenceMs;
    this.#server.on("connection", (socket) => options.meter.connected(socket));
    const handle = (request: IncomingMessage, response: MeteredResponse) => this.#handle(request, response);
    this.#server.on("request", handle);
    this.#server.on("checkContinue", handle); // the body is asked for once an instance is there to take it
    this.#server.on("upgrade", (request, stream, head) => {
      if (isSocket(stream)) this.#handleUpgrade(request, stream, head);
      else stream.destroy();
    });
  }

  /** With `reusePort` where the platform has it: a newer edge then takes over while this one drains. */
  async listen(host: string, port: number): Promise<void> {
    try {
      await this.#listen({ host, port, reusePort: true });
    } catch (error) {
      if (!(error instanceof Error && "code" in error && error.code === "ENOTSUP")) throw error;
      await this.#listen({ host, port });
    }
  }

  /** On a unix socket of that user's, or of our own. One that was there before gets no new connection from now on. */
  async listenOn(socketPath: string, user: { readonly uid: number; readonly gid: number } | null): Promise<void> {
    const temporary = `${socketPath}.${process.pid}`;
    rmSync(temporary, { force: true });
    await this.#listen({ path: temporary });
    chmodSync(temporary, 0o600);
    if (user !== null) chownSync(temporary, user.uid, user.gid);
    renameSync(temporary, socketPath);
  }

  #listen(where: { host: string; port: number; reusePort?: boolean } | { path: string }): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#server.once("error", reject);
      this.#server.listen(where, () => {
        this.#server.off("error", reject);
        // Too many open files, mostly: the connection is lost, the edge is not.
        this.#server.on("error", (error) => this.#options.log.error({ err: error }, "a connection was not accepted"));
        resolve();
      });
    });
  }

  get port(): number {
    // A TCP server that listens has such an address.
    return (this.#server.address() as AddressInfo).port;
  }

  get tableVersion(): number {
    return this.#router.version;
  }

  connections(): Promise<number> {
    return new Promise((resolve, reject) => {
      this.#server.getConnections((error, count) => (error === null ? resolve(count) : reject(error)));
    });
  }

  reload(): Promise<number> {
    const next = this.#reloading.then(async () => {
      const table = await readRoutingTable(this.#options.tableFile);
      if (table === null) throw new Error("there is no routing table");
      this.#router.replace(table);
      this.#statics.keepOnly(this.#router.artifactIds());
      if (table.version === this.#router.version) await this.#options.onTable?.(table);
      return this.#router.version;
    });
    this.#reloading = next.catch(() => {});
    return next;
  }

  async inFlight(ids: readonly string[]): Promise<Record<string, number>> {
    return this.#router.upstreams.inFlight(ids);
  }

  async carriedTraffic(): Promise<null> {
    return null;
  }

  drain(drainMs: number): Promise<void> {
    this.#draining ??= new Promise<void>((resolve) => {
      const sweep = setInterval(() => this.#server.closeIdleConnections(), idleSweepMs);
      const deadline = setTimeout(() => {
        this.#upgrades.destroyAll();
        this.#server.closeAllConnections();
      }, drainMs);
      this.#server.close(() => {
        clearInterval(sweep);
        clearTimeout(deadline);
        this.#router.upstreams.destroy().then(resolve, resolve);
      });
    });
    return this.#draining;
  }

  #isProxied(request: IncomingMessage): boolean {
    if (refusalOf(request) !== null || targetOf(request.url ?? "", request.headers.host ?? "") === null) return false;
    return this.#router.find(request.headers.host ?? "")?.kind === "instances";
  }

  #handle(request: IncomingMessage, response: MeteredResponse): void {
    const requestId = requestIdOf(request);
    const fail = (error: unknown) => {
      this.#options.log.error(
        { err: error, requestId, host: request.headers.host },
        "a request met a fault of the edge",
      );
      if (response.headersSent) response.destroy();
      else sendPage(request, response, faultPage, requestId);
    };
    try {
      if (this.#draining !== null) response.shouldKeepAlive = false;
      this.#route(request, response, requestId)?.catch(fail);
    } catch (error) {
      fail(error);
    }
  }

  #route(request: IncomingMessage, response: MeteredResponse, requestId: string): Promise<void> | undefined {
    const refusal = refusalOf(request);
    const host = request.headers.host ?? "";
    const target = targetOf(request.url ?? "", host);
    if (refusal !== null || target === null) {
      this.#options.meter.request(request, response, null);
      response.shouldKeepAlive = false; // what follows on this connection may not be what it seems
      const { status, reason } = refusal ?? {
        status: 400,
        reason: "Its target is not a path at the host that it names.",
      };
      sendPage(request, response, badRequestPage(status, reason), requestId);
      return undefined;
    }
    const destination = this.#router.find(host);
    this.#options.meter.request(request, response, destination?.serviceId ?? null);
    if (destination === undefined) {
      sendPage(request, response, unknownHostPage, requestId);
      return undefined;
    }
    if (destination.kind === "notice") {
      sendPage(request, response, noticePages[destination.notice], requestId);
      return undefined;
    }
    const visit: Visit = { request, response, peer: this.#peers.of(request.socket), host, target, requestId };
    if (destination.kind === "static") return this.#statics.serve(visit, destination);
    proxy(visit, destination.group, this.#router);
    return undefined;
  }

  #handleUpgrade(request: IncomingMessage, socket: Socket, head: Buffer): void {
    const host = request.headers.host ?? "";
    const response = responseOn(socket, request);
    this.#options.meter.request(request, response, this.#router.find(host)?.serviceId ?? null);
    const visit: Visit = {
      request,
      response,
      peer: this.#peers.of(socket),
      host,
      target: targetOf(request.url ?? "", host) ?? "/", // `shouldUpgradeCallback` has seen that there is one
      requestId: requestIdOf(request),
    };
    this.#upgrades.begin(visit, socket, head);
  }
}
