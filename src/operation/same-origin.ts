/** A browser sends its cookie along with whatever another site makes it send, but it tells where that came from. */
import type { FastifyRequest } from "fastify";
import { DomainError } from "../kernel/errors.ts";

/** What acts by a cookie alone has to come from one of the own pages. */
export function refuseForeignOrigin(request: FastifyRequest): void {
  const { origin, site } = originOf(request);
  const isOwn = site === "same-origin" || (site === undefined && origin === ownOrigin(request));
  if (!isOwn)
    throw new DomainError("forbidden", "A session acts from the dashboard's own pages alone; use an API key.");
}

/** What needs more than a cookie (a password, a code) is refused to other sites' pages alone: programs send no origin. */
export function refuseOtherSites(request: FastifyRequest): void {
  const { origin, site } = originOf(request);
  const isOther =
    site === undefined
      ? origin !== undefined && origin !== ownOrigin(request)
      : !["same-origin", "none"].includes(site);
  if (isOther) throw new DomainError("forbidden", "Sign-in works from the dashboard's own pages alone.");
}

function originOf(request: FastifyRequest): { origin: string | undefined; site: string | undefined } {
  const site = request.headers["sec-fetch-site"];
  return { origin: request.headers.origin, site: typeof site === "string" ? site : undefined };
}

function ownOrigin(request: FastifyRequest): string {
  return `${request.protocol}://${request.host}`;
}
