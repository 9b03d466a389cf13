import { EventEmitter } from "node:events";
import { IncomingMessage } from "node:http";
import { Socket } from "node:net";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Clock } from "../../kernel/clock.ts";
import { latencyAt, latencyBoundsMs, latencyBucket, scaleLatencies } from "./latency.ts";
import { TrafficMeter } from "./meter.ts";
import { MeteredResponse } from "./metered-response.ts";
import { type ServiceTraffic, TrafficWindow } from "./traffic.ts";

class TestClock implements Clock {
  time = Date.UTC(2026, 0, 1, 12, 0, 3);
  now(): Date {
    return new Date(this.time);
  }
}

/** A connection whose counts the test sets. */
class TestSocket extends EventEmitter {
  bytesRead = 0;
  bytesWritten = 0;
}

function connect(meter: TrafficMeter): TestSocket {
  const socket = new TestSocket();
  meter.connected(socket as unknown as Socket); // it is looked at for its counts and its end alone
  return socket;
}

function requestOn(meter: TrafficMeter, socket: TestSocket, serviceId: string | null): MeteredResponse {
  const request = new IncomingMessage(new Socket());
  Object.defineProperty(request, "socket", { value: socket });
  const response = new MeteredResponse(request);
  meter.request(request, response, serviceId);
  return response;
}

function byService(window: TrafficWindow): ReadonlyMap<string, ServiceTraffic> {
  return new Map(window.services().map((traffic) => [traffic.serviceId, traffic]));
}

describe("windows", () => {
  test("are aligned to the clock, and begin where the one before was closed", () => {
    const clock = new TestClock();
    const meter = new TrafficMeter(clock);
    clock.time = Date.UTC(2026, 0, 1, 12, 0, 10, 4);
    expect(meter.take().start.toISOString()).toBe("2026-01-01T12:00:00.000Z");
    clock.time += 10_000;
    expect(meter.take().start.toISOString()).toBe("2026-01-01T12:00:10.000Z");
  });

  test("hold what a connection has carried since the last one, also when nothing began or ended in them", () => {
    const meter = new TrafficMeter(new TestClock());
    const socket = connect(meter);
    socket.bytesRead = 100;
    requestOn(meter, socket, "a").answered(200);
    socket.bytesWritten = 5_000;
    expect(byService(meter.take().window).get("a")).toMatchObject({ requests: 1, bytesIn: 100, bytesOut: 5_000 });
    socket.bytesWritten = 9_000;
    expect(byService(meter.take().window).get("a")).toMatchObject({ requests: 0, bytesIn: 0, bytesOut: 4_000 });
    expect(meter.take().window.services()).toEqual([]);
    socket.bytesWritten = 9_500;
    socket.emit("close");
    expect(byService(meter.take().window).get("a")).toMatchObject({ bytesOut: 500 });
  });

  test("what an answer's head is written twice for is counted once", () => {
    const meter = new TrafficMeter(new TestClock());
    const response = requestOn(meter, connect(meter), "a");
    response.writeHead(304);
    response.answered(304);
    expect(byService(meter.take().window).get("a")?.statuses).toEqual([0, 0, 1, 0, 0]);
  });
});

interface Step {
  readonly kind: "request" | "carry" | "window";
  readonly connection: number;
  readonly service: number;
  readonly bytes: number;
}

const step: fc.Arbitrary<Step> = fc.record({
  kind: fc.constantFrom("request", "request", "carry", "window"),
  connection: fc.nat(3),
  service: fc.nat(2),
  bytes: fc.nat(100_000),
});

test("the sums over all windows are what went in, however it is spread over connections and windows", () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 80 }), (steps) => {
      const meter = new TrafficMeter(new TestClock());
      const sockets = Array.from({ length: 4 }, () => connect(meter));
      const total = new TrafficWindow();
      const requests = [0, 0, 0];
      let lowest = 0;
      const close = () => {
        for (const traffic of meter.take().window.services()) {
          lowest = Math.min(lowest, traffic.bytesIn, traffic.bytesOut);
          total.add(traffic);
        }
      };
      for (const { kind, connection, service, bytes } of steps) {
        const socket = sockets[connection];
        if (socket === undefined) continue;
        if (kind === "window") close();
        if (kind === "request") {
          socket.bytesRead += bytes;
          requestOn(meter, socket, `${service}`).answered(200 + 100 * service);
          requests[service] = (requests[service] ?? 0) + 1;
        }
        // Before its first request a connection is nobody's.
        if (kind === "carry" && socket.bytesRead > 0) socket.bytesWritten += bytes;
      }
      for (const socket of sockets) socket.emit("close");
      close();
      const rows = total.services();
      const used = sockets.filter((socket) => socket.bytesRead > 0 || rows.length > 0);
      const sum = (of: (traffic: ServiceTraffic) => number) => rows.reduce((all, traffic) => all + of(traffic), 0);
      expect(lowest).toBe(0);
      expect(sum(({ bytesIn }) => bytesIn)).toBe(used.reduce((all, { bytesRead }) => all + bytesRead, 0));
      expect(sum(({ bytesOut }) => bytesOut)).toBe(used.reduce((all, { bytesWritten }) => all + bytesWritten, 0));
      for (const { serviceId, requests: counted, statuses, latencies } of rows) {
        const expected = requests[Number(serviceId)] ?? 0;
        expect([counted, statuses[1 + Number(serviceId)]]).toEqual([expected, expected]);
        expect(latencies.reduce((all, count) => all + count, 0)).toBe(expected);
      }
    }),
  );
});

describe("latencies", () => {
  const latency = fc.double({ min: 0.25, max: 120_000, noNaN: true });

  test("a percentile of what was counted is within a tenth of the true one", () => {
    fc.assert(
      fc.property(
        fc.array(latency, { minLength: 1, maxLength: 500 }),
        fc.constantFrom(0.5, 0.95, 0.99),
        (all, share) => {
          const window = new TrafficWindow();
          for (const ms of all) window.latency("a", ms);
          const [traffic] = window.services();
          const truth = all.toSorted((a, b) => a - b)[Math.ceil(all.length * share) - 1] ?? Number.NaN;
          const read = latencyAt(traffic?.latencies ?? [], share) ?? Number.NaN;
          expect(read / truth).toBeGreaterThan(0.9);
          expect(read / truth).toBeLessThan(1.1);
        },
      ),
    );
  });

  test("a bucket's bound is its own; what is beyond them all is in the last", () => {
    expect([0, -1, Number.NaN, 0.25].map(latencyBucket)).toEqual([0, 0, 0, 0]);
    expect(latencyBucket(1e9)).toBe(latencyBoundsMs.length);
    expect(latencyBoundsMs.at(-1)).toBeGreaterThan(120_000);
    expect(latencyAt([0, 0], 0.5)).toBeNull();
  });

  test("of a sample stand for all answers, in the same proportions", () => {
    fc.assert(
      fc.property(fc.array(fc.nat(1_000), { minLength: 1 }), fc.nat(100_000), (buckets, total) => {
        fc.pre(buckets.some((count) => count > 0));
        const scaled = scaleLatencies(buckets, total);
        const measured = buckets.reduce((sum, count) => sum + count, 0);
        expect(scaled.reduce((sum, count) => sum + count, 0)).toBe(total);
        scaled.forEach((count, index) => {
          expect(Math.abs(count - ((buckets[index] ?? 0) * total) / measured)).toBeLessThanOrEqual(1);
        });
      }),
    );
    const window = new TrafficWindow();
    for (let n = 0; n < 100; n += 1) window.answer("a", 200, n % 10 === 0 ? 5 : null);
    expect(window.services()[0]?.latencies.reduce((sum, count) => sum + count, 0)).toBe(100);
  });
});
