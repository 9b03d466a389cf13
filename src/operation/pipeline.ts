/**
 * What every request passes, in this order. Each step may refuse with a `DomainError`; nothing of it is written per
 * operation.
 *
 *   1. authenticate   who asks: an API key as a bearer token → `Caller`, or 401
 *   2. limit          requests a minute per key                              (its place: `beforeValidation`, after 1)
 *   3. validate       path, query and body against the declaration's schemas → 422
 *   4. authorize      scope × access × sensitivity × role                    (its place: `beforeHandler`)
 *   5. idempotency    claim of the Idempotency-Key, or a replay              (its place: `runHandler`, around 6)
 *   6. handler        one transaction: rows, audit entry, queued jobs
 *   7. serialize      by the response schema: a field that is not declared never leaves
 *
 * 1 and 6 are here; 3 and 7 are Fastify's, compiled once from the same schemas. 2, 4 and 5 come with scoped keys:
 * until then every key has full access and there is nothing to decide.
 */
import type { FastifyRequest } from "fastify";
import type { Authenticate, Caller } from "./caller.ts";
import type { Call, Operation } from "./operation.ts";

const callers = new WeakMap<FastifyRequest, Caller>();

/** Steps 1 and 2: they need nothing but the headers, so a body is not even read for a caller who is refused. */
export async function beforeValidation(authenticate: Authenticate, request: FastifyRequest): Promise<void> {
  callers.set(request, await authenticate({ bearer: bearerOf(request), ipAddress: request.ip }));
}

/** Steps 5 and 6. */
export async function runHandler(operation: Operation, request: FastifyRequest, signal: AbortSignal): Promise<unknown> {
  return operation.handle(callOf(request, signal));
}

/** RFC 6750: the scheme is case-insensitive, one space, one token. */
function bearerOf(request: FastifyRequest): string | null {
  const match = /^bearer +([^\s]+)$/i.exec(request.headers.authorization ?? "");
  return match?.[1] ?? null;
}

function callOf(request: FastifyRequest, signal: AbortSignal): Call {
  const caller = callers.get(request);
  if (caller === undefined) throw new Error("a handler was reached without authentication");
  const lastEventId = request.headers["last-event-id"];
  return {
    caller,
    // Validated by Fastify against the operation's own schemas; `Call` of the declaration says their types.
    params: request.params as Call["params"],
    query: request.query as Call["query"],
    body: request.body as Call["body"],
    lastEventId: typeof lastEventId === "string" ? lastEventId : null,
    signal,
  };
}
