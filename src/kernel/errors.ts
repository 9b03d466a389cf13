/**
 * The closed catalogue of what can go wrong by design. A published code is never renamed, nor used for anything else
 * once it is no longer used. Errors know no HTTP: `operation/error-response.ts` does.
 */
export const errorCodes = [
  "unauthorized",
  "forbidden",
  "insufficient_scope",
  "ip_not_allowed",
  "second_factor_required",
  "account_suspended",
  "plan_restricted",
  "not_found",
  "method_not_allowed",
  "conflict",
  "slug_taken",
  "project_not_empty",
  "bucket_name_taken",
  "bucket_not_empty",
  "deployment_finished",
  "deployment_not_reusable",
  "service_not_deployed",
  "idempotency_in_progress",
  "validation_failed",
  "idempotency_key_reused",
  "gateway_cannot_charge",
  "unsupported_media_type",
  "payload_too_large",
  "headers_too_large",
  "malformed_request",
  "rate_limited",
  "internal",
  "unavailable",
] as const;

export type ErrorCode = (typeof errorCodes)[number];

/** One broken rule of a request, as `details` of a 422 lists them. */
export interface Violation {
  readonly in: "body" | "query" | "path" | "header";
  /** JSON pointer into that part, such as `/events/0`; empty for the part as a whole. */
  readonly path: string;
  readonly message: string;
  /** The rule, by its JSON Schema keyword or a name of our own. */
  readonly code: string;
}

/** A message for the operator, who can mend it; nothing is wrong with the program. */
export class OperatorError extends Error {}

/** `message` is for the caller, `internal` (if any) for the log alone. */
export class DomainError extends Error {
  override readonly name = "DomainError";
  readonly code: ErrorCode;
  readonly details: unknown;
  readonly internal: string | undefined;

  constructor(code: ErrorCode, message: string, extra: { details?: unknown; internal?: string } = {}) {
    super(message);
    this.code = code;
    this.details = extra.details;
    this.internal = extra.internal;
  }
}

/** The same answer for what does not exist and for what the caller may not see. */
export function notFound(what: string): DomainError {
  return new DomainError("not_found", `There is no such ${what}.`);
}

export function invalid(...violations: readonly Violation[]): DomainError {
  const first = violations[0];
  const place = first === undefined ? "" : `${first.in}${first.path}: ${first.message}`;
  // Some messages are whole sentences.
  const text = `The request is not valid: ${place.replace(/\.$/, "")}.`;
  return new DomainError("validation_failed", text, { details: violations });
}

/** A body names what the account has not: the address is right, so it is no 404. Another account's is as unknown. */
export function unknownInBody(path: string, what: string): DomainError {
  return invalidBody(path, `must be a ${what} of this account`, "unknown");
}

export function invalidBody(path: string, message: string, code = "invalid"): DomainError {
  return invalid({ in: "body", path, message, code });
}
