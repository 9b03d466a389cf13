import { defineOperation, type Operation } from "../../operation/operation.ts";
import { MetricsQuery, MetricsSeries } from "./metrics.schema.ts";
import type { MetricsService } from "./metrics.service.ts";

export function metricsOperations(metrics: MetricsService): Operation[] {
  return [
    defineOperation({
      id: "services.metrics",
      method: "GET",
      path: "/services/{id}/metrics",
      tag: "Metrics",
      summary: "Read what a service used and carried over time",
      description:
        "CPU, memory, instances, requests, bytes, status classes and latencies, measured every 10 s. A gap in what was measured is null, never zero.",
      scope: "metrics:read",
      access: "read",
      query: MetricsQuery,
      status: 200,
      response: MetricsSeries,
      handle: ({ caller, params, query }) => metrics.ofService(caller, params.id, query),
    }),
  ];
}
