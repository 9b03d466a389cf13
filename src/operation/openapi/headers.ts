/** The headers of requests and answers that no single operation declares. */
import { longestKey } from "../idempotency/idempotency.ts";
import { isMutation, type Operation, takesIdempotencyKey } from "../operation.ts";
import type { Components } from "./components.ts";
import { exampleId, offered } from "./example.ts";
import type { JsonObject } from "./json-object.ts";

const headers = {
  "X-Request-Id": {
    description: "Names this request in the platform's logs; say it when you report a problem.",
    schema: { type: "string", format: "uuid" },
  },
  "X-RateLimit-Limit": {
    description: "Requests that the key may make in any 60 seconds.",
    schema: { type: "integer", minimum: 1 },
  },
  "X-RateLimit-Remaining": {
    description: "Requests that are left of them now.",
    schema: { type: "integer", minimum: 0 },
  },
  "X-RateLimit-Reset": {
    description: "When the whole limit is available again, in seconds since 1970 (UTC).",
    schema: { type: "integer" },
  },
  "Retry-After": {
    description: "Seconds until the next request is let through.",
    schema: { type: "integer", minimum: 1 },
  },
  "Idempotency-Replayed": {
    description: "`true` when this is the first answer under the request's `Idempotency-Key`, sent once more.",
    schema: { type: "string", const: "true" },
  },
  "WWW-Authenticate": {
    description: "How to authenticate (RFC 6750).",
    schema: { type: "string", const: "Bearer" },
  },
  "Content-Disposition": {
    description: "The file name that a browser saves the answer as.",
    schema: { type: "string" },
  },
} as const;

type HeaderName = keyof typeof headers;

function refer(names: readonly HeaderName[], components: Components): JsonObject {
  return Object.fromEntries(
    // OpenAPI's component names hold no other signs than these do.
    names.map((name) => [name, components.refer("headers", name, headers[name])]),
  );
}

const ofLimits = ["X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset"] as const;

export function successHeaders(operation: Operation, components: Components): JsonObject {
  const names: HeaderName[] = ["X-Request-Id", ...ofLimits];
  if (takesIdempotencyKey(operation)) names.push("Idempotency-Replayed");
  if (operation.downloads !== undefined) names.push("Content-Disposition");
  return refer(names, components);
}

export function errorHeaders(status: number, components: Components): JsonObject {
  if (status === 401) return refer(["X-Request-Id", "WWW-Authenticate"], components);
  if (status === 429) return refer(["X-Request-Id", ...ofLimits, "Retry-After"], components);
  return refer(["X-Request-Id", ...ofLimits], components);
}

const idempotencyKey: JsonObject = {
  name: "Idempotency-Key",
  in: "header",
  required: false,
  description:
    "A text of your own, a UUID for example. The same request sent again with it within 24 hours gets the first answer instead of acting again.",
  schema: { type: "string", minLength: 1, maxLength: longestKey },
  examples: offered("8e03978e-40d5-43e8-bc93-6894a57f9324"),
};

const lastEventId: JsonObject = {
  name: "Last-Event-ID",
  in: "header",
  required: false,
  description: "Of a client that takes up a stream again: the id of the last event that it received.",
  schema: { type: "string" },
  examples: offered(exampleId("event")),
};

export function requestHeaders(operation: Operation, components: Components): JsonObject[] {
  const parameters: JsonObject[] = [];
  if (isMutation(operation) && takesIdempotencyKey(operation))
    parameters.push(components.refer("parameters", "IdempotencyKey", idempotencyKey));
  if (operation.streams === true) parameters.push(components.refer("parameters", "LastEventId", lastEventId));
  return parameters;
}
