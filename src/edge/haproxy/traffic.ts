/**
 * What HAProxy has carried to instances, by service.
 *
 *   counts of its servers (`show stat`)   bytes, answers from 2xx to 5xx
 *   lines of its log (traffic-log.ts)     latencies, of all answers or of a sample; upgrades; what it answered itself
 *
 * Counts only grow, and begin anew with each server and with HAProxy itself; lines are numbered. Bytes are those of the
 * messages that it passed on: bodies as they were, heads as long as their names and values. What it handed to the built-in
 * part is left out: that counts for itself.
 *
 * HAProxy goes on when this process is killed, and so do its counts and lines. So where they stood is noted with each
 * window (metering/spool.ts), and the next process goes on from there: nothing is counted twice, and nothing is lost.
 */
import { type ServiceTraffic, TrafficWindow } from "../metering/traffic.ts";
import { builtinServer } from "./config.ts";
import { type Statistics, statisticsIn } from "./statistics.ts";
import { type LogLine, linesIn, ringQuestion } from "./traffic-log.ts";

/** Bytes in, bytes out, answers from 2xx to 5xx. */
type Counts = readonly [number, number, number, number, number, number];

type Seen = readonly [serviceId: string, counts: Counts];

/** Where it stood. */
export interface HaproxyMark {
  /** By server, with the service that it was for. */
  readonly seen: Readonly<Record<string, Seen>>;
  /** The number of the last line. */
  readonly line: number;
}

const none: Counts = [0, 0, 0, 0, 0, 0];
const beforeAll = -1;

/** What HAProxy is to be asked about these slots, and all lines. */
export function trafficQuestion(slots: readonly string[]): string {
  return [...slots.map((slot) => `show stat ${slot} 4 -1`), ringQuestion].join(";");
}

export class HaproxyTraffic {
  readonly #seen: Map<string, Seen>;
  #line: number;
  #window = new TrafficWindow();
  #missed = 0;

  /** null: from its beginning. */
  constructor(mark: HaproxyMark | null) {
    this.#seen = new Map(Object.entries(mark?.seen ?? {}));
    this.#line = mark?.line ?? beforeAll;
  }

  /** `answer`: to a `trafficQuestion`. `services`: by slot. */
  add(answer: string, services: ReadonlyMap<string, string>): void {
    this.#addCounts(statisticsIn(answer), services);
    for (const line of linesIn(answer, this.#line)) this.#addLine(line, services);
  }

  #addCounts(rows: readonly Statistics[], services: ReadonlyMap<string, string>): void {
    for (const { slot, server, counts } of rows) {
      if (server === builtinServer || server === "") continue;
      const serviceId = this.#serviceOf(slot, server, services);
      if (serviceId === undefined) continue;
      const seen = this.#seen.get(keyOf(slot, server))?.[1] ?? none;
      // Fewer than before: another server of the same name.
      const before = counts[0] < seen[0] ? none : seen;
      this.#seen.set(keyOf(slot, server), [serviceId, counts]);
      const [bytesIn, bytesOut, ...statuses] = counts.map((count, index) => count - (before[index] ?? 0));
      if (bytesIn === 0 && bytesOut === 0 && statuses.every((count) => count === 0)) continue;
      const requests = statuses.reduce((sum, count) => sum + count, 0);
      this.#window.add({
        serviceId,
        requests,
        bytesIn: bytesIn ?? 0,
        bytesOut: bytesOut ?? 0,
        statuses: [0, ...statuses],
        latencies: [],
      });
    }
  }

  #addLine({ number, slot, server, state, status, ms }: LogLine, services: ReadonlyMap<string, string>): void {
    this.#missed += number - this.#line - 1;
    this.#line = number;
    const serviceId = this.#serviceOf(slot, server, services);
    if (serviceId === undefined) return;
    const end = state.toLowerCase();
    // The built-in part counts for itself what it has got.
    if (server === builtinServer && end !== "sc") return;
    if (end === "--" && status !== 101) {
      // The counts have this answer.
      if (ms !== null) this.#window.latency(serviceId, ms);
      return;
    }
    // An upgrade, which the counts don't tell from informational answers, or an answer of HAProxy's own.
    this.#window.of(serviceId).requests += 1;
    const visitorLeft = end.startsWith("c");
    if (!visitorLeft) this.#window.answer(serviceId, status, ms);
  }

  /** Its server is no more: one of the same name begins at nothing. */
  forget(slot: string, server: string): void {
    this.#seen.delete(keyOf(slot, server));
  }

  /** HAProxy is another one. */
  beginAnew(): void {
    this.#seen.clear();
    this.#line = beforeAll;
  }

  /** What was added since the last time, and how many lines HAProxy had dropped before they could be read. */
  take(): { readonly services: readonly ServiceTraffic[]; readonly missed: number } {
    const taken = { services: this.#window.services(), missed: this.#missed };
    this.#window = new TrafficWindow();
    this.#missed = 0;
    return taken;
  }

  mark(): HaproxyMark {
    return { seen: Object.fromEntries(this.#seen), line: this.#line };
  }

  /** A slot whose service has left it still empties itself on that service's account. */
  #serviceOf(slot: string, server: string, services: ReadonlyMap<string, string>): string | undefined {
    return services.get(slot) ?? this.#seen.get(keyOf(slot, server))?.[0];
  }
}

function keyOf(slot: string, server: string): string {
  return `${slot}/${server}`;
}
