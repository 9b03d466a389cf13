import type { IncomingMessage } from "node:http";
import { newId } from "../kernel/ids.ts";
import type { MeteredResponse } from "./metering/metered-response.ts";
import type { Peer } from "./peers.ts";

/** One request on its way through the edge. */
export interface Visit {
  readonly request: IncomingMessage;
  readonly response: MeteredResponse;
  readonly peer: Peer;
  /** The Host header; for a target in absolute form that agrees with it. */
  readonly host: string;
  /** Path and query, with a leading slash. */
  readonly target: string;
  /** The same on the request that the service gets and on the response. */
  readonly requestId: string;
}

const acceptableId = /^[A-Za-z0-9_-]{1,128}$/;

export function requestIdOf(request: IncomingMessage): string {
  const given = request.headers["x-request-id"];
  return typeof given === "string" && acceptableId.test(given) ? given : newId();
}

/** Why a request is refused before it is routed. */
export interface Refusal {
  readonly status: 400 | 501;
  readonly reason: string;
}

/**
 * Node's parser has refused malformed requests already: both Content-Length and Transfer-Encoding, two lengths, folded
 * headers, bare line feeds. What it lets through and what two servers could still read differently ends here.
 */
export function refusalOf(request: IncomingMessage): Refusal | null {
  const { headers, rawHeaders } = request;
  let hosts = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index];
    if (name?.length === 4 && name.toLowerCase() === "host") hosts += 1;
  }
  if (hosts !== 1 || headers.host === "") return { status: 400, reason: "It does not name exactly one host." };
  const coding = headers["transfer-encoding"];
  if (coding !== undefined) {
    if (request.httpVersionMinor === 0) return { status: 400, reason: "HTTP/1.0 knows no Transfer-Encoding." };
    if (coding.toLowerCase() !== "chunked") {
      return { status: 501, reason: "Its Transfer-Encoding is not understood; only chunked is." };
    }
  }
  return null;
}

/** Path and query of a request target in origin form, or in an absolute form that names the same host; else null. */
export function targetOf(url: string, host: string): string | null {
  if (url.startsWith("/")) return url;
  const absolute = /^http:\/\/([^/?#]+)([^#]*)$/i.exec(url);
  if (absolute?.[1]?.toLowerCase() !== host.toLowerCase()) return null;
  const rest = absolute[2] ?? "";
  return rest.startsWith("/") ? rest : `/${rest}`;
}
