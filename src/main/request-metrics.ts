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
  app.addHook("onResponse", (request, reply, done) => {
    const method = request.method === "HEAD" ? "GET" : request.method;
    const operation = ids.get(`${method} ${request.routeOptions.url}`) ?? "other";
    metrics.countRequest(operation, reply.statusCode, reply.elapsedTime / 1000);
    done();
  });
}
