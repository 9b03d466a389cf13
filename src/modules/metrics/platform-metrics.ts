/**
 * What this process knows of the platform, for the operator's Prometheus. Counters are of this process and begin anew
 * with it, as Prometheus expects; what all processes share is read from the database at each scrape.
 *
 * The platform's page has as many series as there are operations, statuses, tasks and states: no tenant can add one.
 * Services are many: their readings are a page of their own, for who wants them.
 */
import type { ServiceTraffic } from "../../edge/metering/traffic.ts";
import type { Clock } from "../../kernel/clock.ts";
import type { Database } from "../../platform/database/database.ts";
import { Counter, Histogram, type MetricFamily, renderOpenMetrics } from "../../platform/open-metrics.ts";
import * as repo from "./platform-metrics.repo.ts";

/** Seconds. */
const durationBounds = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
const statusClasses = ["1xx", "2xx", "3xx", "4xx", "5xx"];
const megabyte = 2 ** 20;

export interface PlatformMetricsOptions {
  readonly database: Database;
  readonly pool: { readonly totalCount: number; readonly idleCount: number; readonly waitingCount: number };
  /** Each part's name and whether it answers now. */
  readonly readiness: () => Promise<Readonly<Record<string, boolean>>>;
  readonly version: string;
  readonly clock: Clock;
}

export class PlatformMetrics {
  readonly #options: PlatformMetricsOptions;
  readonly #requests = new Counter("operation", "status");
  readonly #durations = new Histogram(durationBounds);
  readonly #edgeRequests = new Counter();
  readonly #edgeAnswers = new Counter("class");
  readonly #edgeBytes = new Counter("direction");

  constructor(options: PlatformMetricsOptions) {
    this.#options = options;
  }

  /** `operation` is one of the table of operations, or `other`; `seconds` null where they say nothing. */
  countRequest(operation: string, status: number, seconds: number | null): void {
    this.#requests.add([operation, String(status)]);
    if (seconds !== null) this.#durations.add(seconds);
  }

  /** What the edge has carried, when it is brought into the database. */
  countTraffic(services: readonly ServiceTraffic[]): void {
    for (const { requests, bytesIn, bytesOut, statuses } of services) {
      this.#edgeRequests.add([], requests);
      this.#edgeBytes.add(["in"], bytesIn);
      this.#edgeBytes.add(["out"], bytesOut);
      for (const [index, count] of statuses.entries())
        if (count > 0) this.#edgeAnswers.add([statusClasses[index] ?? "other"], count);
    }
  }

  async platform(): Promise<string> {
    const parts = await this.#options.readiness();
    const shared = parts.database === true ? await this.#shared() : [];
    const { pool } = this.#options;
    return renderOpenMetrics([
      {
        name: "ksar_build",
        type: "info",
        help: "Which Ksar this is.",
        samples: [{ labels: { version: this.#options.version }, value: 1 }],
      },
      {
        name: "ksar_part_up",
        type: "gauge",
        help: "Whether a part of the platform answers.",
        samples: Object.entries(parts).map(([part, up]) => ({ labels: { part }, value: up ? 1 : 0 })),
      },
      {
        name: "ksar_http_requests",
        type: "counter",
        help: "Requests to the API that this process answered.",
        samples: this.#requests.samples,
      },
      {
        name: "ksar_http_request_duration_seconds",
        type: "histogram",
        help: "How long this process took to answer them.",
        histogram: this.#durations,
      },
      {
        name: "ksar_edge_requests",
        type: "counter",
        help: "Requests to services, as this process collected them from the edge.",
        samples: this.#edgeRequests.samples,
      },
      {
        name: "ksar_edge_answers",
        type: "counter",
        help: "Their answers, by the class of the status.",
        samples: this.#edgeAnswers.samples,
      },
      {
        name: "ksar_edge_bytes",
        type: "counter",
        help: "Bytes that visitors sent (in) and were sent (out).",
        samples: this.#edgeBytes.samples,
      },
      {
        name: "ksar_database_connections",
        type: "gauge",
        help: "Connections of this process's pool.",
        samples: [
          { labels: { state: "busy" }, value: pool.totalCount - pool.idleCount },
          { labels: { state: "idle" }, value: pool.idleCount },
        ],
      },
      {
        name: "ksar_database_waiting",
        type: "gauge",
        help: "Queries that wait for a connection.",
        samples: [{ value: pool.waitingCount }],
      },
      ...processFamilies(),
      ...shared,
    ]);
  }

  /** The latest reading of each service that has one. */
  async services(): Promise<string> {
    const readings = await repo.latestReadings(this.#options.database, this.#options.clock.now());
    const gauge = (
      name: string,
      help: string,
      value: (reading: repo.LatestReading) => number | null,
    ): MetricFamily => ({
      name,
      help,
      type: "gauge",
      samples: readings.flatMap((reading) => {
        const number = value(reading);
        const labels = { service: reading.serviceId, account: reading.accountId, slug: reading.slug };
        return number === null ? [] : [{ labels, value: number }];
      }),
    });
    return renderOpenMetrics([
      gauge("ksar_service_cpu_cores", "Cores that a service uses.", ({ cpuCores }) => cpuCores),
      gauge("ksar_service_memory_bytes", "Its working set.", ({ memoryMb }) =>
        memoryMb === null ? null : Math.round(memoryMb * megabyte),
      ),
      gauge("ksar_service_instances_up", "Its instances that are up.", ({ instancesUp }) => instancesUp),
      gauge("ksar_service_instances_wanted", "How many should be.", ({ instancesWanted }) => instancesWanted),
    ]);
  }

  async #shared(): Promise<readonly MetricFamily[]> {
    const { database, clock } = this.#options;
    const now = clock.now();
    const [jobs, unfinished, recent, services] = await Promise.all([
      repo.jobs(database),
      repo.unfinishedDeployments(database),
      repo.recentDeployments(database, new Date(now.getTime() - 60 * 60_000)),
      repo.services(database),
    ]);
    const byState = (rows: readonly { readonly state: string; readonly count: number }[]) =>
      rows.map(({ state, count }) => ({ labels: { state }, value: count }));
    return [
      {
        name: "ksar_queue_jobs",
        type: "gauge",
        help: "Jobs by what they wait for: ready and running now, scheduled for later, failed for good.",
        samples: jobs.flatMap(({ task, ready, running, scheduled, failed }) =>
          Object.entries({ ready, running, scheduled, failed }).map(([state, value]) => ({
            labels: { task, state },
            value,
          })),
        ),
      },
      {
        name: "ksar_queue_oldest_seconds",
        type: "gauge",
        help: "How long the oldest job that is ready has waited.",
        samples: jobs.map(({ task, oldest }) => ({ labels: { task }, value: oldest })),
      },
      {
        name: "ksar_deployments_unfinished",
        type: "gauge",
        help: "Deployments under way, by state.",
        samples: byState(unfinished),
      },
      {
        name: "ksar_deployments_last_hour",
        type: "gauge",
        help: "Deployments made within the last hour, by their state now.",
        samples: byState(recent),
      },
      { name: "ksar_services", type: "gauge", help: "Services, by status.", samples: byState(services) },
    ];
  }
}

/** Under the names that every client library of Prometheus gives them. */
function processFamilies(): readonly MetricFamily[] {
  const { rss } = process.memoryUsage();
  const { user, system } = process.cpuUsage();
  return [
    {
      name: "process_resident_memory_bytes",
      type: "gauge",
      help: "Memory of this process.",
      samples: [{ value: rss }],
    },
    {
      name: "process_cpu_seconds",
      type: "counter",
      help: "CPU time of this process.",
      samples: [{ value: (user + system) / 1e6 }],
    },
    {
      name: "process_uptime_seconds",
      type: "gauge",
      help: "Since when this process runs.",
      samples: [{ value: process.uptime() }],
    },
  ];
}
