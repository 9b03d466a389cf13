/**
 * The plain pages that the control plane shows a person: no script, no external resource; the policy below lets nothing
 * else through. They take forms, as a page without script has no other way.
 */
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { escapeHtml } from "../kernel/html.ts";

const contentSecurityPolicy =
  "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; base-uri 'none'; form-action 'self'";

const style = `
  :root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; }
  body { max-width: 34rem; margin: 12vh auto; padding: 0 1.25rem; }
  h1 { font-size: 1.5rem; } code, pre { font: .9rem/1.5 ui-monospace, monospace; }
  pre { padding: .75rem 1rem; border: 1px solid #8884; border-radius: .5rem; overflow-x: auto; }
  label { display: block; margin: 1rem 0 .25rem; } input { font: inherit; width: 100%; padding: .5rem; box-sizing: border-box; }
  button { font: inherit; margin-top: 1.25rem; padding: .5rem 1.25rem; } .problem { color: #c2410c; }`;

/** `body` is HTML. */
export function page(title: string, body: string, look: { language?: string; style?: string } = {}): string {
  return `<!doctype html>
<html lang="${look.language ?? "en"}"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)}</title><style>${look.style ?? style}</style></head><body>${body}</body></html>
`;
}

/** `formTargets`: other origins that a form of it may be sent to. */
export function sendPage(
  reply: FastifyReply,
  status: number,
  html: string,
  formTargets: readonly string[] = [],
): FastifyReply {
  return reply
    .status(status)
    .header("content-security-policy", [contentSecurityPolicy, ...formTargets].join(" "))
    .header("referrer-policy", "no-referrer")
    .header("x-content-type-options", "nosniff")
    .header("cache-control", "no-store")
    .type("text/html; charset=utf-8")
    .send(html);
}

/** For the routes of this scope alone. */
export function acceptForms(app: FastifyInstance): void {
  app.addContentTypeParser(
    "application/x-www-form-urlencoded",
    { parseAs: "string", bodyLimit: 10_000 },
    (_request, body, done) => done(null, new URLSearchParams(body.toString())),
  );
}

/** The field of a form by its name; empty where there is none. A NUL, which no database stores, is none either. */
export function formOf(request: FastifyRequest): (name: string) => string {
  const form = request.body instanceof URLSearchParams ? request.body : new URLSearchParams();
  return (name) => (form.get(name) ?? "").replaceAll("\0", "");
}
