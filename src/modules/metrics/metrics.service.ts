/** What a service used and carried, for its people to look at: made of windows or hours, in intervals, gaps as gaps. */
import { latencyAt } from "../../edge/metering/latency.ts";
import type { Clock } from "../../kernel/clock.ts";
import { invalid } from "../../kernel/errors.ts";
import type { Caller } from "../../operation/caller.ts";
import type { Database } from "../../platform/database/database.ts";
import type { ServicesService } from "../services/services.service.ts";
import type { MetricsPoint, MetricsQuery, MetricsSeries } from "./metrics.schema.ts";
import * as repo from "./metrics-series.repo.ts";
import { longestSpanMs, resolutionOf } from "./resolution.ts";

const usualSpanMs = 60 * 60_000;
/** Windows of traffic are closed every 10 s and collected every 10 s: what is younger may still come. */
const trafficDelayMs = 30_000;
/** The precision that is measured, and the places that are shown. */
const places = { cores: 4, megabytes: 1, milliseconds: 2 } as const;

export class MetricsService {
  readonly #database: Database;
  readonly #services: Pick<ServicesService, "row">;
  readonly #clock: Clock;

  constructor(database: Database, services: Pick<ServicesService, "row">, clock: Clock) {
    this.#database = database;
    this.#services = services;
    this.#clock = clock;
  }

  async ofService(caller: Caller, id: string, query: MetricsQuery): Promise<MetricsSeries> {
    const service = await this.#services.row(caller, id);
    const now = this.#clock.now().getTime();
    const span = spanOf(query, now);
    const resolution = resolutionOf(span.since, span.until, now, query.step ?? null);
    const [usage, traffic] = await Promise.all([
      repo.usage(this.#database, caller.accountId, id, resolution),
      repo.traffic(this.#database, caller.accountId, id, resolution),
    ]);
    const usageAt = new Map(usage.map((row) => [row.at.getTime(), row]));
    const trafficAt = new Map(traffic.map((row) => [row.at.getTime(), row]));
    const stepMs = resolution.stepSeconds * 1000;
    /** Nothing was carried, and that is known: no row, and there could be one. */
    const isQuiet = (at: number) =>
      service.type !== "WORKER" && at + stepMs > service.createdAt.getTime() && at < now - trafficDelayMs;
    const data: MetricsPoint[] = [];
    for (let at = resolution.since; at < resolution.until; at += stepMs) {
      const carried = trafficAt.get(at) ?? (isQuiet(at) ? nothingCarried : null);
      data.push({ at: new Date(at).toISOString(), ...usageFields(usageAt.get(at)), ...trafficFields(carried) });
    }
    const { since, until, stepSeconds } = resolution;
    return { since: new Date(since).toISOString(), until: new Date(until).toISOString(), stepSeconds, data };
  }
}

function spanOf(query: MetricsQuery, now: number): { readonly since: number; readonly until: number } {
  const until = query.until === undefined ? now : Date.parse(query.until);
  const since = query.since === undefined ? until - usualSpanMs : Date.parse(query.since);
  if (!(since < until)) throw refusal("/since", "must be before until");
  if (until - since > longestSpanMs) throw refusal("/since", "must be at most 31 days before until");
  return { since, until };
}

function refusal(path: string, message: string) {
  return invalid({ in: "query", path, message, code: "span" });
}

type UsageFields = Pick<
  MetricsPoint,
  "cpuCores" | "cpuCoresMax" | "memoryMb" | "memoryMbMax" | "instancesUp" | "instancesWanted"
>;

function usageFields(row: repo.UsageRow | undefined): UsageFields {
  return {
    cpuCores: rounded(row?.cpuCores, places.cores),
    cpuCoresMax: rounded(row?.cpuCoresMax, places.cores),
    memoryMb: rounded(row?.memoryMb, places.megabytes),
    memoryMbMax: rounded(row?.memoryMbMax, places.megabytes),
    instancesUp: row?.instancesUp ?? null,
    instancesWanted: row?.instancesWanted ?? null,
  };
}

const nothingCarried = { requests: 0, bytesIn: 0, bytesOut: 0, statuses: [], latencies: [] };

type TrafficFields = Pick<MetricsPoint, "requests" | "bytesIn" | "bytesOut" | "statuses" | "latencyMs">;

function trafficFields(row: Omit<repo.TrafficRow, "at"> | null): TrafficFields {
  if (row === null) return { requests: null, bytesIn: null, bytesOut: null, statuses: null, latencyMs: null };
  const { requests, bytesIn, bytesOut, statuses, latencies } = row;
  const [first = 0, second = 0, third = 0, fourth = 0, fifth = 0] = statuses;
  const latency = (share: number) => rounded(latencyAt(latencies, share), places.milliseconds);
  const [p50, p95, p99] = [latency(0.5), latency(0.95), latency(0.99)];
  return {
    requests,
    bytesIn,
    bytesOut,
    statuses: { "1xx": first, "2xx": second, "3xx": third, "4xx": fourth, "5xx": fifth },
    latencyMs: p50 === null || p95 === null || p99 === null ? null : { p50, p95, p99 },
  };
}

function rounded(value: number | null | undefined, digits: number): number | null {
  return value === null || value === undefined ? null : Number(value.toFixed(digits));
}
