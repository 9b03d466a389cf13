/**
 * What the control plane shows a person until the dashboard is there: where things are, and the form behind the one-time
 * sign-up link.
 */
import type { Brand } from "../../kernel/brand.ts";
import { escapeHtml } from "../../kernel/html.ts";
import { page, problemLine } from "../../operation/page.ts";

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
${problemLine(problem)}
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
