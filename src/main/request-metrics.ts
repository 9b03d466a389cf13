import type { FastifyInstance } from "fastify";
import type { PlatformMetrics } from "../modules/metrics/platform-metrics.ts";
import { versionPrefixes } from "../operation/http.ts";
import type { Operation } from "../operation/operation.ts";

/** Counts each request by its operation: pages, unknown addresses and refused methods are `other`. */
export function countRequests(
  app: FastifyInstance,
  operations: readonly Operation[],
  metrics: Pick<PlatformMetrics, "countRequest">,
): void {
  const ids = new Map<string, string>(
    operations.flatMap(({ id, method, path }) =>
      versionPrefixes.map((prefix) => [`${method} ${prefix}${path.replace(/\{(\w+)\}/g, ":$1")}`, id] as const),
    ),
  );
  app.addHook("onRequest", (request, reply, done) => {
    const began = performance.now();
    // Not Fastify's onResponse, which knows nothing of clients who leave before the end, as those of streams do.
    reply.raw.once("close", () => {
      const method = request.method === "HEAD" ? "GET" : request.method;
      const operation = ids.get(`${method} ${request.routeOptions.url}`) ?? "other";
      // A stream lasts as long as somebody listens.
      const isStream = String(reply.raw.getHeader("content-type")).startsWith("text/event-stream");
      metrics.countRequest(operation, reply.statusCode, isStream ? null : (performance.now() - began) / 1000);
    });
    done();
  });
}
