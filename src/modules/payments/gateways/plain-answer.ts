/** The answer to a provider that looks at the status alone: 2xx is final, anything else is told again. */
import { DomainError, type ErrorCode } from "../../../kernel/errors.ts";
import type { CallbackAnswer, Outcome } from "../gateway.ts";

export function plainAnswer(outcome: Outcome | Error, statusOf: Readonly<Record<ErrorCode, number>>): CallbackAnswer {
  const contentType = "application/json; charset=utf-8";
  if (!(outcome instanceof Error))
    return { status: 200, contentType, body: JSON.stringify({ received: true, outcome }) };
  const known = outcome instanceof DomainError ? outcome : null;
  const error = {
    code: known?.code ?? "internal",
    message: known?.message ?? "The callback could not be dealt with: tell it again.",
  };
  return { status: statusOf[error.code], contentType, body: JSON.stringify({ error }) };
}
