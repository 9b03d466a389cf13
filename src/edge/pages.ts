/**
 * What the edge itself says to a visitor: that there is no service, that it is not up, that it did not answer.
 * A page for people; for programs that ask for JSON the error envelope of the API.
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import Negotiator from "negotiator";
import type { Notice } from "./snapshot.ts";

export interface Page {
  readonly status: number;
  readonly code: string;
  readonly title: string;
  /** One sentence for whoever came by. */
  readonly visitor: string;
  /** One sentence for whoever runs the service. */
  readonly owner: string;
  readonly retryAfterSeconds?: number;
  /** Further headers that go with the status, such as `Allow`. */
  readonly headers?: Readonly<Record<string, string>>;
}

export const noticePages: Readonly<Record<Notice, Page>> = {
  NOT_DEPLOYED: {
    status: 503,
    code: "not_deployed",
    title: "Nothing is deployed here yet",
    visitor: "This service exists, but its first version is still to come.",
    owner: "Deploy the service; its address answers as soon as the deployment is live.",
    retryAfterSeconds: 60,
  },
  STARTING: {
    status: 503,
    code: "starting",
    title: "Starting up",
    visitor: "This service is starting and will answer in a moment.",
    owner: "The deployment's log shows how far it is.",
    retryAfterSeconds: 5,
  },
  STOPPED: {
    status: 503,
    code: "stopped",
    title: "This service is stopped",
    visitor: "Its owner has stopped it for now.",
    owner: "Start the service to bring it back.",
    retryAfterSeconds: 300,
  },
  CRASHED: {
    status: 503,
    code: "crashed",
    title: "This service is not working",
    visitor: "It ran into a problem; please try again in a while.",
    owner: "It keeps exiting; the last lines of its log say why.",
    retryAfterSeconds: 30,
  },
  SUSPENDED: {
    status: 503,
    code: "suspended",
    title: "This service is suspended",
    visitor: "It is not available at the moment.",
    owner: "Look into the account's billing; the service resumes once that is settled.",
    retryAfterSeconds: 3_600,
  },
  OVER_LIMIT: {
    // As hosts have long said it; no RFC has the number.
    status: 509,
    code: "bandwidth_limit_exceeded",
    title: "Bandwidth limit exceeded",
    visitor: "This service has used up its bandwidth for this month.",
    owner: "Raise the account's overage budget, top up its credit or choose a larger plan; it answers again at once.",
    retryAfterSeconds: 3600,
  },
};

export const unknownHostPage: Page = {
  status: 404,
  code: "unknown_host",
  title: "There is no service at this address",
  visitor: "Check the address for a slip of the pen.",
  owner: "The `url` of the service says where it answers.",
};

export const noInstancePage: Page = {
  status: 503,
  code: "no_instance",
  title: "This service is not up right now",
  visitor: "Please try again in a few seconds.",
  owner: "No instance of it is running; its log says why.",
  retryAfterSeconds: 5,
};

export const unreachablePage: Page = {
  status: 502,
  code: "bad_gateway",
  title: "This service did not answer",
  visitor: "Something went wrong on its side; please try again.",
  owner: "The instance refused or broke the connection, or its answer was not HTTP; look into the service's log.",
};

export const timeoutPage: Page = {
  status: 504,
  code: "gateway_timeout",
  title: "This service took too long",
  visitor: "It did not answer in time; please try again.",
  owner: "The instance took the request and began no answer within the time that it has for one.",
};

export const faultPage: Page = {
  status: 500,
  code: "internal",
  title: "Something went wrong on our side",
  visitor: "Please try again; the failure has been recorded.",
  owner: "This is a fault of the platform and not of the service; give the operator the request id.",
};

export const fileNotFoundPage: Page = {
  status: 404,
  code: "not_found",
  title: "There is no such page",
  visitor: "Check the address, or go to the site's start page.",
  owner: "A 404.html in the published folder is shown here instead of this page.",
};

export function methodNotAllowedPage(allowed: string): Page {
  return {
    status: 405,
    code: "method_not_allowed",
    title: "That is not possible here",
    visitor: "This address only serves files.",
    owner: `A static site answers ${allowed} alone.`,
    headers: { Allow: allowed },
  };
}

export function badRequestPage(status: number, reason: string, headers: Readonly<Record<string, string>> = {}): Page {
  return {
    status,
    code: "bad_request",
    title: "This request could not be understood",
    visitor: reason,
    owner: "The request did not reach the service.",
    headers,
  };
}

/** The headers that every page has, apart from its type, its length and the request's id. */
export function pageHeaders(page: Page): Readonly<Record<string, string>> {
  return {
    "Cache-Control": "no-store",
    "Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'",
    "X-Content-Type-Options": "nosniff",
    Vary: "Accept",
    ...(page.retryAfterSeconds === undefined ? {} : { "Retry-After": String(page.retryAfterSeconds) }),
    ...page.headers,
  };
}

/** Whatever of the request's body is still to come is not read for this; the parser drops it. */
export function sendPage(request: IncomingMessage, response: ServerResponse, page: Page, requestId: string): void {
  const wantsJson = new Negotiator(request).mediaType(["text/html", "application/json"]) === "application/json";
  const body = Buffer.from(wantsJson ? jsonOf(page) : htmlOf(page, requestId));
  response.writeHead(page.status, {
    "Content-Type": wantsJson ? "application/json; charset=utf-8" : "text/html; charset=utf-8",
    "Content-Length": body.length,
    "X-Request-Id": requestId,
    ...pageHeaders(page),
  });
  response.end(body);
}

export function jsonOf(page: Page): string {
  return JSON.stringify({ error: { code: page.code, message: `${page.title}. ${page.visitor}` } });
}

/** `requestId` is one of our own alphabet; nothing else of the request gets into the page. */
export function htmlOf(page: Page, requestId: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${page.title}</title>
<style>
:root { color-scheme: light dark; --ink: #1c1917; --soft: #57534e; --ground: #fafaf9; --line: #d6d3d1; }
@media (prefers-color-scheme: dark) { :root { --ink: #f5f5f4; --soft: #a8a29e; --ground: #1c1917; --line: #44403c; } }
body { margin: 0; min-height: 100vh; display: grid; place-items: center; background: var(--ground); color: var(--ink);
  font: 1.0625rem/1.55 system-ui, sans-serif; }
main { box-sizing: border-box; width: 100%; max-width: 34rem; padding: 2rem 1.5rem; }
h1 { margin: 0 0 .75rem; font-size: 1.6rem; line-height: 1.25; }
p { margin: 0 0 1rem; }
.status { margin: 0 0 .5rem; font-weight: 600; color: var(--soft); }
.owner { padding-top: 1rem; border-top: 1px solid var(--line); color: var(--soft); font-size: .9375rem; }
code { overflow-wrap: anywhere; font: .8125rem ui-monospace, monospace; color: var(--soft); }
</style>
</head>
<body>
<main>
<p class="status">${page.status}</p>
<h1>${page.title}</h1>
<p>${page.visitor}</p>
<p class="owner">Is it yours? ${page.owner}</p>
<code>${requestId}</code>
</main>
</body>
</html>
`;
}
