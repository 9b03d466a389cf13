import type { FastifyRequest } from "fastify";
import type { Brand } from "../../kernel/brand.ts";
import { escapeHtml } from "../../kernel/html.ts";
import { page } from "../../operation/page.ts";

/** In the dashboard's place where it could not be built. */
export function missingPage(brand: Brand, request: FastifyRequest): string {
  const origin = `${request.protocol}://${request.host}`;
  return page(
    brand.name,
    `<h1>${escapeHtml(brand.name)} is running</h1>
<p>Its dashboard is not: it could not be built when this program started; the log says why. Everything works through the API.</p>
<ul><li><a href="/docs">The API's reference</a>, to read and to try</li><li><a href="/api/v1/openapi.json">Its description</a> for programs (OpenAPI 3.1)</li><li><a href="/readyz">Readiness</a> of the parts</li></ul>
<p>Requests carry an API key:</p>
<pre>curl -H "Authorization: Bearer &lt;key&gt;" ${escapeHtml(origin)}/api/v1/services</pre>`,
  );
}
