/**
 * What of a message's headers goes on to the other side. Both directions work on flat lists (name, value, name, …)
 * as the parsers give them, so that order, case and repeated names stay as they were.
 */
import type { Visit } from "./visit.ts";

/** RFC 9110, 7.6.1: about one connection, not about the message. `expect` is answered by the edge itself. */
const hopByHop: ReadonlySet<string> = new Set([
  "connection",
  "keep-alive",
  "proxy-connection",
  "proxy-authenticate",
  "proxy-authorization",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
  "expect",
]);

/** Headers that say who the visitor is: services believe them, so visitors may not write them. */
function isIdentity(name: string): boolean {
  return name.startsWith("x-forwarded-") || name === "x-real-ip" || name === "forwarded" || name === "x-request-id";
}

/** The word of a trusted proxy passes as it is; but `x-forwarded-for` is added to, and the id was looked at before. */
function passesFromTrusted(name: string): boolean {
  return name !== "x-forwarded-for" && name !== "x-request-id";
}

/** The headers of a visitor's request as the service gets them. */
export function requestHeaders({ request, peer, host, requestId }: Visit): string[] {
  const { rawHeaders, headers } = request;
  const named = namedByConnection(headers.connection);
  const result: string[] = [];
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] ?? "";
    const lower = name.toLowerCase();
    if (hopByHop.has(lower) || (named?.has(lower) && lower !== "host")) continue;
    // CGI and WSGI read `X_Forwarded_For` as `X-Forwarded-For`; nothing that begins like it is worth the doubt.
    if (lower.startsWith("x_")) continue;
    const read = lower.includes("_") ? lower.replaceAll("_", "-") : lower;
    if (isIdentity(read) && !(peer.trusted && lower === read && passesFromTrusted(lower))) continue;
    result.push(name, rawHeaders[index + 1] ?? "");
  }
  const before = peer.trusted ? headers["x-forwarded-for"] : undefined;
  const passedBy = [before, peer.address].filter((part) => typeof part === "string");
  result.push("X-Forwarded-For", passedBy.join(", "));
  if (!peer.trusted || headers["x-forwarded-proto"] === undefined) result.push("X-Forwarded-Proto", "http");
  if (!peer.trusted || headers["x-forwarded-host"] === undefined) result.push("X-Forwarded-Host", host);
  if (!peer.trusted || headers["x-forwarded-port"] === undefined) result.push("X-Forwarded-Port", portIn(host));
  result.push("X-Request-Id", requestId);
  return result;
}

/** The port that the visitor used, which is the one in the address bar and not the one that a firewall maps it to. */
function portIn(host: string): string {
  return /:(\d+)$/.exec(host)?.[1] ?? "80";
}

/** The headers of a service's answer as the visitor gets them; null for a transfer coding that can't be passed on. */
export function responseHeaders(raw: readonly (Buffer | string)[], requestId: string): string[] | null {
  const result: string[] = [];
  let connection: string | undefined;
  let chunked = false;
  for (let index = 0; index < raw.length; index += 2) {
    const name = text(raw[index]);
    const lower = name.toLowerCase();
    if (hopByHop.has(lower)) {
      if (lower === "connection")
        connection = connection === undefined ? text(raw[index + 1]) : `${connection},${text(raw[index + 1])}`;
      if (lower === "transfer-encoding") {
        if (text(raw[index + 1]).toLowerCase() !== "chunked") return null;
        chunked = true;
      }
    } else if (lower !== "x-request-id") {
      result.push(name, text(raw[index + 1]));
    }
  }
  const named = namedByConnection(connection);
  // A length beside chunks is not the body's.
  if (named === null && !chunked) {
    result.push("X-Request-Id", requestId);
    return result;
  }
  const kept: string[] = [];
  for (let index = 0; index < result.length; index += 2) {
    const name = result[index] ?? "";
    const lower = name.toLowerCase();
    if (named?.has(lower) || (chunked && lower === "content-length")) continue;
    kept.push(name, result[index + 1] ?? "");
  }
  kept.push("X-Request-Id", requestId);
  return kept;
}

function text(part: Buffer | string | undefined): string {
  // HTTP/1.1 heads are bytes: latin1 keeps each one.
  return typeof part === "string" ? part : (part?.toString("latin1") ?? "");
}

/** Further hop-by-hop names; null for the usual values, which name none. */
function namedByConnection(value: string | undefined): ReadonlySet<string> | null {
  if (value === undefined) return null;
  const lower = value.toLowerCase();
  if (lower === "keep-alive" || lower === "close") return null;
  return new Set(lower.split(",").map((name) => name.trim()));
}
