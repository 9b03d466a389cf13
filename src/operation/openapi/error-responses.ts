/** What an operation can refuse with: its statuses, and an example of the envelope for each code that it can carry. */
import type { ErrorCode } from "../../kernel/errors.ts";
import type { Json } from "../../kernel/json.ts";
import { ErrorSchema, statusOfError } from "../error-response.ts";
import { isMutation, type Operation, takesIdempotencyKey } from "../operation.ts";
import { type Components, hoist } from "./components.ts";
import { errorHeaders } from "./headers.ts";
import type { JsonObject } from "./json-object.ts";

const descriptions: Readonly<Record<number, string>> = {
  401: "No API key, or one that is not valid.",
  403: "The caller may not do this; `code` says why.",
  404: "There is no such thing, or it belongs to another account.",
  409: "The state of things forbids it; `code` says what.",
  413: "The body is larger than 1 MiB.",
  415: "The body is not declared as JSON.",
  422: "Path, query, headers or body break a rule; `details` lists each.",
  429: "Too many requests; `Retry-After` says when to go on.",
  500: "Something went wrong on the platform's side.",
  503: "The platform can't answer at the moment; nothing was changed.",
};

/** The answers that many operations share, by the codes that they can carry. Any other stands with its operation. */
const shared: readonly (readonly [name: string, codes: readonly ErrorCode[]])[] = [
  ["Unauthorized", ["unauthorized"]],
  ["ForbiddenRead", ["insufficient_scope", "ip_not_allowed", "second_factor_required"]],
  ["ForbiddenAdminRead", ["forbidden", "insufficient_scope", "ip_not_allowed", "second_factor_required"]],
  [
    "ForbiddenChange",
    ["account_suspended", "forbidden", "insufficient_scope", "ip_not_allowed", "second_factor_required"],
  ],
  ["NotFound", ["not_found"]],
  ["Conflict", ["idempotency_in_progress"]],
  ["PayloadTooLarge", ["payload_too_large"]],
  ["UnsupportedMediaType", ["unsupported_media_type"]],
  ["Invalid", ["validation_failed"]],
  ["InvalidChange", ["idempotency_key_reused", "validation_failed"]],
  ["RateLimited", ["rate_limited"]],
  ["Internal", ["internal"]],
  ["Unavailable", ["unavailable"]],
];

const sharedNames: ReadonlyMap<string, string> = new Map(shared.map(([name, codes]) => [codes.join(), name]));

export function errorResponses(operation: Operation, components: Components): JsonObject {
  const byStatus = Map.groupBy(codesOf(operation), (code) => statusOfError[code]);
  return Object.fromEntries(
    [...byStatus]
      .sort(([a], [b]) => a - b)
      .map(([status, codes]) => {
        const response = errorResponse(status, codes, components);
        const name = sharedNames.get(codes.join());
        return [status, name === undefined ? response : components.refer("responses", name, response)];
      }),
  );
}

/** In the order of the alphabet. */
function codesOf(operation: Operation): readonly ErrorCode[] {
  const codes: ErrorCode[] = [
    "unauthorized",
    "insufficient_scope",
    "ip_not_allowed",
    "second_factor_required",
    "validation_failed",
    "rate_limited",
    "internal",
    "unavailable",
    ...(operation.errors ?? []),
  ];
  // Any role may read; a session that changes something is refused when it comes from another site's page.
  if (operation.access !== "read" || isMutation(operation)) codes.push("forbidden");
  if (operation.path.includes("{")) codes.push("not_found");
  if (isMutation(operation)) {
    // A body is read before it is known whether the operation takes one.
    codes.push("payload_too_large", "unsupported_media_type");
    if (!operation.scope.startsWith("billing:")) codes.push("account_suspended");
  }
  if (takesIdempotencyKey(operation)) codes.push("idempotency_in_progress", "idempotency_key_reused");
  return [...new Set(codes)].sort();
}

function errorResponse(status: number, codes: readonly ErrorCode[], components: Components): JsonObject {
  return {
    description: descriptions[status] ?? "",
    headers: errorHeaders(status, components),
    content: {
      "application/json": {
        schema: hoist(ErrorSchema, components),
        examples: Object.fromEntries(codes.map((code) => [code, exampleOfCode(code, components)])),
      },
    },
  };
}

function exampleOfCode(code: ErrorCode, components: Components): JsonObject {
  const error: JsonObject = { code, message: messages[code] };
  if (code === "validation_failed") error.details = [violation];
  return components.refer("examples", code, { value: { error } });
}

const violation: Json = {
  in: "query",
  path: "/limit",
  message: "must be <= 100",
  code: "maximum",
};

const messages: Readonly<Record<ErrorCode, string>> = {
  unauthorized: "This needs a valid API key: send it as Authorization: Bearer <key>.",
  forbidden: "This needs the role ADMIN; the caller acts as DEVELOPER.",
  insufficient_scope: "The API key lacks the scope services:write.",
  ip_not_allowed: "The API key is not for use from 203.0.113.7.",
  second_factor_required: "This account asks everybody for a second factor: set one up for your user, then try again.",
  account_suspended: "The account is suspended, and nothing can be changed until its billing is settled.",
  plan_restricted: "The plan FREE does not include this: choose another plan first.",
  not_found: "There is no such service.",
  method_not_allowed: "This address takes GET, POST, HEAD.",
  conflict: "The state of things has changed in between: read it again.",
  slug_taken: 'Another project of this account has the slug "shop": choose another one.',
  project_not_empty: "The project still has services: delete them first.",
  bucket_name_taken: 'A bucket of this platform is called "shop-uploads" already: choose another name.',
  bucket_not_empty: "The bucket holds 12 objects: empty it first, or ask for deleteObjects=true.",
  deployment_finished: "The deployment has ended (LIVE): there is nothing to cancel.",
  deployment_not_reusable: "The build of this deployment is not kept any more: deploy its commit again instead.",
  service_not_deployed: "The service has no release to restart: deploy it first.",
  idempotency_in_progress:
    "The first request with this Idempotency-Key is still under way: wait for its answer, then send it again.",
  malformed_request: "The request is not valid HTTP.",
  headers_too_large: "The request's headers are larger than 16 KiB.",
  payload_too_large: "The body is larger than 1 MiB.",
  unsupported_media_type: "The body must be JSON: send content-type: application/json.",
  validation_failed: "The request is not valid: query/limit must be <= 100.",
  idempotency_key_reused: "This Idempotency-Key was sent with another request before: use a new one for each request.",
  gateway_cannot_charge: "The payment gateway can't charge a saved card: leave out rechargeMad.",
  rate_limited: "Too many requests: 120 a minute are allowed. Go on in 12 s.",
  internal: "Something went wrong on our side; name the x-request-id when you report it.",
  unavailable: "The database does not answer at the moment: try again in a few seconds.",
};
