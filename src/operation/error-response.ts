/** From what went wrong to the one error envelope of the contract (section Errors). */
import type { FastifyError } from "fastify";
import { Type } from "typebox";
import { DomainError, type ErrorCode, errorCodes, type Violation } from "../kernel/errors.ts";
import { isDatabaseAway } from "../platform/database/database.ts";
import { Choice, Closed } from "./schema.ts";

export const statusOfError: Readonly<Record<ErrorCode, number>> = {
  unauthorized: 401,
  forbidden: 403,
  insufficient_scope: 403,
  ip_not_allowed: 403,
  second_factor_required: 403,
  account_suspended: 403,
  plan_restricted: 403,
  not_found: 404,
  method_not_allowed: 405,
  conflict: 409,
  slug_taken: 409,
  bucket_name_taken: 409,
  bucket_not_empty: 409,
  project_not_empty: 409,
  deployment_finished: 409,
  deployment_not_reusable: 409,
  service_not_deployed: 409,
  idempotency_in_progress: 409,
  malformed_request: 400,
  payload_too_large: 413,
  unsupported_media_type: 415,
  validation_failed: 422,
  idempotency_key_reused: 422,
  gateway_cannot_charge: 422,
  rate_limited: 429,
  headers_too_large: 431,
  internal: 500,
  unavailable: 503,
};

export interface ErrorBody {
  readonly error: { readonly code: ErrorCode; readonly message: string; readonly details?: unknown };
}

export const ErrorSchema = Closed(
  {
    error: Closed({
      code: Choice(errorCodes, "One of a closed list; a published code keeps its meaning."),
      message: Type.String({ description: "For people; may change." }),
      details: Type.Optional(
        Type.Unknown({ description: "For `validation_failed`: an array of `{ in, path, message, code }`." }),
      ),
    }),
  },
  { title: "Error" },
);

/** Fastify's own refusals, before a handler was reached, as codes of ours. */
const fastifyCodes: Readonly<Record<string, [ErrorCode, string]>> = {
  FST_ERR_BAD_URL: ["malformed_request", "The address is not valid: a % stands before two hexadecimal digits."],
  FST_ERR_CTP_BODY_TOO_LARGE: ["payload_too_large", "The body is larger than 1 MiB."],
  FST_ERR_CTP_INVALID_MEDIA_TYPE: [
    "unsupported_media_type",
    "The body must be JSON: send content-type: application/json.",
  ],
};

export function toDomainError(error: unknown): DomainError {
  if (error instanceof DomainError) return error;
  if (!(error instanceof Error)) return new DomainError("internal", internalMessage, { internal: String(error) });
  // Fastify puts its code, status and validation results on plain errors.
  const { code, statusCode, validation, validationContext } = error as Partial<FastifyError> & Error;
  if (validation !== undefined) {
    const violations = validation.map((one) => violationOf(one, validationContext ?? "body"));
    const first = violations[0];
    return new DomainError(
      "validation_failed",
      `The request is not valid: ${first?.in}${first?.path} ${first?.message}.`,
      { details: violations },
    );
  }
  const known = code === undefined ? undefined : fastifyCodes[code];
  if (known !== undefined) return new DomainError(known[0], known[1]);
  if (statusCode !== undefined && statusCode >= 400 && statusCode < 500) {
    const violation: Violation = { in: "body", path: "", message: "is not valid JSON", code: "json" };
    return new DomainError("validation_failed", "The body is not valid JSON.", { details: [violation] });
  }
  if (isDatabaseAway(error)) return new DomainError("unavailable", awayMessage, { internal: error.message });
  return new DomainError("internal", internalMessage, { internal: error.message });
}

const awayMessage = "The platform's database is away for the moment; services go on. Try again in a few seconds.";

const internalMessage = "Something went wrong on our side; name the x-request-id when you report it.";

const parts: Readonly<Record<string, Violation["in"]>> = {
  body: "body",
  querystring: "query",
  params: "path",
  headers: "header",
};

type AjvError = NonNullable<FastifyError["validation"]>[number];

function violationOf(error: AjvError, context: string): Violation {
  const extra = error.params.additionalProperty ?? error.params.missingProperty;
  const path = typeof extra === "string" ? `${error.instancePath}/${extra}` : error.instancePath;
  const allowed = Array.isArray(error.params.allowedValues)
    ? ` (${error.params.allowedValues.map(String).join(", ")})`
    : "";
  const message =
    error.keyword === "additionalProperties"
      ? "is not a known field"
      : error.keyword === "required"
        ? "is required"
        : `${error.message ?? "is not valid"}${allowed}`;
  return { in: parts[context] ?? "body", path, message, code: error.keyword };
}

export function errorBody(error: DomainError): ErrorBody {
  return {
    error: {
      code: error.code,
      message: error.message,
      ...(error.details === undefined ? {} : { details: error.details }),
    },
  };
}
