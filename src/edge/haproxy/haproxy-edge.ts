/**
 * The edge with HAProxy before it: HAProxy has the port, and this process behind it does what HAProxy can't.
 *
 *   visitor ──► HAProxy ──► instances                       plain requests to services with instances, WebSockets
 *                  └──────► EdgeServer on a unix socket ──► files, pages, whatever is unusual; instances, when HAProxy
 *                                                           has no slot for the service or they refuse connections
 *
 * The built-in part knows the whole table and gives every answer by itself, so HAProxy may be told late or not at all:
 * what it does not know, it passes on. It is told on its admin socket, without reloads: hosts are entries of a map,
 * instances are servers that are added to the service's slot (slots.ts) and deleted when they carry nothing any more.
 * Its failures are the same pages (error-pages.ts). Both forward the same headers (config.ts, forwarded-headers.ts).
 *
 * kill -9 of this process: HAProxy goes on with the instances; files and pages are a 503 until the next edge, which
 * finds HAProxy by its folder, reads what it holds and brings it to the table on disk. kill -9 of HAProxy: connections
 * break; this process starts it again at once and fills it. If that fails (a port below 1024, and no longer root), the
 * process ends, and its supervisor starts both. One that is there and says nothing (stopped, stuck) is killed after some
 * seconds, and then it goes on as with any other that has died; so it is when this process finds one at its start.
 *
 * What a hostile tenant would try: HAProxy's folder and sockets, which are its user's alone; answers that break
 * HAProxy: it parses strictly, and has no rights to lose.
 */
import { statSync } from "node:fs";
import type { Edge, EdgeOptions } from "../edge-server.ts";
import { EdgeServer } from "../edge-server.ts";
import type { CarriedTraffic } from "../metering/metering.ts";
import type { Spool } from "../metering/spool.ts";
import type { RoutingTable } from "../snapshot.ts";
import { hostsMap } from "./config.ts";
import { type HaproxyOptions, HaproxyProcess } from "./haproxy-process.ts";
import { planSlots, type SlotsState, serverPrefix, stateIn } from "./slots.ts";
import { statisticsIn } from "./statistics.ts";
import { type HaproxyMark, HaproxyTraffic, trafficQuestion } from "./traffic.ts";

/** How often servers that were taken out are tried to be deleted: they go when they carry nothing. */
const sweepMs = 1_000;
const manySlots = 32;
const statusPatienceMs = 1_000;

export interface HaproxyEdgeOptions
  extends Omit<EdgeOptions, "behindHaproxy" | "onTable">,
    Omit<HaproxyOptions, "slots"> {
  /** At least so many services, and twice as many as there are at its start. The others are the built-in part's. */
  readonly leastSlots: number;
  /** Knows where the counts of a HAProxy that is found stood. */
  readonly notes: Pick<Spool, "readNote">;
  /** HAProxy has died and can't be started. */
  readonly onLost: (error: unknown) => void;
}

export class HaproxyEdge implements Edge {
  readonly #options: HaproxyEdgeOptions;
  readonly #builtin: EdgeServer;
  #haproxy: HaproxyProcess;
  #socketInode = 0n;
  #table: RoutingTable = { version: 0, routes: [] };
  #state: SlotsState = { hosts: new Map(), servers: new Map() };
  /** HAProxy is spoken to by one at a time. */
  #turn: Promise<unknown> = Promise.resolve();
  /** Slot → service. */
  #services: ReadonlyMap<string, string> = new Map();
  #traffic = new HaproxyTraffic(null);
  #listens = false;
  /** Nothing is asked of HAProxy any more. */
  #ended = false;
  readonly #watching = new AbortController();
  /** HAProxy has ended with this process: nobody else will count what it carried. */
  #haproxyEnded = false;
  readonly #sweep: NodeJS.Timeout;

  constructor(options: HaproxyEdgeOptions) {
    this.#options = options;
    this.#builtin = new EdgeServer({ ...options, behindHaproxy: true, onTable: (table) => this.#take(table) });
    this.#haproxy = new HaproxyProcess({ ...options, slots: options.leastSlots });
    this.#sweep = setInterval(() => {
      this.#exclusively(() => this.#deleteIdle()).catch(() => {}); // the next one will, or HAProxy is being started
    }, sweepMs).unref();
  }

  async listen(): Promise<void> {
    const services = new Set(this.#table.routes.map(({ serviceId }) => serviceId)).size;
    const slots = Math.max(this.#options.leastSlots, 2 * services);
    this.#haproxy = new HaproxyProcess({ ...this.#options, slots });
    this.#haproxy.makeFolder();
    await this.#builtin.listenOn(this.#haproxy.builtinSocket, this.#options.user);
    this.#socketInode = statSync(this.#haproxy.builtinSocket, { bigint: true }).ino;
    await this.#haproxy.adoptOrStart();
    // Only now: an edge that had this HAProxy before notes nothing more about it.
    const mark = await this.#options.notes.readNote(this.noteName);
    this.#traffic = new HaproxyTraffic(mark as HaproxyMark | null); // `carriedTraffic` made it
    this.#listens = true;
    await this.#exclusively(() => this.#refill());
    void this.#watch();
    void this.#haproxy.endWhenSilent(this.#watching.signal, () =>
      this.#options.log.error("HAProxy does not answer; killing it"),
    );
  }

  get port(): number {
    return this.#haproxy.running.port;
  }

  /** Under which it is noted where this HAProxy's counts stood. */
  get noteName(): string {
    return this.#haproxy.running.noteName;
  }

  get tableVersion(): number {
    return this.#builtin.tableVersion;
  }

  /** Of visitors. */
  async connections(): Promise<number> {
    // This edge tells of itself at once, whatever HAProxy does: who asks would take it for stuck too.
    const [row] = statisticsIn(await this.#haproxy.admin.ask("show stat visitors 1 -1", statusPatienceMs));
    return row?.current ?? 0;
  }

  reload(): Promise<number> {
    return this.#builtin.reload();
  }

  async inFlight(ids: readonly string[]): Promise<Record<string, number>> {
    const counts = await this.#builtin.inFlight(ids);
    if (this.#ended) return counts;
    const prefixes = new Map(ids.map((id) => [serverPrefix(id), id]));
    const slots: string[] = [];
    for (const [slot, names] of this.#state.servers) {
      if ([...names.keys()].some((name) => prefixes.has(prefixOf(name)))) slots.push(slot);
    }
    for (const slot of slots) {
      for (const { server, current } of statisticsIn(await this.#haproxy.admin.ask(`show stat ${slot} 4 -1`))) {
        const id = prefixes.get(prefixOf(server));
        if (id !== undefined) counts[id] = (counts[id] ?? 0) + current;
      }
    }
    return counts;
  }

  /** What HAProxy has carried to instances; the rest is counted by the built-in part. */
  async carriedTraffic(): Promise<CarriedTraffic | null> {
    if (!this.#listens) return null;
    if (!this.#ended) await this.#exclusively(() => this.#readTraffic());
    const { services, missed } = this.#traffic.take();
    if (missed > 0)
      this.#options.log.warn(
        { lines: missed },
        "HAProxy told of more than could be read: some latencies and failures are missing",
      );
    return {
      services,
      note: {
        name: this.noteName,
        value: this.#traffic.mark(),
        isTrue: () => this.#haproxyEnded || this.#isOwner(),
      },
    };
  }

  async drain(drainMs: number): Promise<void> {
    this.#ended = true;
    this.#watching.abort();
    clearInterval(this.#sweep);
    await this.#turn;
    // An edge that came after this one has put its own socket there, and goes on with this HAProxy.
    if (this.#listens && this.#isOwner()) await this.#endHaproxy(drainMs);
    await this.#builtin.drain(drainMs);
  }

  async #endHaproxy(drainMs: number): Promise<void> {
    const answer = await this.#haproxy.end(drainMs, this.#question());
    this.#traffic.add(answer, this.#services);
    this.#haproxyEnded = true;
  }

  async #readTraffic(): Promise<void> {
    this.#traffic.add(await this.#haproxy.admin.ask(this.#question()), this.#services);
  }

  #question(): string {
    const slots = [...this.#state.servers].flatMap(([slot, names]) => (names.size > 0 ? [slot] : []));
    // Each answer has a head of 1 KiB: beyond some it is shorter to have all slots told.
    return trafficQuestion(slots.length > manySlots ? ["-1"] : slots);
  }

  #isOwner(): boolean {
    try {
      return statSync(this.#haproxy.builtinSocket, { bigint: true }).ino === this.#socketInode;
    } catch {
      return false;
    }
  }

  #exclusively<Result>(work: () => Promise<Result>): Promise<Result> {
    const turn = this.#turn.then(work);
    this.#turn = turn.catch(() => {});
    return turn;
  }

  async #take(table: RoutingTable): Promise<void> {
    this.#table = table;
    if (!this.#listens) return;
    await this.#exclusively(async () => {
      try {
        await this.#fill();
      } catch (error) {
        this.#options.log.warn({ err: error }, "HAProxy is not as it was left; looking at what it holds");
        await this.#haproxy.untilAnswers();
        await this.#refill();
      }
    });
  }

  async #fill(): Promise<void> {
    const { folder, admin, running } = this.#haproxy;
    const plan = planSlots(this.#state, this.#table, running.slots, folder);
    await admin.tell(plan.commands);
    this.#state = plan.state;
    this.#services = plan.services;
  }

  async #refill(): Promise<void> {
    const { folder, admin } = this.#haproxy;
    const map = await admin.ask(`show map ${folder}/${hostsMap}`);
    this.#state = stateIn(map, await admin.ask("show servers state"));
    await this.#fill();
  }

  async #deleteIdle(): Promise<void> {
    if (!this.#isOwner()) return;
    for (const [slot, names] of this.#state.servers) {
      for (const [name, takesRequests] of names) {
        if (takesRequests) continue;
        // What it has counted goes with it.
        this.#traffic.add(await this.#haproxy.admin.ask(`show stat ${slot} 4 -1`), this.#services);
        const answer = await this.#haproxy.admin.ask(`del server ${slot}/${name}`);
        if (!answer.includes("Server deleted")) continue;
        this.#traffic.forget(slot, name);
        const others = new Map([...names].filter(([other]) => other !== name));
        this.#state = { ...this.#state, servers: new Map([...this.#state.servers, [slot, others]]) };
      }
    }
  }

  async #watch(): Promise<void> {
    for (;;) {
      await this.#haproxy.died();
      if (this.#ended || !this.#isOwner()) return;
      this.#options.log.error("HAProxy has died; starting it again");
      try {
        await this.#haproxy.start();
        this.#traffic.beginAnew();
        await this.#exclusively(() => this.#refill());
      } catch (error) {
        this.#options.onLost(error);
        return;
      }
    }
  }
}

function prefixOf(server: string): string {
  return server.slice(0, server.indexOf(":") + 1);
}
