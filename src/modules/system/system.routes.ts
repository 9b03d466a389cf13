/** What answers without an API key: health, and the API's description and reference. */
import type { FastifyInstance } from "fastify";
import type { Brand } from "../../kernel/brand.ts";
import type { Json } from "../../kernel/json.ts";
import { versionPrefixes } from "../../operation/http.ts";
import { registerDocs } from "./docs.routes.ts";

/** Each part's name and whether it answers now. */
export type Readiness = () => Promise<Readonly<Record<string, boolean>>>;

export interface SystemRoutesOptions {
  readonly brand: Brand;
  readonly openApi: Json;
  readonly readiness: Readiness;
}

export function registerSystemRoutes(app: FastifyInstance, options: SystemRoutesOptions): void {
  const openApi = JSON.stringify(options.openApi);
  for (const prefix of versionPrefixes) {
    app.get(`${prefix}/openapi.json`, async (_request, reply) => {
      // Tools of other origins (editors, API clients) read the description; it holds nothing secret.
      reply.header("access-control-allow-origin", "*").header("cache-control", "public, max-age=60");
      return reply.type("application/json; charset=utf-8").send(openApi);
    });
  }
  app.get("/healthz", async () => ({ ok: true }));
  app.get("/readyz", async (_request, reply) => {
    const parts = await options.readiness();
    const ready = Object.values(parts).every((part) => part);
    return reply.status(ready ? 200 : 503).send({ ready, parts });
  });
  registerDocs(app, options.brand);
}
