/** A plain page for a person: no script, no external resource, no form; the policy below lets nothing else through. */
import type { FastifyReply } from "fastify";
import { escapeHtml } from "../kernel/html.ts";

const contentSecurityPolicy =
  "default-src 'none'; style-src 'unsafe-inline'; form-action 'none'; frame-ancestors 'none'; base-uri 'none'";

const style = `
  :root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; }
  body { max-width: 34rem; margin: 12vh auto; padding: 0 1.25rem; }
  h1 { font-size: 1.5rem; } code, pre { font: .9rem/1.5 ui-monospace, monospace; }
  pre { padding: .75rem 1rem; border: 1px solid #8884; border-radius: .5rem; overflow-x: auto; }`;

/** `body` is HTML. */
export function page(title: string, body: string): string {
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)}</title><style>${style}</style></head><body>${body}</body></html>
`;
}

export function sendPage(reply: FastifyReply, status: number, html: string): FastifyReply {
  return reply
    .status(status)
    .header("content-security-policy", contentSecurityPolicy)
    .header("referrer-policy", "no-referrer")
    .header("x-content-type-options", "nosniff")
    .header("cache-control", "no-store")
    .type("text/html; charset=utf-8")
    .send(html);
}
