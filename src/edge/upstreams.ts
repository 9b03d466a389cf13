/**
 * The instances that requests are proxied to: for each a pool of connections, how many requests it carries, and
 * whether it refused a connection a moment ago. They outlive the routing table that named them: one that the next
 * table still names keeps its pool; one that it does not gets no new request, ends what it carries, and is let go.
 */
import { Pool } from "undici";
import type { Clock } from "../kernel/clock.ts";
import type { InstanceTarget } from "./snapshot.ts";

/** How long an instance that refused a connection is passed over, as long as there is another one. */
const passedOverMs = 1_000;

const poolOptions: Pool.Options = {
  allowH2: false,
  pipelining: 1,
  connectTimeout: 5_000,
  /** Between two pieces of an answer's body. */
  bodyTimeout: 120_000,
  maxHeaderSize: 32 * 1024,
  // A connection that the other side closes at the very moment it is used again loses a request. Node's servers close
  // theirs after 5 s; those that tell another time in `Keep-Alive: timeout=` are believed, less one second.
  keepAliveTimeout: 4_000,
  keepAliveTimeoutThreshold: 1_000,
  keepAliveMaxTimeout: 60_000,
};

export class Upstream {
  readonly id: string;
  readonly host: string;
  readonly port: number;
  readonly pool: Pool;
  inFlight = 0;
  /** 0: it did not refuse lately. */
  passedOverUntil = 0;

  constructor(target: InstanceTarget, answerTimeoutMs: number) {
    this.id = target.id;
    this.host = target.host;
    this.port = target.port;
    this.pool = new Pool(`http://${target.host.includes(":") ? `[${target.host}]` : target.host}:${target.port}`, {
      ...poolOptions,
      headersTimeout: answerTimeoutMs,
    });
  }
}

/** The instances of one route, in the table in force. */
export class InstanceGroup {
  readonly #upstreams: readonly Upstream[];
  readonly #clock: Clock;
  #turn = 0;

  constructor(upstreams: readonly Upstream[], clock: Clock) {
    this.#upstreams = upstreams;
    this.#clock = clock;
  }

  get isEmpty(): boolean {
    return this.#upstreams.length === 0;
  }

  /** The least busy one that is not in `tried`, in turn among equals; null when none is left. */
  choose(tried: readonly Upstream[]): Upstream | null {
    const count = this.#upstreams.length;
    let best: Upstream | null = null;
    let resort: Upstream | null = null;
    for (let step = 0; step < count; step += 1) {
      const candidate = this.#upstreams[(this.#turn + step) % count];
      if (candidate === undefined || tried.includes(candidate)) continue;
      if (this.#isPassedOver(candidate)) {
        if (resort === null || candidate.inFlight < resort.inFlight) resort = candidate;
      } else if (best === null || candidate.inFlight < best.inFlight) {
        best = candidate;
      }
    }
    if (count > 1) this.#turn = (this.#turn + 1) % count;
    return best ?? resort;
  }

  #isPassedOver(upstream: Upstream): boolean {
    if (upstream.passedOverUntil === 0) return false;
    if (this.#clock.now().getTime() < upstream.passedOverUntil) return true;
    upstream.passedOverUntil = 0;
    return false;
  }

  passOver(upstream: Upstream): void {
    upstream.passedOverUntil = this.#clock.now().getTime() + passedOverMs;
  }
}

export class Upstreams {
  readonly #clock: Clock;
  readonly #answerTimeoutMs: number;
  #current: ReadonlyMap<string, Upstream> = new Map();
  readonly #retired = new Set<Upstream>();

  /** An instance has `answerTimeoutMs` to begin its answer. */
  constructor(clock: Clock, answerTimeoutMs: number) {
    this.#clock = clock;
    this.#answerTimeoutMs = answerTimeoutMs;
  }

  /** Makes exactly these the current ones, and groups them as they came. */
  replace(targets: readonly (readonly InstanceTarget[])[]): readonly InstanceGroup[] {
    const next = new Map<string, Upstream>();
    const groups = targets.map((instances) => {
      const upstreams = instances.map((target) => {
        // An engine may start an instance again under another address: that is another upstream.
        const key = `${target.id} ${target.host} ${target.port}`;
        const upstream = next.get(key) ?? this.#current.get(key) ?? new Upstream(target, this.#answerTimeoutMs);
        next.set(key, upstream);
        return upstream;
      });
      return new InstanceGroup(upstreams, this.#clock);
    });
    for (const [key, upstream] of this.#current) if (!next.has(key)) this.#retire(upstream);
    this.#current = next;
    return groups;
  }

  #retire(upstream: Upstream): void {
    if (upstream.inFlight > 0) this.#retired.add(upstream);
    // Settles when the last request in it is over; upgraded connections have left it and end by themselves.
    upstream.pool.close(() => {});
  }

  begin(upstream: Upstream): void {
    upstream.inFlight += 1;
  }

  end(upstream: Upstream): void {
    upstream.inFlight -= 1;
    if (upstream.inFlight === 0) this.#retired.delete(upstream);
  }

  /** How many requests each of these instances carries, 0 for one that is not known. */
  inFlight(ids: readonly string[]): Record<string, number> {
    const counts: Record<string, number> = Object.fromEntries(ids.map((id) => [id, 0]));
    for (const set of [this.#current.values(), this.#retired]) {
      for (const { id, inFlight } of set) if (Object.hasOwn(counts, id)) counts[id] = (counts[id] ?? 0) + inFlight;
    }
    return counts;
  }

  /** Ends every connection at once. */
  async destroy(): Promise<void> {
    const all = [...this.#current.values(), ...this.#retired];
    await Promise.all(all.map((upstream) => upstream.pool.destroy()));
  }
}
