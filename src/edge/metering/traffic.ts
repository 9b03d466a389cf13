/** What was carried for services within one window of time. */
import type { Clock } from "../../kernel/clock.ts";
import { latencyBucket, latencyBuckets, scaleLatencies } from "./latency.ts";

/** Windows begin at whole multiples of this. */
export const windowMs = 10_000;

/** Of the window that is open now. */
export function windowStartAt(clock: Clock): Date {
  return new Date(Math.floor(clock.now().getTime() / windowMs) * windowMs);
}

/** A service's traffic in one window. */
export interface ServiceTraffic {
  readonly serviceId: string;
  /** That began. Those whose visitor left before an answer are in no status class. */
  readonly requests: number;
  /** Sent by visitors. */
  readonly bytesIn: number;
  /** Sent to visitors. */
  readonly bytesOut: number;
  /** Answers from 1xx (an upgrade that was agreed to) to 5xx. */
  readonly statuses: readonly number[];
  /** By bucket, see latency.ts; without the zeros at the end. */
  readonly latencies: readonly number[];
}

/** One window's traffic on its way to the control plane. */
export interface TrafficBatch {
  /** UUIDv7. The control plane counts a batch once by it. */
  readonly id: string;
  /** ISO 8601. */
  readonly windowStart: string;
  readonly services: readonly ServiceTraffic[];
}

class Counts {
  requests = 0;
  bytesIn = 0;
  bytesOut = 0;
  readonly statuses = [0, 0, 0, 0, 0];
  readonly latencies = new Uint32Array(latencyBuckets);
}

export class TrafficWindow {
  readonly #services = new Map<string, Counts>();

  /** Plain numbers, to be added to; asked for only when there is something to add. */
  of(serviceId: string): Counts {
    let counts = this.#services.get(serviceId);
    if (counts === undefined) {
      counts = new Counts();
      this.#services.set(serviceId, counts);
    }
    return counts;
  }

  /** `ms` is null where it was not measured. */
  answer(serviceId: string, status: number, ms: number | null): void {
    const counts = this.of(serviceId);
    const index = Math.floor(status / 100) - 1;
    const before = counts.statuses[index];
    if (before !== undefined) counts.statuses[index] = before + 1;
    if (ms !== null) this.latency(serviceId, ms);
  }

  latency(serviceId: string, ms: number): void {
    const { latencies } = this.of(serviceId);
    const bucket = latencyBucket(ms);
    latencies[bucket] = (latencies[bucket] ?? 0) + 1;
  }

  add(traffic: ServiceTraffic): void {
    const counts = this.of(traffic.serviceId);
    counts.requests += traffic.requests;
    counts.bytesIn += traffic.bytesIn;
    counts.bytesOut += traffic.bytesOut;
    traffic.statuses.forEach((count, index) => {
      counts.statuses[index] = (counts.statuses[index] ?? 0) + count;
    });
    traffic.latencies.forEach((count, index) => {
      counts.latencies[index] = (counts.latencies[index] ?? 0) + count;
    });
  }

  services(): readonly ServiceTraffic[] {
    return [...this.#services].map(([serviceId, { requests, bytesIn, bytesOut, statuses, latencies }]) => ({
      serviceId,
      requests,
      bytesIn,
      bytesOut,
      statuses: [...statuses],
      latencies: whole(latencies, statuses),
    }));
  }
}

/** Where only a sample was measured (haproxy/config.ts), it stands for all answers. */
function whole(latencies: Uint32Array, statuses: readonly number[]): readonly number[] {
  const measured = latencies.reduce((sum, count) => sum + count, 0);
  const answers = statuses.reduce((sum, count) => sum + count, 0);
  // A few more or fewer are answers at the window's border.
  const buckets = measured > 0 && answers > 2 * measured ? scaleLatencies([...latencies], answers) : [...latencies];
  return buckets.slice(0, buckets.findLastIndex((count) => count > 0) + 1);
}
