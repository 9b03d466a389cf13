import type { FastifyInstance } from "fastify";
import type { PlatformMetrics } from "../modules/metrics/platform-metrics.ts";

/** Counts each request by its operation: pages, unknown addresses and refused methods are `other`. */
export function countRequests(app: FastifyInstance, metrics: Pick<PlatformMetrics, "countRequest">): void {
  app.addHook("onRequest", (request, reply, done) => {
    const began = performance.now();
    // Not Fastify's onResponse, which knows nothing of clients who leave before the end, as those of streams do.
    reply.raw.on("close", () => {
      // A stream lasts as long as somebody listens.
      const isStream = String(reply.raw.getHeader("content-type")).startsWith("text/event-stream");
      const seconds = isStream ? null : (performance.now() - began) / 1000;
      metrics.countRequest(request.operation?.id ?? "other", reply.statusCode, seconds);
    });
    done();
  });
}
