/**
 * The two plain pages that the control plane shows a person until the dashboard is there: where things are, and the form
 * behind the one-time sign-up link. No script, no external resource; the policy below lets nothing else through.
 */

import type { Brand } from "../../kernel/brand.ts";
import { escapeHtml } from "../../kernel/html.ts";

export const contentSecurityPolicy =
  "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'";

const style = `
  :root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; }
  body { max-width: 34rem; margin: 12vh auto; padding: 0 1.25rem; }
  h1 { font-size: 1.5rem; } code, pre { font: .9rem/1.5 ui-monospace, monospace; }
  pre { padding: .75rem 1rem; border: 1px solid #8884; border-radius: .5rem; overflow-x: auto; }
  label { display: block; margin: 1rem 0 .25rem; } input { font: inherit; width: 100%; padding: .5rem; box-sizing: border-box; }
  button { font: inherit; margin-top: 1.25rem; padding: .5rem 1.25rem; } .problem { color: #c2410c; }`;

function page(title: string, body: string): string {
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)}</title><style>${style}</style></head><body>${body}</body></html>
`;
}

/** `origin` is where the visitor sees the control plane. */
export function homePage(brand: Brand, origin: string): string {
  const name = escapeHtml(brand.name);
  return page(
    brand.name,
    `<h1>${name} is running</h1>
<p>From a repository to a live address, through one API. The dashboard is still to come: services are deployed through the API.</p>
<ul><li><a href="/docs">The API's reference</a>, to read and to try</li><li><a href="/api/v1/openapi.json">Its description</a> for programs (OpenAPI 3.1)</li><li><a href="/readyz">Readiness</a> of the parts</li></ul>
<p>Requests carry an API key:</p>
<pre>curl -H "Authorization: Bearer &lt;key&gt;" ${escapeHtml(origin)}/api/v1/services</pre>`,
  );
}

export function signupPage(
  brand: Brand,
  problem: string | null,
  values: { readonly name: string; readonly email: string },
): string {
  return page(
    `Sign up · ${brand.name}`,
    `<h1>Make the first account</h1>
<p>This link works once. The account is yours, and so is this ${escapeHtml(brand.name)}.</p>
${problem === null ? "" : `<p class="problem" role="alert">${escapeHtml(problem)}</p>`}
<form method="post">
<label for="name">Name of the account</label><input id="name" name="name" required maxlength="80" autocomplete="organization" value="${escapeHtml(values.name)}">
<label for="email">Email</label><input id="email" name="email" type="email" required maxlength="320" autocomplete="email" value="${escapeHtml(values.email)}">
<label for="password">Password (at least 8 characters)</label><input id="password" name="password" type="password" required minlength="8" maxlength="128" autocomplete="new-password">
<button>Sign up</button></form>`,
  );
}

export function signedUpPage(brand: Brand, apiKey: string): string {
  return page(
    `Welcome · ${brand.name}`,
    `<h1>Welcome</h1><p>This is your first API key. It is shown this once: keep it somewhere safe.</p>
<pre>${escapeHtml(apiKey)}</pre>
<p>Next: <a href="/docs">the API's reference</a>, where you can try it with this key.</p>`,
  );
}

export function spentLinkPage(brand: Brand): string {
  return page(
    `Sign up · ${brand.name}`,
    `<h1>This link does not work any more</h1><p>It was used already, or it has expired. On the machine itself, <code>ksar admin account create</code> makes another account.</p>`,
  );
}
