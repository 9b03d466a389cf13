/**
 * `/docs`: the API's reference, to read and to try with a key of one's own. The page is Scalar's browser bundle over
 * `openapi.json`; everything comes from this origin, so it works without the internet, and the policy below lets the
 * page speak to nobody else, whatever the bundle would like to ask.
 *
 * The bundle (4 MB) is sent from disk and never held in memory.
 */
import { createRequire } from "node:module";
import { join } from "node:path";
import send from "@fastify/send";
import type { FastifyInstance } from "fastify";
import type { Brand } from "../../kernel/brand.ts";
import { escapeHtml } from "../../kernel/html.ts";

const require = createRequire(import.meta.url);
const packageDir = join(require.resolve("@scalar/fastify-api-reference"), "..", "..");

/** A new version has a new address, so browsers may keep the old one for good. */
function bundlePath(): string {
  const { version }: { version: string } = require(join(packageDir, "package.json"));
  return `/docs/reference-${version}.js`;
}

/**
 * No inline script, no `eval`. What the bundle needs beyond the page's own files: `style` elements and attributes that
 * it makes as it goes, without a nonce on all of them (`'unsafe-inline'`), and icons as `data:` addresses. Its
 * validator asks once whether it may compile code, is refused, and goes on without.
 */
const contentSecurityPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'unsafe-inline'",
  "img-src data:",
  "connect-src 'self'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "base-uri 'none'",
].join("; ");

/** All that would ask another host, or show what is of no use here, is off. */
const settings = {
  url: "/api/v1/openapi.json",
  telemetry: false,
  withDefaultFonts: false,
  agent: { disabled: true },
  mcp: { disabled: true },
  hideClientButton: true,
  showDeveloperTools: "never",
  orderSchemaPropertiesBy: "preserve",
  // A key that was typed in is gone with the page.
  persistAuth: false,
  authentication: { preferredSecurityScheme: "bearer" },
  defaultHttpClient: { targetKey: "shell", clientKey: "curl" },
};
const startScript = `Scalar.createApiReference("#reference", ${JSON.stringify(settings)});\n`;

function docsPage(brand: Brand, bundle: string): string {
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark"><link rel="icon" href="data:,"><title>${escapeHtml(brand.name)} API</title></head>
<body><div id="reference"></div><noscript>This page needs JavaScript; <a href="/api/v1/openapi.json">the API's description</a> does not.</noscript>
<script src="${bundle}"></script><script src="/docs/start.js"></script></body></html>
`;
}

export function registerDocs(app: FastifyInstance, brand: Brand): void {
  const bundle = bundlePath();
  const page = docsPage(brand, bundle);
  app.get("/docs", async (_request, reply) =>
    reply
      .header("content-security-policy", contentSecurityPolicy)
      .header("referrer-policy", "no-referrer")
      .header("x-content-type-options", "nosniff")
      .header("cache-control", "no-cache")
      .type("text/html; charset=utf-8")
      .send(page),
  );
  app.get("/docs/start.js", async (_request, reply) =>
    reply
      .header("x-content-type-options", "nosniff")
      .header("cache-control", "no-cache")
      .type("text/javascript; charset=utf-8")
      .send(startScript),
  );
  app.get(bundle, async (request, reply) => {
    const file = await send(request.raw, "standalone.js", {
      root: join(packageDir, "dist", "js"),
      maxAge: "1y",
      immutable: true,
    });
    return reply
      .status(file.statusCode)
      .headers(file.headers)
      .header("x-content-type-options", "nosniff")
      .send(file.stream);
  });
}
