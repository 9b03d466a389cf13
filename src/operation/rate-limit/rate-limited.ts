import { DomainError } from "../../kernel/errors.ts";
import type { Standing } from "./rate-limiter.ts";

/** The refusal of a limit; the answer's `Retry-After` says when to come again. */
export class RateLimited extends DomainError {
  readonly retryAfter: number;

  constructor({ limit, retryAfter }: Pick<Standing, "limit" | "retryAfter">) {
    super("rate_limited", `Too many requests: ${limit} a minute are allowed. Go on in ${retryAfter} s.`);
    this.retryAfter = retryAfter;
  }
}
