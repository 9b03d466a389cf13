/**
 * The dashboard: what `dashboard/` was built to, at the control plane's own address, so that its calls are same-origin and
 * the session's cookie never leaves. Every address that is nobody else's is a page of it: the browser gets `index.html`
 * and the application shows what the address names.
 *
 * Its policy allows files of this origin alone, and no inline script or style; a page of it is in nobody's frame. While
 * it is being built (a checkout's first start) requests wait for it; where it can't be, a plain page says so.
 */
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import Negotiator from "negotiator";
import type { Brand } from "../../kernel/brand.ts";
import { sendPage } from "../../operation/page.ts";
import { type BuiltFile, type BuiltFiles, indexPath } from "./built-files.ts";
import { missingPage } from "./missing.page.ts";

export interface DashboardRoutesOptions {
  readonly brand: Brand;
  /** null: there is none. */
  readonly files: () => Promise<BuiltFiles | null>;
}

const contentSecurityPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "form-action 'self'",
  "frame-ancestors 'none'",
  "base-uri 'none'",
].join("; ");

/** The smaller first. */
const encodings = ["br", "gzip"] as const;

/** Never a page of the dashboard: whoever asks below these wants what answers there, or to be told that nothing does. */
const reserved = /^\/(?:api|v1|docs|healthz|readyz|git|hooks|payments|assets)(?:\/|$)/;

export function registerDashboard(app: FastifyInstance, { brand, files }: DashboardRoutesOptions): void {
  app.get("/*", async (request, reply) => {
    const path = request.url.split("?", 1)[0] ?? "/";
    const built = await files();
    const file = built?.get(path);
    if (file !== undefined && path !== indexPath) return sendFile(request, reply, file);
    if (reserved.test(path) || !(path === "/" || wantsPage(request))) return reply.callNotFound();
    const index = built?.get(indexPath);
    reply.header("vary", "accept");
    if (index === undefined) return sendPage(reply, path === "/" ? 200 : 404, missingPage(brand, request));
    reply
      .header("content-security-policy", contentSecurityPolicy)
      // The links of mails hold tokens: no other site may learn an address from here.
      .header("referrer-policy", "no-referrer")
      .header("permissions-policy", "camera=(), geolocation=(), microphone=()")
      .header("cross-origin-opener-policy", "same-origin");
    return sendFile(request, reply, index);
  });
}

/** Programs that ask for what isn't there get the error envelope, not a page. */
function wantsPage(request: FastifyRequest): boolean {
  return request.headers.accept?.includes("text/html") === true;
}

function sendFile(request: FastifyRequest, reply: FastifyReply, file: BuiltFile): FastifyReply {
  const { type, etag, immutable, plain, encoded } = file;
  const accepted = new Negotiator(request.raw).encodings(["br", "gzip", "identity"]);
  const encoding = encodings.find((one) => request.headers["accept-encoding"] !== undefined && accepted.includes(one));
  const body = encoding === undefined ? undefined : encoded.get(encoding);
  reply
    .header("x-content-type-options", "nosniff")
    .header("cache-control", immutable ? "public, max-age=31536000, immutable" : "no-cache")
    .header("etag", etag)
    .header("vary", immutable ? "accept-encoding" : "accept, accept-encoding");
  if (request.headers["if-none-match"] === etag) return reply.status(304).send();
  if (body !== undefined) reply.header("content-encoding", encoding);
  return reply.type(type).send(body ?? plain);
}
